#!/usr/bin/env python3
"""Traces of a program that was built with the feature `otlp`: two nodes on one PostgreSQL, of which the first ends in the middle of a
sync, and a receiver of OTLP.

    tests/postgres/traces.py [--build] [PROGRAM]

The trace that the caller began has to hold the request, the whole sync, and the steps of both nodes, each below the right one; no
span has what the log must not have; a trace that is not sampled is not sent; and a receiver that is away or hangs delays neither
answers nor the end of the service. --build: of this source, into target/otlp, which takes minutes once. PROGRAM: target/otlp/debug/ordersync.
"""

import argparse
import contextlib
import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "judges")]
from cluster import Cluster  # noqa: E402
from judge import ROOT, Loopback, Service, Verdict  # noqa: E402
from small_shop import SmallShop  # noqa: E402
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse  # noqa: E402

PROGRAM = ROOT / "target/otlp/debug/ordersync"
SECRET = "canary-of-the-header"
RETAILER, USER, PASSWORD = 12, "user_items_1000", "pass_good"
PHONE = "+15550167"
#: What no span may hold.
CANARIES = [SECRET, USER, PASSWORD, PHONE, PHONE[2:], "limit=7", "ordersync_sandbox_at"]
SERVER = 2  # SPAN_KIND_SERVER


class Span:
    """A span as it was received, with the node that sent it."""

    def __init__(self, span, resource):
        self.trace, self.id, self.parent = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
        self.name, self.kind, self.failed = span.name, span.kind, span.status.code == 2
        self.began, self.ended = span.start_time_unix_nano, span.end_time_unix_nano
        self.attributes, self.resource = values(span.attributes), values(resource.attributes)
        self.node = self.resource["service.instance.id"]


def values(attributes):
    return {it.key: getattr(it.value, it.value.WhichOneof("value")) for it in attributes}


class Receiver(Loopback):
    """Takes OTLP over HTTP. `hangs`: it answers nothing until it ends."""

    def __init__(self, hangs=False):
        self.spans, self.bodies, self.refused, self.asked, self.free = [], [], 0, 0, threading.Event()
        self.hangs = hangs

    def __enter__(self):
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.asked += 1
                if receiver.hangs:
                    receiver.free.wait(120)
                    return
                if self.path != "/v1/traces" or self.headers["X-Canary"] != SECRET:
                    receiver.refused += 1
                    return self.send_error(401)
                receiver.bodies.append(body)
                for of in ExportTraceServiceRequest.FromString(body).resource_spans:
                    for scope in of.scope_spans:
                        receiver.spans.extend(Span(span, of.resource) for span in scope.spans)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.end_headers()
                self.wfile.write(ExportTraceServiceResponse().SerializeToString())

            def log_message(self, *_):
                pass

        return self.serve(Handler)

    def __exit__(self, *_):
        self.free.set()
        super().__exit__()

    def of(self, trace):
        return [span for span in list(self.spans) if span.trace == trace]


@contextlib.contextmanager
def sending_to(base, **more):
    """What services that are started meanwhile find in their environment."""
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": base, "OTEL_EXPORTER_OTLP_HEADERS": f"x-canary={SECRET}", "OTEL_BSP_SCHEDULE_DELAY": "100",
                 "OTEL_SERVICE_NAME": "orders-of-the-judge", **more}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


def new_trace():
    """A trace's id, and that of the caller's span."""
    return secrets.token_hex(16), secrets.token_hex(8)


def until(what, seen, seconds=60):
    deadline = time.monotonic() + seconds
    while not seen():
        if time.monotonic() > deadline:
            sys.exit(f"not within {seconds} s: {what}")
        time.sleep(0.05)


def tree(spans, top):
    """The spans below `top`, one a line: name, node, milliseconds since the first and its length, and what it counted."""
    nodes = list(dict.fromkeys(span.node for span in sorted(spans, key=lambda span: span.began)))
    first = min(span.began for span in spans)

    def lines(parent, depth):
        for span in sorted((span for span in spans if span.parent == parent), key=lambda span: span.began):
            told = {name.removeprefix("ordersync."): value for name, value in span.attributes.items() if not name.endswith("_id")}
            at, took = (span.began - first) // 10**6, (span.ended - span.began) // 10**6
            yield f"{'  ' * depth}{span.name:<{44 - 2 * depth}} node {nodes.index(span.node) + 1} {at:>6} ms {took:>6} ms  {told}"
            yield from lines(span.id, depth + 1)

    return lines(top, 0)


