// The same calls through every generated client. What came back is printed as JSON, and compared by clients.py with what plain
// HTTP says.

import { CompactEncrypt, base64url } from "jose";

export interface Failure {
  httpStatus: number;
  code: string;
  connectionId?: string;
  field?: string;
}
export interface Event {
  type: string;
  reqId?: string;
  eventType?: string;
}
export interface Session {
  status: string;
  syncStatuses: string[];
  events: Event[];
}
export interface Item {
  id: string;
  price: number | null;
  quantity: number | null;
  orderTotal: number | null;
}
export interface Connecting {
  retailerId: number;
  connectionInfo: string;
  currentStamp: string;
}

/** What a caller does with its client. A failure is the error that the client read, as its type has it. */
export interface Calls {
  /** Calls the service at this address from now on. */
  at(base: string): void;
  /** Acts for this phone from now on (POST /sandbox/token). */
  signIn(phone: string): Promise<void>;
  retailers(): Promise<{ id: number; name: string; connectable: boolean }[]>;
  totp(): Promise<{ token: string; currentStamp: string }>;
  connect(wanted: Connecting): Promise<{ batchId: string; connectionId: string } | Failure>;
  session(batchId: string): Promise<Session>;
  answer(reqId: string, code: string): Promise<{ batchId: string }>;
  connections(): Promise<{ connectionId: string; status: string }[]>;
  orders(limit: number): Promise<Item[]>;
  /** The same answer, as it was sent: for readers of decimals. */
  exactOrders(limit: number): Promise<string>;
  csv(limit: number): Promise<string>;
  item(id: string): Promise<{ id: string; adjustments: number | null }>;
  remove(connectionId: string): Promise<number>;
  badRequest(): Promise<Failure>;
  clientToken(clientId: string, secret: string): Promise<string>;
  linkToken(token: string, secret: string, externalUserId: string): Promise<string>;
  share(token: string, secret: string, link: string): Promise<{ user: string; connections: string[] } | Failure>;
}

export function required<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`no ${what}`);
  return value;
}

function setting(name: string): string {
  return required(process.env[name], name);
}

async function seal(calls: Calls, retailerId: number, username: string): Promise<Connecting> {
  const { token, currentStamp } = await calls.totp();
  const fields = new TextEncoder().encode(JSON.stringify({ username, password: "pass_good" }));
  const header = { alg: "dir", enc: "A256GCM", kid: currentStamp } as const;
  const connectionInfo = await new CompactEncrypt(fields).setProtectedHeader(header).encrypt(base64url.decode(token));
  return { retailerId, connectionInfo, currentStamp };
}

async function started(calls: Calls, retailerId: number, username: string): Promise<{ batchId: string; connectionId: string }> {
  const begun = await calls.connect(await seal(calls, retailerId, username));
  if ("code" in begun) throw new Error(`not connected: ${begun.code}`);
  return begun;
}

/** Polls the session to its end, and answers what the retailer asks for. */
async function follow(calls: Calls, batchId: string): Promise<Session> {
  const answered = new Set<string>();
  for (;;) {
    const session = await calls.session(batchId);
    const asked = session.events.filter((event) => event.type === "mfa").at(-1);
    if (asked?.reqId && !answered.has(asked.reqId)) {
      answered.add(asked.reqId);
      const { batchId: same } = await calls.answer(asked.reqId, "123456");
      if (same !== batchId) throw new Error(`the answer belongs to ${same}`);
    }
    if (session.status !== "syncing") return session;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function tell(calls: Calls): Promise<unknown> {
  const secret = setting("CLIENT_SECRET");
  calls.at(setting("ORDERSYNC_BASE_URL"));
  await calls.signIn(setting("PHONE"));
  const retailers = await calls.retailers();
  const first = await started(calls, 11, "user_mfa_enter");
  const session = await follow(calls, first.batchId);
  const second = await started(calls, 12, "user_empty");
  await follow(calls, second.batchId);
  const removed = await calls.remove(second.connectionId);
  const exists = await calls.connect(await seal(calls, 11, "user_good"));
  const connections = await calls.connections();
  const orders = await calls.orders(1000);
  const item = await calls.item(required(orders[0], "order").id);
  const machine = await calls.clientToken("sandbox", secret);
  const link = await calls.linkToken(machine, secret, setting("EXTERNAL_USER"));
  const unknown = await calls.linkToken(machine, secret, `${setting("EXTERNAL_USER")} of nobody`);
  const report = {
    retailers, session, removed, exists, connections, orders, item, connectionId: first.connectionId,
    exactOrders: await calls.exactOrders(1000),
    csv: await calls.csv(1000),
    badRequest: await calls.badRequest(),
    share: await calls.share(machine, secret, link),
    nobody: await calls.share(machine, secret, unknown),
  };
  // A later version of the service, with values and members that this contract does not know.
  calls.at(setting("NEWER_BASE_URL"));
  const newer = {
    session: await calls.session(first.batchId),
    connections: await calls.connections(),
    exists: await calls.connect(await seal(calls, 11, "user_good")),
  };
  return { ...report, newer };
}

export function run(calls: Calls): void {
  tell(calls).then(
    (report) => process.stdout.write(JSON.stringify(report)),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
