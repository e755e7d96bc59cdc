// The calls through the types of openapi-typescript, with openapi-fetch.

import createClient from "openapi-fetch";
import type { components, paths } from "./generated/openapi_typescript/schema";
import { type Calls, type Failure, required, run } from "./story";

let base = "";
let token = "";
let api = createClient<paths>();

function renew(): void {
  api = createClient<paths>({ baseUrl: base, headers: token ? { Authorization: `Bearer ${token}` } : {} });
}

function failure(error: components["schemas"]["ApiError"], response: Response): Failure {
  return { httpStatus: response.status, code: error.code, connectionId: error.details?.connectionId, field: error.details?.field };
}

const calls: Calls = {
  at(address) {
    base = address;
    renew();
  },
  async signIn(phone) {
    const { data } = await api.POST("/sandbox/token", { body: { phone } });
    token = required(data, "token").access_token;
    renew();
  },
  async retailers() {
    const { data } = await api.GET("/sync/retailers");
    return required(data, "catalog").map((one) => ({ id: one.retailerId, name: one.displayName, connectable: one.syncConfig.serverSide }));
  },
  async totp() {
    const { data } = await api.GET("/sync/auth/totp");
    return required(data, "token to seal with");
  },
  async connect(wanted) {
    const { data, error, response } = await api.POST("/sync/connections/connect", { body: { ...wanted, mode: "CONNECT" } });
    return data ?? failure(error, response);
  },
  async session(batchId) {
    const { data } = await api.GET("/sync/sessions/{batchId}", { params: { path: { batchId } } });
    const { status, retailerSyncSessions, events } = required(data, "session");
    return {
      status,
      syncStatuses: retailerSyncSessions.map((part) => part.syncStatus),
      events: events.map((event) => ({ type: event.type, reqId: event.reqId, eventType: event.mfa?.eventType })),
    };
  },
  async answer(reqId, otpValue) {
    const { data } = await api.POST("/sync/mfa", { body: { eventType: "enter", reqId, otpValue } });
    return required(data, "answer");
  },
  async connections() {
    const { data } = await api.GET("/sync/connections", { params: { query: { limit: 10 } } });
    return required(data, "connections").map(({ connectionId, status }) => ({ connectionId, status }));
  },
  async orders(limit) {
    const { data } = await api.GET("/sync/orders", { params: { query: { limit } } });
    // The type is that of both formats.
    if (!Array.isArray(data)) throw new Error("no orders");
    return data.map(({ id, price, quantity, orderTotal }) => ({ id, price, quantity, orderTotal }));
  },
  async exactOrders(limit) {
    const { data } = await api.GET("/sync/orders", { params: { query: { limit } }, parseAs: "text" });
    return required(data as string | undefined, "orders");
  },
  async csv(limit) {
    const { data } = await api.GET("/sync/orders", { params: { query: { limit, format: "csv" } }, parseAs: "text" });
    return required(data as string | undefined, "orders");
  },
  async item(id) {
    const { data } = await api.GET("/sync/orders/{id}", { params: { path: { id } } });
    return { id: required(data, "item").id, adjustments: data?.orderAdjustments?.length ?? null };
  },
  async remove(connectionId) {
    const { response } = await api.DELETE("/sync/connections/{connectionId}", { params: { path: { connectionId } } });
    return response.status;
  },
  async badRequest() {
    const { error, response } = await api.GET("/sync/orders", { params: { query: { limit: 0 } } });
    return failure(required(error, "error"), response);
  },
  async clientToken(client_id, client_secret) {
    const body = { grant_type: "client_credentials", client_id, client_secret, scope: "users:share" } as const;
    const { data } = await api.POST("/oauth/token", {
      body,
      headers: { "Content-Type": "application/x-www-form-urlencoded", Authorization: null },
    });
    return required(data, "client token").access_token;
  },
  async linkToken(machine, secret, external_user_id) {
    const { data } = await api.POST("/v1/link/token", {
      params: { header: { "X-Client-Secret": secret } },
      headers: { Authorization: `Bearer ${machine}` },
      body: { external_user_id },
    });
    return required(data, "link token").link_token;
  },
  async share(machine, secret, link) {
    const { data, error, response } = await api.GET("/v1/users/share", {
      params: { header: { "X-Client-Secret": secret, "X-Link-Token": link } },
      headers: { Authorization: `Bearer ${machine}` },
    });
    if (!data) return failure(error, response);
    return { user: data.user_id, connections: data.connections.map((one) => one.connectionId) };
  },
};

run(calls);
