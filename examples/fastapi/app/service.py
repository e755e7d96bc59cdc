"""One request to the service: repeats what is worth repeating, and turns every refusal into a ServiceError."""

import asyncio
import uuid

import httpx2

from . import config

# A page cannot wait for longer than this, in seconds: then the user is told when to come back.
PATIENCE = 5

http = httpx2.AsyncClient(base_url=config.SERVICE, timeout=40)


class ServiceError(Exception):
    """`code` is the service's, or None for an answer that is not the service's own (a proxy's 502, for example)."""

    def __init__(self, message, status=502, code=None, details=None, request_id=None, retry_after=None):
        super().__init__(message)
        self.message, self.status, self.code, self.details = message, status, code, details or {}
        self.request_id, self.retry_after = request_id, retry_after

    @classmethod
    def of(cls, response):
        try:
            body = response.json()
        except ValueError:
            body = None
        body = body if isinstance(body, dict) else {}
        retry_after = response.headers.get("retry-after", "")
        return cls(
            body.get("message", f"The service answered {response.status_code}."),
            status=response.status_code,
            code=body.get("code"),
            details=body.get("details"),
            request_id=response.headers.get("x-request-id"),
            retry_after=int(retry_after) if retry_after.isdigit() else None,
        )

    @property
    def worth_repeating(self):
        """Too many requests, a service that is away for a moment, a lost answer."""
        return self.status in (429, 500, 502, 503, 504) and (self.retry_after or 1) <= PATIENCE


async def call(method, path, *, token, headers=None, body=None):
    """Sends one request. A change carries an Idempotency-Key, so that repeating it never does it twice."""
    headers = {"Authorization": f"Bearer {token}", **(headers or {})}
    if method != "GET":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    for attempt in (1, 2, 3):
        try:
            response = await http.request(method, path, headers=headers, json=body)
            if response.is_success:
                return response
            error = ServiceError.of(response)
        except httpx2.TransportError as cause:
            error = ServiceError(f"The service cannot be reached: {type(cause).__name__}.")
        if attempt == 3 or not error.worth_repeating:
            raise error
        await asyncio.sleep(error.retry_after or 1)


async def or_after(codes, remedy, send):
    """Sends; if it is refused with one of these codes, does what helps, and sends once more."""
    try:
        return await send()
    except ServiceError as error:
        if error.code not in codes:
            raise
        await remedy()
        return await send()