def two_nodes(verdict, receiver, program, folder, end):
    """The first node ends by this signal in the middle of a sync, and the second finishes it."""
    how, (trace, caller) = end.name, new_trace()
    with Cluster() as cluster, contextlib.ExitStack() as running:
        first, second = (Service(folder / f"{how}{number}", "--log", "json", "--rate-limit", "off", "--speed", "4", database=cluster.address(), home=folder / how,
                                 program=str(program)) for number in (1, 2))
        running.enter_context(first)
        token = first.token(PHONE)
        info, stamp = first.seal(token, {"username": USER, "password": PASSWORD})
        body = {"retailerId": RETAILER, "connectionInfo": info, "currentStamp": stamp, "mode": "CONNECT"}
        started = first.request("POST", "/sync/connections/connect", body, token=token, headers={"traceparent": f"00-{trace}-{caller}-01"})
        assert started.status == 202, started
        batch, connection = started.json["batchId"], started.json["connectionId"]
        until("the first node reads orders", lambda: any(span.attributes.get("ordersync.orders") for span in receiver.of(trace)))
        until("the request is received", lambda: any(span.kind == SERVER for span in receiver.of(trace)))
        first.process.send_signal(end)
        first.process.wait(60)
        running.enter_context(second)
        session = second.follow(token, batch)
        part = session["retailerSyncSessions"][0]
        assert part["syncStatus"] == "completed", session
        # One that no caller began, one that is not sampled, and one whose header is malformed.
        unsampled, malformed = new_trace(), new_trace()
        orders = "/sync/orders?limit=7"
        second.request("GET", orders, token=token, headers={"traceparent": f"00-{unsampled[0]}-{unsampled[1]}-00"})
        second.request("GET", orders, token=token, headers={"traceparent": f"00-{malformed[0]}-{malformed[1]}-1"})
        second.request("FOO", "/sync/nothing?limit=7", token=token)
        second.stop()
        logs = [node.log.read_text() for node in (first, second)]
    spans = receiver.of(trace)
    print(f"the first node ended by {how}:", *tree(spans, caller), sep="\n", flush=True)
    by_name = {}
    for span in spans:
        by_name.setdefault(span.name, []).append(span)
    ids = [span.id for span in spans]
    verdict.check(f"{how}: no span twice", len(ids) == len(set(ids)))
    nodes = {span.node for span in spans}
    verdict.check(f"{how}: spans of both nodes, by their name", len(nodes) == 2
                  and {span.resource["service.name"] for span in spans} == {"orders-of-the-judge"}, nodes)
    requests = [span for span in spans if span.kind == SERVER]
    if not verdict.check(f"{how}: one request, below the caller", [(it.name, it.parent) for it in requests]
                         == [("POST /sync/connections/connect", caller)], [vars(it) for it in requests]):
        return
    request, whole = requests[0], by_name.get("sync", [])
    verdict.check(f"{how}: the request has route, method and status", request.attributes.get("http.response.status_code") == 202
                  and request.attributes.get("http.route") == "/sync/connections/connect" and request.attributes.get("http.request.method") == "POST",
                  request.attributes)
    if not verdict.check(f"{how}: one sync, below the request", [it.parent for it in whole] == [request.id], [vars(it) for it in whole]):
        return
    whole = whole[0]
    rest = [span for span in spans if span not in (request, whole)]
    verdict.check(f"{how}: all else is below the sync", all(span.parent == whole.id for span in rest), [(it.name, it.parent) for it in rest])
    verdict.check(f"{how}: the second node ended it", request.node != whole.node)
    reads = by_name.get("sync.read", [])
    verdict.check(f"{how}: both nodes read", {span.node for span in reads if span.attributes.get("ordersync.orders")} == nodes)
    verdict.check(f"{how}: both nodes stored", {span.node for span in by_name.get("sync.store", [])} == nodes)
    for name in ("sync.queued", "sync.sign_in", "sync.finish"):
        verdict.check(f"{how}: {name}", len(by_name.get(name, [])) >= 1, sorted(by_name))
    verdict.check(f"{how}: it ended as the session did", whole.attributes.get("ordersync.outcome") == "completed" and not whole.failed
                  and whole.attributes.get("ordersync.items_found") == part["itemsFound"], (whole.attributes, part))
    read = sum(span.attributes.get("ordersync.items", 0) for span in reads)
    verdict.check(f"{how}: what was stored was read", read >= part["itemsFound"] > 0, (read, part["itemsFound"]))
    named = {(it.attributes.get("ordersync.batch_id"), it.attributes.get("ordersync.connection_id"), it.attributes.get("ordersync.retailer_id"))
             for it in [whole, *rest]}
    verdict.check(f"{how}: every step names the session, connection and retailer", named == {(batch, connection, RETAILER)}, named)
    # Its length is by the times in the store; it is recorded a little later.
    lasted = whole.began - 10**9 <= min(it.began for it in rest) and max(it.ended for it in rest) <= whole.ended
    verdict.check(f"{how}: the sync lasted from the first to the last of them", lasted)
    verdict.check(f"{how}: the logs of both nodes have the trace", all(f'"trace_id":"{trace}"' in log for log in logs))
    verdict.check(f"{how}: what is not sampled is not sent", not receiver.of(unsampled[0]) and not receiver.of(malformed[0]))
    begun = [span for span in receiver.spans if span.name == "GET /sync/orders"]
    verdict.check(f"{how}: a malformed header begins a trace", any(not span.parent for span in begun), [vars(it) for it in begun])
    verdict.check(f"{how}: an invented method is no name", any(span.name == "_OTHER none" for span in receiver.spans))
    found = [SECRET for log in logs if SECRET in log] + [canary for canary in CANARIES if any(canary.encode() in body for body in receiver.bodies)]
    verdict.check(f"{how}: no span and no log has a secret", not found, found)


