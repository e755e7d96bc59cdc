// Every row of the service's error table, as a page: what it means to the user, and what the user can do.

import { ServiceError } from "./service.js";

const OPEN_WIDGET = { href: "/widget", label: "Open your retailers" };

const PAGES = {
  CLIENT_SECRET_REQUIRED: {
    status: 502,
    title: "This app is not set up correctly",
    text: "It did not identify itself to the service. There is nothing that you can do; we have been told.",
    ours: true,
  },
  CONNECTION_NOT_SHARED: {
    status: 403,
    title: "You do not share this retailer with us",
    text: "Open your retailers, and switch sharing on for it.",
    action: OPEN_WIDGET,
  },
  USER_NOT_FOUND: {
    status: 404,
    title: "You have not opened your retailers yet",
    text: "Open them once and enter the one-time password. Then this app can see what you share.",
    action: OPEN_WIDGET,
  },
  // A link token was created and sent, and still the service does not see it: something between removes the header.
  MISSING_LINK_TOKEN: {
    status: 502,
    title: "This app could not say whose retailers it asks for",
    text: "There is nothing that you can do; we have been told.",
    ours: true,
  },
  USER_ALREADY_BOUND: {
    status: 409,
    title: "Your account is linked to another phone number",
    text: "Open your retailers with the phone number that you used first. If you no longer have it, write to our support.",
    action: OPEN_WIDGET,
  },
  TOO_MANY_REQUESTS: {
    status: 503,
    title: "A moment, please",
    text: "There are many requests right now.",
  },
  UNAUTHORIZED: {
    status: 401,
    title: "Your sign-in has ended",
    text: "Sign in again to continue.",
    action: { href: "/sign-in", label: "Sign in" },
  },
  NOT_FOUND: { status: 404, title: "There is nothing here", text: "It was removed, or the address is wrong." },
};

const UNKNOWN = { status: 502, title: "That did not work", text: "Try again in a moment.", ours: true };

/** The last handler of the app: no error leaves it as anything but a page. */
export function problems(error, request, response, next) {
  if (response.headersSent) {
    return next(error);
  }
  if (error.code === "EBADCSRFTOKEN") {
    error = new ServiceError({ status: 403, message: "The form was not sent from this app, or your session has ended." });
  } else if (!(error instanceof ServiceError) && error.status === undefined) {
    console.error(error);
  }
  const known = PAGES[error.code];
  const own = error instanceof ServiceError ? error.message : undefined;
  const page = known ?? { ...UNKNOWN, ...(own && { text: own }), ...(error.status < 500 && { status: error.status }) };
  if (page.ours) {
    console.error(`${error.code ?? "no code"}, request ${error.requestId ?? "unknown"}: ${error.message}`);
  }
  // A page that was only looked at comes again by itself.
  const again = request.method === "GET";
  if (error.retryAfter) {
    response.set({ "Retry-After": String(error.retryAfter), ...(again && { Refresh: String(error.retryAfter) }) });
  }
  response.status(page.status).render("problem", { ...page, requestId: error.requestId, retryAfter: error.retryAfter, again });
}
