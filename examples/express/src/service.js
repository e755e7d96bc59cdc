// One request to the service: repeats what is worth repeating, and turns every refusal into a ServiceError.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { config } from "./config.js";

/** A page cannot wait for longer than this, in seconds: then the user is told when to come back. */
const PATIENCE = 5;

export class ServiceError extends Error {
  /** `code` is the service's, or null for an answer that is not the service's own (a proxy's 502, for example). */
  constructor({ status = 502, code = null, message, details = {}, requestId = null, retryAfter = null }) {
    super(message);
    Object.assign(this, { status, code, details, requestId, retryAfter });
  }

  static async from(response) {
    const body = (await response.json().catch(() => null)) ?? {};
    return new ServiceError({
      status: response.status,
      code: body.code,
      message: body.message ?? `The service answered ${response.status}.`,
      details: body.details,
      requestId: response.headers.get("x-request-id"),
      retryAfter: Number(response.headers.get("retry-after")) || null,
    });
  }
}

/** Sends one request. A change carries an Idempotency-Key, so that repeating it never does it twice. */
export async function call(method, path, { token, headers, body } = {}) {
  const request = {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body && { "Content-Type": "application/json" }),
      ...(method !== "GET" && { "Idempotency-Key": randomUUID() }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  };
  for (let attempt = 1; ; attempt += 1) {
    const error = await attemptOnce(path, request);
    if (error instanceof Response) {
      return error;
    }
    if (attempt === 3 || !worthRepeating(error)) {
      throw error;
    }
    await sleep((error.retryAfter ?? 1) * 1000);
  }
}

/** The answer if it is a good one, and otherwise what is wrong. Reads the body: it may break off, too. */
async function attemptOnce(path, request) {
  try {
    const response = await fetch(config.service + path, { ...request, signal: AbortSignal.timeout(40_000) });
    return response.ok ? new Response(await response.arrayBuffer(), response) : await ServiceError.from(response);
  } catch (cause) {
    return new ServiceError({ message: `The service cannot be reached: ${cause.cause?.code ?? cause.name}.` });
  }
}

/** Too many requests, a service that is away for a moment, a lost answer. */
function worthRepeating({ status, retryAfter }) {
  return [429, 500, 502, 503, 504].includes(status) && (retryAfter ?? 1) <= PATIENCE;
}

/** Sends; if it is refused with one of these codes, does what helps, and sends once more. */
export async function orAfter(codes, remedy, send) {
  try {
    return await send();
  } catch (error) {
    if (!codes.includes(error.code)) {
      throw error;
    }
    await remedy();
    return send();
  }
}
