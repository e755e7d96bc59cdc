"""The app's parts against a real service."""

import asyncio
import math
import re


async def connected(token, username):
    """How to read as a signed-in user with a connected retailer."""
    from app.seal import seal
    from app.sign_in import as_user

    session = {"tokens": {"access": token, "expires_at": math.inf}}
    sealed = await seal(session, {"username": username, "password": "pass_good"})
    body = {"retailerId": 12, "mode": "CONNECT", **sealed}
    batch = (await as_user(session, "POST", "/sync/connections/connect", body=body)).json()["batchId"]
    while (await as_user(session, "GET", f"/sync/sessions/{batch}")).json()["status"] == "syncing":
        await asyncio.sleep(0.1)
    return lambda path: as_user(session, "GET", path)


def test_amounts_keep_every_digit_and_a_csv_of_several_pages_has_one_header_row(token):
    async def run():
        from app.orders import order_page, orders_csv

        # Every test has a phone number of its own, so that tests can run in parallel.
        read = await connected(token("+15550142"), "user_items_1001")
        found = await order_page(read, 1)
        sent = (await read("/sync/orders")).text
        assert [str(item["price"]) for item in found["items"]] == re.findall(r'"price":([\d.]+)', sent)
        text = b"".join([part async for part in orders_csv(read)]).decode()
        assert len(re.findall(r"^Retailer,", text, re.M)) == 1
        assert len(re.findall(r"^Merribazaar,", text, re.M)) == 1001

    asyncio.run(run())
