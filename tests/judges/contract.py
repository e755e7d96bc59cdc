#!/usr/bin/env python3
"""Checks openapi.yaml itself: valid OpenAPI 3.1, and every piece says where it comes from.

Every operation, parameter, header, response and property carries `x-origin: spec|fact|ours`; every operation says
which scope it needs; every response of the service names its request.
Needs: openapi-spec-validator (and the YAML reader that comes with it).
"""

import pathlib
import sys

import yaml
from openapi_spec_validator import validate

CONTRACT = pathlib.Path(__file__).resolve().parents[2] / "openapi.yaml"
METHODS = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}
ORIGINS = {"spec", "fact", "ours"}


def schemas_within(schema, where):
    """Yields (where, property) for each property of a schema, however deep."""
    for name, sub in schema.get("properties", {}).items():
        yield f"{where}.{name}", sub
        yield from schemas_within(sub, f"{where}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from schemas_within(schema["items"], f"{where}[]")


def main():
    contract = yaml.safe_load(CONTRACT.read_text())
    validate(contract)
    wrong = []

    def origin(where, thing):
        if "$ref" not in thing and thing.get("x-origin") not in ORIGINS:
            wrong.append(f"{where}: no x-origin")

    def response(where, thing):
        origin(where, thing)
        if "$ref" not in thing and "X-Request-Id" not in thing.get("headers", {}):
            wrong.append(f"{where}: no X-Request-Id")
        for name, header in thing.get("headers", {}).items():
            origin(f"{where} {name}", header)

    for path, item in contract["paths"].items():
        for parameter in item.get("parameters", []):
            origin(f"{path} {parameter.get('name')}", parameter)
        for method, operation in item.items():
            if method not in METHODS:
                continue
            where = f"{method.upper()} {path}"
            origin(where, operation)
            if "x-scope" not in operation:
                wrong.append(f"{where}: no x-scope")
            # The callers of pages are browsers: a 401 there is about a link, and no token.
            is_page = "pages" in operation["tags"]
            if not is_page and (operation.get("security") == []) != ("401" not in operation["responses"]):
                wrong.append(f"{where}: 401 belongs to what needs a token, and to nothing else")
            for parameter in operation.get("parameters", []):
                origin(f"{where} {parameter.get('name')}", parameter)
            for status, answer in operation["responses"].items():
                response(f"{where} {status}", answer)

    components = contract["components"]
    for kind in ("parameters", "headers"):
        for name, thing in components[kind].items():
            origin(f"{kind} {name}", thing)
    for name, thing in components["responses"].items():
        response(f"responses {name}", thing)
    for name, schema in components["schemas"].items():
        for where, thing in schemas_within(schema, name):
            # A property that only refers to a schema still says whose idea it is to have it there.
            if thing.get("x-origin") not in ORIGINS:
                wrong.append(f"schemas {where}: no x-origin")

    for line in wrong:
        print(line, file=sys.stderr)
    operations = sum(method in METHODS for item in contract["paths"].values() for method in item)
    print(f"openapi.yaml: {operations} operations, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