def shop_of(verdict, receiver, program, folder):
    """A shop over HTTP: its requests are below the steps, without its address or what it shows."""
    trace, caller = new_trace()
    with SmallShop(orders=3) as shop:
        folder.mkdir()
        (folder / "retailers.toml").write_text(shop.entry(101))
        with Service(folder, "--log", "json", "--retailers", folder / "retailers.toml", program=str(program)) as service:
            token = service.token(PHONE)
            info, stamp = service.seal(token, {"username": "ann@shop.test", "password": PASSWORD})
            body = {"retailerId": 101, "connectionInfo": info, "currentStamp": stamp, "mode": "CONNECT"}
            started = service.request("POST", "/sync/connections/connect", body, token=token, headers={"traceparent": f"00-{trace}-{caller}-01"})
            assert started.status == 202, started
            part = service.follow(token, started.json["batchId"])["retailerSyncSessions"][0]
            assert part["syncStatus"] == "completed", part
        shown = [text for text in (shop.base.rpartition(":")[2], "/accounts", "ann@shop", "100001", "Lamp")
                 if any(text.encode() in body for body in receiver.bodies)]
    spans = receiver.of(trace)
    print("a shop over HTTP:", *tree(spans, caller), sep="\n", flush=True)
    steps = {span.id: span.name for span in spans if span.name in ("sync.sign_in", "sync.read")}
    asked = [span for span in spans if span.name == "retailer.request"]
    verdict.check("shop: its requests are below the steps", {steps.get(span.parent) for span in asked} == {"sync.sign_in", "sync.read"},
                  [(span.name, span.parent) for span in spans])
    answers = {(span.attributes["http.request.method"], span.attributes["http.response.status_code"]) for span in asked}
    verdict.check("shop: they have methods and statuses", {("GET", 200), ("POST", 302)} <= answers, answers)
    verdict.check("shop: no span says where it is, or what it shows", not shown, shown)


def away(verdict, program, folder, hangs):
    """A receiver that is away, or never answers."""
    how = "hangs" if hangs else "is away"
    with Receiver(hangs) as receiver, sending_to(receiver.base, OTEL_BSP_MAX_QUEUE_SIZE="64", OTEL_BSP_MAX_EXPORT_BATCH_SIZE="64"):
        if not hangs:
            receiver.server.server_close()
        with Service(folder / how.replace(" ", ""), "--log", "json", "--rate-limit", "off", program=str(program)) as service:
            token, longest = service.token(PHONE), 0
            for _ in range(300):
                began = time.monotonic()
                assert service.request("GET", "/sync/profile", token=token).status == 200
                longest = max(longest, time.monotonic() - began)
            verdict.check(f"receiver {how}: answers come at once", longest < 1, longest)
            if not hangs:
                until("the log says so", lambda: "traces cannot be sent" in service.log.read_text())
            began = time.monotonic()
            service.stop()
            took = time.monotonic() - began
            verdict.check(f"receiver {how}: the service ends soon", took < 8, took)
            log = service.log.read_text()
            verdict.check(f"receiver {how}: the log says so, once, without the secret", SECRET not in log
                          and (hangs or log.count("traces cannot be sent") == 1 and "these spans were lost" in log), log[-2000:])
            dropped = re.search(r'"dropped_span_count":(\d+)', log)
            verdict.check(f"receiver {how}: what had no room is counted", not hangs or dropped and int(dropped[1]) > 100, log[-2000:])
            print(f"the receiver {how}: longest answer {longest * 1000:.0f} ms, end after {took:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", action="store_true")
    parser.add_argument("program", nargs="?", type=pathlib.Path, default=PROGRAM)
    arguments = parser.parse_args()
    if arguments.build:
        subprocess.run(["cargo", "build", "--locked", "--quiet", "--features", "otlp", "--target-dir", ROOT / "target/otlp"], cwd=ROOT, check=True)
    if not arguments.program.exists():
        sys.exit(f"there is no {arguments.program}: build it with --build")
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for end in (signal.SIGTERM, signal.SIGKILL):
            with Receiver() as receiver, sending_to(receiver.base):
                two_nodes(verdict, receiver, arguments.program, folder, end)
                verdict.check(f"{end.name}: every request to the receiver had its header", receiver.refused == 0, receiver.refused)
        with Receiver() as receiver, sending_to(receiver.base):
            shop_of(verdict, receiver, arguments.program, folder / "shop")
        for hangs in (False, True):
            away(verdict, arguments.program, folder, hangs)
    return verdict.end("traces")


if __name__ == "__main__":
    sys.exit(main())
