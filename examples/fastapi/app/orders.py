"""Orders: a page for people, and everything as CSV."""

import json
import math
from decimal import Decimal

from .service import ServiceError

PAGE = 50
CSV_PAGE = 1000


async def order_page(read, page):
    """A page of line items, with exact decimals. `read` is as_user or as_shared, for one session."""
    response = await read(f"/sync/orders?limit={PAGE}&offset={(page - 1) * PAGE}")
    items = json.loads(response.text, parse_float=Decimal)
    total = int(response.headers["x-total-count"])
    return {"items": items, "total": total, "pages": max(1, math.ceil(total / PAGE))}


async def orders_csv(read):
    """All line items as CSV, page by page. Fails if the list changes meanwhile: rows would be missing or doubled."""
    offset, total, version = 0, 1, None
    while offset < total:
        response = await read(f"/sync/orders?format=csv&limit={CSV_PAGE}&offset={offset}")
        total = int(response.headers["x-total-count"])
        version = version or response.headers["x-list-version"]
        if response.headers["x-list-version"] != version:
            raise ServiceError("The orders changed during the download. Start it again.")
        # Every page has the header row; it has no line break within.
        yield response.content if offset == 0 else response.content.partition(b"\n")[2]
        offset += CSV_PAGE
