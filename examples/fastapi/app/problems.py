"""Every row of the service's error table, as a page: what it means to the user, and what the user can do."""

import logging

from starlette.exceptions import HTTPException

from .service import ServiceError

log = logging.getLogger("uvicorn.error")

OPEN_WIDGET = {"href": "/widget", "label": "Open your retailers"}

PAGES = {
    "CLIENT_SECRET_REQUIRED": {
        "status": 502,
        "title": "This app is not set up correctly",
        "text": "It did not identify itself to the service. There is nothing that you can do; we have been told.",
        "ours": True,
    },
    "CONNECTION_NOT_SHARED": {
        "status": 403,
        "title": "You do not share this retailer with us",
        "text": "Open your retailers, and switch sharing on for it.",
        "action": OPEN_WIDGET,
    },
    "USER_NOT_FOUND": {
        "status": 404,
        "title": "You have not opened your retailers yet",
        "text": "Open them once and enter the one-time password. Then this app can see what you share.",
        "action": OPEN_WIDGET,
    },
    # A link token was created and sent, and still the service does not see it: something between removes the header.
    "MISSING_LINK_TOKEN": {
        "status": 502,
        "title": "This app could not say whose retailers it asks for",
        "text": "There is nothing that you can do; we have been told.",
        "ours": True,
    },
    "USER_ALREADY_BOUND": {
        "status": 409,
        "title": "Your account is linked to another phone number",
        "text": "Open your retailers with the phone number that you used first. If you no longer have it, write to our support.",
        "action": OPEN_WIDGET,
    },
    "TOO_MANY_REQUESTS": {
        "status": 503,
        "title": "A moment, please",
        "text": "There are many requests right now.",
    },
    "UNAUTHORIZED": {
        "status": 401,
        "title": "Your sign-in has ended",
        "text": "Sign in again to continue.",
        "action": {"href": "/sign-in", "label": "Sign in"},
    },
    "NOT_FOUND": {"status": 404, "title": "There is nothing here", "text": "It was removed, or the address is wrong."},
}

UNKNOWN = {"status": 502, "title": "That did not work", "text": "Try again in a moment.", "ours": True}


def problem_page(request, error, render):
    """No error leaves the app as anything but a page."""
    if isinstance(error, HTTPException):
        code = "NOT_FOUND" if error.status_code == 404 else None
        error = ServiceError(str(error.detail), status=error.status_code, code=code)
    elif not isinstance(error, ServiceError):
        log.error("unexpected", exc_info=error)
        error = ServiceError(UNKNOWN["text"])
    page = PAGES.get(error.code)
    if page is None:
        page = {**UNKNOWN, "text": error.message, "status": error.status if error.status < 500 else 502}
    if page.get("ours"):
        log.error("%s, request %s: %s", error.code, error.request_id, error.message)
    # A page that was only looked at comes again by itself.
    again = request.method == "GET"
    headers = {}
    if error.retry_after:
        headers["Retry-After"] = str(error.retry_after)
        if again:
            headers["Refresh"] = str(error.retry_after)
    context = {**page, "request_id": error.request_id, "retry_after": error.retry_after, "again": again}
    return render(request, "problem.html", context, page["status"], headers)
