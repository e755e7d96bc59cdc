"""The app: what holds for every page, and its routes. Every page works without JavaScript, except for what the widget's
frame reports (shared/widget.js)."""

from pathlib import Path

from fastapi import Depends, FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.staticfiles import StaticFiles
from starsessions import InMemoryStore, SessionAutoloadMiddleware, SessionMiddleware

from . import config
from .pages import SignedOut, checked, render, signed_in
from .problems import problem_page
from .routes import account, orders, retailers, syncs
from .service import ServiceError

SECURE = config.APP_URL.startswith("https:")
SHARED = Path(__file__).parents[2] / "shared"

# No documentation pages: this is no API. Every form has to be ours (pages.checked).
app = FastAPI(openapi_url=None, dependencies=[Depends(checked)])
app.add_middleware(SessionAutoloadMiddleware)
# Sessions are in memory, which is enough for one process. Give starsessions a store of yours for more than that.
app.add_middleware(
    SessionMiddleware,
    store=InMemoryStore(),
    cookie_name="__Host-session" if SECURE else "fastapi-session",
    cookie_same_site="lax",
    cookie_https_only=SECURE,
)
app.mount("/shared", StaticFiles(directory=SHARED))

app.include_router(account.router)
# These are for somebody who is signed in.
for routes in (retailers, syncs, orders):
    app.include_router(routes.router, dependencies=[Depends(signed_in)])


@app.exception_handler(SignedOut)
async def signed_out(request, error):
    return RedirectResponse("/", 303)


@app.exception_handler(ServiceError)
@app.exception_handler(HTTPException)
@app.exception_handler(Exception)
async def problem(request, error):
    return problem_page(request, error, render)
