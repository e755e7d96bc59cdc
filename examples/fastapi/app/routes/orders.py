"""The orders of the signed-in user: in pages, and as one CSV file."""

from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from ..orders import order_page, orders_csv
from ..pages import HEADERS, render
from ..sign_in import as_user

router = APIRouter()


@router.get("/orders")
async def orders(request: Request, page: str = "1"):
    number = max(1, int(page)) if page.isdecimal() else 1
    found = await order_page(lambda path: as_user(request.session, "GET", path), number)
    return render(request, "orders.html", {"page": number, **found})


@router.get("/orders.csv")
async def download(request: Request):
    pages = orders_csv(lambda path: as_user(request.session, "GET", path))
    # The first page comes before the headers: until then, a failure can still be shown as a page.
    first = await anext(pages)

    async def body():
        yield first
        # After that, a failure cuts the connection, so that the browser does not take half a file for a whole one.
        async for part in pages:
            yield part

    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="orders.csv"'}
    return StreamingResponse(body(), media_type="text/csv", headers=headers)
