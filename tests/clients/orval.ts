// The calls through the fetch client of orval.

import * as api from "./generated/orval/api";
import type { ApiError } from "./generated/orval/api.schemas";
import { settings } from "./orval_fetch";
import { type Calls, type Failure, run } from "./story";

function failure(httpStatus: number, { code, details }: ApiError): Failure {
  return { httpStatus, code, connectionId: details?.connectionId, field: details?.field };
}

function unexpected(answer: { status: number; data: unknown }): never {
  throw new Error(`${answer.status}: ${JSON.stringify(answer.data)}`);
}

const as = (machine: string) => ({ headers: { Authorization: `Bearer ${machine}` } });

async function text(format: "json" | "csv", limit: number): Promise<string> {
  settings.exact = true;
  const answer = await api.listOrders({ format, limit });
  settings.exact = false;
  return typeof answer.data === "string" ? answer.data : unexpected(answer);
}

const calls: Calls = {
  at(base) {
    settings.base = base;
  },
  async signIn(phone) {
    const answer = await api.sandboxToken({ phone });
    settings.token = answer.status === 200 ? answer.data.access_token : unexpected(answer);
  },
  async retailers() {
    const answer = await api.listRetailers();
    if (answer.status !== 200) return unexpected(answer);
    return answer.data.map((one) => ({ id: one.retailerId, name: one.displayName, connectable: one.syncConfig.serverSide }));
  },
  async totp() {
    const answer = await api.getTotp();
    return answer.status === 200 ? answer.data : unexpected(answer);
  },
  async connect(wanted) {
    const answer = await api.connect({ ...wanted, mode: "CONNECT" });
    return answer.status === 202 ? answer.data : failure(answer.status, answer.data);
  },
  async session(batchId) {
    const answer = await api.getSession(batchId);
    if (answer.status !== 200) return unexpected(answer);
    const { status, retailerSyncSessions, events } = answer.data;
    return {
      status,
      syncStatuses: retailerSyncSessions.map((part) => part.syncStatus),
      events: events.map((event) => ({ type: event.type, reqId: event.reqId, eventType: event.mfa?.eventType })),
    };
  },
  async answer(reqId, otpValue) {
    const answer = await api.submitMfa({ eventType: "enter", reqId, otpValue });
    return answer.status === 202 ? answer.data : unexpected(answer);
  },
  async connections() {
    const answer = await api.listConnections({ limit: 10 });
    if (answer.status !== 200) return unexpected(answer);
    return answer.data.map(({ connectionId, status }) => ({ connectionId, status }));
  },
  async orders(limit) {
    const answer = await api.listOrders({ limit });
    // The type is that of both formats.
    if (answer.status !== 200 || typeof answer.data === "string") return unexpected(answer);
    return answer.data.map(({ id, price, quantity, orderTotal }) => ({ id, price, quantity, orderTotal }));
  },
  exactOrders: (limit) => text("json", limit),
  csv: (limit) => text("csv", limit),
  async item(id) {
    const answer = await api.getOrderItem(id);
    if (answer.status !== 200) return unexpected(answer);
    return { id: answer.data.id, adjustments: answer.data.orderAdjustments?.length ?? null };
  },
  async remove(connectionId) {
    return (await api.removeConnection(connectionId)).status;
  },
  async badRequest() {
    const answer = await api.listOrders({ limit: 0 });
    return answer.status === 200 ? unexpected(answer) : failure(answer.status, answer.data);
  },
  async clientToken(client_id, client_secret) {
    const body = { grant_type: "client_credentials", client_id, client_secret, scope: "users:share" } as const;
    const answer = await api.getToken(body);
    return answer.status === 200 ? answer.data.access_token : unexpected(answer);
  },
  async linkToken(machine, secret, external_user_id) {
    const answer = await api.createLinkToken({ external_user_id }, { "X-Client-Secret": secret }, as(machine));
    return answer.status === 201 ? answer.data.link_token : unexpected(answer);
  },
  async share(machine, secret, link) {
    const answer = await api.getShare({ "X-Client-Secret": secret, "X-Link-Token": link }, as(machine));
    if (answer.status !== 200) return failure(answer.status, answer.data);
    return { user: answer.data.user_id, connections: answer.data.connections.map((one) => one.connectionId) };
  },
};

run(calls);
