"""Retailers: in the widget, as the back end sees them, and connected in this app's own pages."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse

from .. import config
from ..link import as_shared, create_link
from ..orders import order_page
from ..pages import Form, render
from ..seal import seal
from ..service import ServiceError
from ..sign_in import as_user
from .syncs import start

router = APIRouter()


@router.get("/widget")
async def widget(request: Request):
    """The widget in a frame. It reports to shared/widget.js."""
    context = {"service": config.SERVICE, "link_token": await create_link(request.session)}
    return render(request, "widget.html", context)


@router.post("/widget")
async def widget_page(request: Request):
    """The widget as a page of its own. It leads back to /back."""
    link_token = await create_link(request.session, return_url=f"{config.APP_URL}/back")
    return RedirectResponse(f"{config.SERVICE}/widget?link_token={link_token}", 303)


@router.get("/back")
async def back(request: Request):
    """Back from the widget. What its address says is a hint; what counts is what the service says."""
    share = (await as_shared(request.session, "/v1/users/share")).json()
    if share["user_id"] != request.session["user"]["id"]:
        problem = {
            "title": "You used another phone number there",
            "text": "Your retailers were opened with another number than the one that you signed in with here. Sign out, "
            "and sign in with that number.",
        }
        return render(request, "problem.html", problem, 409)
    request.session["notice"] = f"Retailers that you share with this app: {len(share['connections'])}."
    return RedirectResponse("/", 303)


@router.get("/shared")
async def shared(request: Request):
    """What the back end reads without the user's token: what is shared, and its newest line items."""

    async def read(path):
        return await as_shared(request.session, path)

    share = (await read("/v1/users/share")).json()
    return render(request, "shared.html", {"share": share, **await order_page(read, 1)})


@router.get("/connections/{connection_id}")
async def connection(request: Request, connection_id: str):
    found = await as_user(request.session, "GET", f"/sync/connections/{connection_id}")
    return render(request, "connection.html", {"connection": found.json()})


@router.get("/connect")
async def catalog(request: Request):
    return render(request, "retailers.html", {"retailers": await all_retailers(request)})


@router.get("/connect/{retailer_id}")
async def credentials(request: Request, retailer_id: str, fix: str | None = None):
    mode = "CONNECT" if fix is None else "FIX"
    return render(request, "credentials.html", {"retailer": await in_catalog(request, retailer_id), "mode": mode})


@router.post("/connect/{retailer_id}")
async def connect(request: Request, retailer_id: str, form: Form):
    retailer = await in_catalog(request, retailer_id)
    fields = {field["name"]: form.get(f"field_{field['name']}", "") for field in retailer["credentialFields"]}
    sealed = await seal(request.session, fields)
    mode = "FIX" if form.get("mode") == "FIX" else "CONNECT"
    body = {"retailerId": retailer["retailerId"], "mode": mode, **sealed}
    try:
        return await start(request, "/sync/connections/connect", body)
    except ServiceError as error:
        if error.code != "CONNECTION_EXISTS":
            raise
    request.session["notice"] = "You have connected this retailer. Enter the credentials again to repair the connection."
    return RedirectResponse(f"/connect/{retailer['retailerId']}?fix", 303)


async def all_retailers(request):
    return (await as_user(request.session, "GET", "/sync/retailers")).json()


async def in_catalog(request, retailer_id):
    for retailer in await all_retailers(request):
        if str(retailer["retailerId"]) == retailer_id and retailer["syncConfig"]["serverSide"]:
            return retailer
    raise ServiceError("There is no such retailer.", status=404, code="NOT_FOUND")
