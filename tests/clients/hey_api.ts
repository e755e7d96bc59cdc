// The calls through the client of @hey-api/openapi-ts.

import * as api from "./generated/hey_api";
import { client } from "./generated/hey_api/client.gen";
import { type Calls, type Failure, required, run } from "./story";

let token = "";

function failure(error: api.ApiError, response: Response | undefined): Failure {
  const { code, details } = error;
  return { httpStatus: required(response, "response").status, code, connectionId: details?.connectionId, field: details?.field };
}

const as = (machine: string) => ({ auth: () => machine });

const calls: Calls = {
  at(baseUrl) {
    client.setConfig({ baseUrl, auth: () => token });
  },
  async signIn(phone) {
    const { data } = await api.sandboxToken({ body: { phone } });
    token = required(data, "token").access_token;
  },
  async retailers() {
    const { data } = await api.listRetailers();
    return required(data, "catalog").map((one) => ({ id: one.retailerId, name: one.displayName, connectable: one.syncConfig.serverSide }));
  },
  async totp() {
    const { data } = await api.getTotp();
    return required(data, "token to seal with");
  },
  async connect(wanted) {
    const { data, error, response } = await api.connect({ body: { ...wanted, mode: "CONNECT" } });
    return data ?? failure(error, response);
  },
  async session(batchId) {
    const { data } = await api.getSession({ path: { batchId } });
    const { status, retailerSyncSessions, events } = required(data, "session");
    return {
      status,
      syncStatuses: retailerSyncSessions.map((part) => part.syncStatus),
      events: events.map((event) => ({ type: event.type, reqId: event.reqId, eventType: event.mfa?.eventType })),
    };
  },
  async answer(reqId, otpValue) {
    const { data } = await api.submitMfa({ body: { eventType: "enter", reqId, otpValue } });
    return required(data, "answer");
  },
  async connections() {
    const { data } = await api.listConnections({ query: { limit: 10 } });
    return required(data, "connections").map(({ connectionId, status }) => ({ connectionId, status }));
  },
  async orders(limit) {
    const { data } = await api.listOrders({ query: { limit } });
    return required(data, "orders").map(({ id, price, quantity, orderTotal }) => ({ id, price, quantity, orderTotal }));
  },
  async exactOrders(limit) {
    const { data } = await api.listOrders({ query: { limit }, parseAs: "text" });
    return required(data, "orders") as unknown as string;
  },
  async csv(limit) {
    // Its type knows only the first format of an answer; at run time it is text.
    const { data } = await api.listOrders({ query: { limit, format: "csv" } });
    return required(data, "orders") as unknown as string;
  },
  async item(id) {
    const { data } = await api.getOrderItem({ path: { id } });
    return { id: required(data, "item").id, adjustments: data?.orderAdjustments?.length ?? null };
  },
  async remove(connectionId) {
    const { response } = await api.removeConnection({ path: { connectionId } });
    return required(response, "response").status;
  },
  async badRequest() {
    const { error, response } = await api.listOrders({ query: { limit: 0 } });
    return failure(required(error, "error"), response);
  },
  async clientToken(id, secret) {
    const { data } = await api.getToken({
      body: { grant_type: "client_credentials", scope: "users:share" },
      auth: () => `${id}:${secret}`,
    });
    return required(data, "client token").access_token;
  },
  async linkToken(machine, secret, external_user_id) {
    const headers = { "X-Client-Secret": secret };
    const { data } = await api.createLinkToken({ ...as(machine), headers, body: { external_user_id } });
    return required(data, "link token").link_token;
  },
  async share(machine, secret, link) {
    const headers = { "X-Client-Secret": secret, "X-Link-Token": link };
    const { data, error, response } = await api.getShare({ ...as(machine), headers });
    if (!data) return failure(error, response);
    return { user: data.user_id, connections: data.connections.map((one) => one.connectionId) };
  },
};

run(calls);
