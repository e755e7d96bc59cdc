#!/usr/bin/env python3
"""The calls of story.ts through the client of openapi-python-client; the report has the same form."""

import importlib
import json
import os
import pkgutil
import sys
import time

from joserfc import jwe
from joserfc.jwk import OctKey

import ordersync_client
from ordersync_client import AuthenticatedClient, Client, models
from ordersync_client.api.authorization import get_token
from ordersync_client.api.connections import connect, get_totp, list_connections, remove_connection
from ordersync_client.api.orders import get_order_item, list_orders
from ordersync_client.api.retailers import list_retailers
from ordersync_client.api.sandbox import sandbox_token
from ordersync_client.api.sessions import get_session, submit_mfa
from ordersync_client.api.users import create_link_token, get_share
from ordersync_client.types import UNSET


def expect(answer, kind):
    """The parsed body, which has this type."""
    assert isinstance(answer.parsed, kind), (answer.status_code, answer.content)
    return answer.parsed


def plain(value):
    return None if value is UNSET else value


def failure(answer):
    error = expect(answer, models.ApiError)
    details = error.details or models.ErrorDetails()
    told = {"connectionId": plain(details.connection_id), "field": plain(details.field)}
    return {"httpStatus": int(answer.status_code), "code": str(error.code), **{name: value for name, value in told.items() if value}}


class Calls:
    def __init__(self, base, phone):
        self.public = Client(base_url=base)
        body = models.SandboxTokenRequest(phone=phone)
        self.token = expect(sandbox_token.sync_detailed(client=self.public, body=body), models.SandboxTokenResponse).access_token
        self.at(base)

    def at(self, base):
        self.client = AuthenticatedClient(base_url=base, token=self.token)

    def connect(self, retailer, username):
        totp = expect(get_totp.sync_detailed(client=self.client), models.Totp)
        header = {"alg": "dir", "enc": "A256GCM", "kid": totp.current_stamp}
        key = OctKey.import_key({"kty": "oct", "k": totp.token})
        fields = json.dumps({"username": username, "password": "pass_good"})
        sealed = jwe.encrypt_compact(header, fields, key, algorithms=["dir", "A256GCM"])
        body = models.ConnectRequest(retailer, sealed, totp.current_stamp, models.ConnectMode.CONNECT)
        return connect.sync_detailed(client=self.client, body=body)

    def started(self, retailer, username):
        return expect(self.connect(retailer, username), models.ConnectionSyncStarted)

    def session(self, batch):
        return expect(get_session.sync_detailed(batch, client=self.client), models.Session)

    def follow(self, batch):
        answered = set()
        while True:
            session = self.session(batch)
            asked = [event for event in session.events if event.type_ == models.KnownEventType.MFA]
            if asked and asked[-1].req_id not in answered:
                answered.add(asked[-1].req_id)
                body = models.MfaSubmission(models.KnownMfaEventType.ENTER, asked[-1].req_id, otp_value="123456")
                assert expect(submit_mfa.sync_detailed(client=self.client, body=body), models.MfaAccepted).batch_id == batch
            if session.status != models.KnownSessionStatus.SYNCING:
                return session
            time.sleep(0.05)

    def connections(self):
        answer = list_connections.sync_detailed(client=self.client, limit=10)
        return [{"connectionId": one.connection_id, "status": str(one.status)} for one in expect(answer, list)]

    def csv(self, limit):
        # The client reads every answer of an operation as the first of its formats, which is JSON: of the others, it makes
        # the request, and leaves the answer to its user.
        request = list_orders._get_kwargs(limit=limit, format_=models.OrdersFormat.CSV)
        answer = self.client.get_httpx_client().request(**request)
        assert answer.status_code == 200, answer
        return answer.content.decode()

    def client_token(self, client_id, secret):
        body = models.TokenRequest(models.GrantType.CLIENT_CREDENTIALS, client_id=client_id, client_secret=secret, scope="users:share")
        return expect(get_token.sync_detailed(client=self.public, body=body), models.TokenResponse).access_token

    def share(self, machine, secret, link):
        answer = get_share.sync_detailed(client=machine, x_client_secret=secret, x_link_token=link)
        if answer.status_code != 200:
            return failure(answer)
        share = expect(answer, models.Share)
        return {"user": share.user_id, "connections": [one.connection_id for one in share.connections]}


def shown(session):
    events = [{"type": str(event.type_), "reqId": plain(event.req_id), "eventType": str(event.mfa.event_type) if event.mfa else None}
              for event in session.events]
    return {"status": str(session.status), "syncStatuses": [str(part.sync_status) for part in session.retailer_sync_sessions],
            "events": [{name: value for name, value in event.items() if value} for event in events]}


def imports_all():
    """Every module of the client, as a build would compile it."""
    for module in pkgutil.walk_packages(ordersync_client.__path__, "ordersync_client."):
        importlib.import_module(module.name)


def main():
    imports_all()
    environment = os.environ
    secret, base = environment["CLIENT_SECRET"], environment["ORDERSYNC_BASE_URL"]
    calls = Calls(base, environment["PHONE"])
    catalog = expect(list_retailers.sync_detailed(client=calls.public), list)
    first = calls.started(11, "user_mfa_enter")
    session = calls.follow(first.batch_id)
    second = calls.started(12, "user_empty")
    calls.follow(second.batch_id)
    removed = remove_connection.sync_detailed(second.connection_id, client=calls.client)
    exists = calls.connect(11, "user_good")
    orders = list_orders.sync_detailed(client=calls.client, limit=1000)
    items = expect(orders, list)
    item = expect(get_order_item.sync_detailed(items[0].id, client=calls.client), models.OrderItem)
    adjustments = None if item.order_adjustments is None else len(item.order_adjustments)
    bad = list_orders.sync_detailed(client=calls.client, limit=0)
    machine = AuthenticatedClient(base_url=base, token=calls.client_token("sandbox", secret))
    links = []
    for user in (environment["EXTERNAL_USER"], environment["EXTERNAL_USER"] + " of nobody"):
        body = models.LinkTokenRequest(external_user_id=user)
        answer = create_link_token.sync_detailed(client=machine, body=body, x_client_secret=secret)
        links.append(expect(answer, models.LinkToken).link_token)
    report = {
        "retailers": [{"id": one.retailer_id, "name": one.display_name, "connectable": one.sync_config.server_side} for one in catalog],
        "session": shown(session), "removed": int(removed.status_code), "exists": failure(exists), "connections": calls.connections(),
        "orders": [{"id": one.id, "price": one.price, "quantity": one.quantity, "orderTotal": one.order_total} for one in items],
        "item": {"id": item.id, "adjustments": adjustments}, "connectionId": first.connection_id,
        "exactOrders": orders.content.decode(), "csv": calls.csv(1000), "badRequest": failure(bad),
        "share": calls.share(machine, secret, links[0]), "nobody": calls.share(machine, secret, links[1]),
    }
    calls.at(environment["NEWER_BASE_URL"])
    newer = {"session": shown(calls.session(first.batch_id)), "connections": calls.connections(),
             "exists": failure(calls.connect(11, "user_good"))}
    json.dump({**report, "newer": newer}, sys.stdout)


main()
