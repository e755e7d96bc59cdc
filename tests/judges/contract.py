#!/usr/bin/env python3
"""Checks openapi.yaml and openapi-pages.yaml themselves: valid OpenAPI 3.1, every piece says where it comes from, every status
that is served is listed, and nothing is in openapi.yaml that a generator of clients stumbles over (its header has the rules).

Needs: openapi-spec-validator (and the YAML reader that comes with it).
"""

import pathlib
import sys

import yaml
from openapi_spec_validator import validate

ROOT = pathlib.Path(__file__).resolve().parents[2]
API, PAGES = ROOT / "openapi.yaml", ROOT / "openapi-pages.yaml"
METHODS = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}
ORIGINS = {"spec", "fact", "ours"}
#: What every operation may answer: the request names no host or an unknown parameter, comes from another site's page, fails.
ALWAYS = {"400", "403", "500", "504"}
#: Keywords that generators drop, or make types of that do not compile.
BREAKING = ("allOf", "oneOf", "const", "if", "then", "else", "not", "dependentRequired", "dependentSchemas", "patternProperties",
            "unevaluatedProperties", "prefixItems")
#: Names that a client's language has given away.
TAKEN = {"Any", "Array", "AuthenticatedClient", "Blob", "Boolean", "Client", "Date", "Enum", "Errors", "Error", "Event", "File", "FormData",
         "Function", "Headers", "List", "Map", "Number", "Object", "Options", "Promise", "Record", "Request", "Response", "Set", "String",
         "Symbol", "Type", "Union", "Unset"}
#: The largest integer that every reader of JSON keeps.
SAFE = 2**53 - 1


def is_open(schema):
    """Whether the schema is `anyOf` known values and any text."""
    return any(choice == {"type": "string"} for choice in schema.get("anyOf", []))


def named(reference):
    return reference.rsplit("/", 1)[1]


class Contract:
    def __init__(self, path):
        self.path, self.document, self.wrong = path, yaml.safe_load(path.read_text()), []
        validate(self.document, base_uri=path.as_uri())
        self.components = self.document["components"]
        self.operations = {f"{method.upper()} {path}": operation for path, item in self.document["paths"].items()
                           for method, operation in item.items() if method in METHODS}

    def complain(self, where, what):
        self.wrong.append(f"{self.path.name}: {where}: {what}")

    # Where everything comes from, and what it lists

    def origin(self, where, thing):
        if "$ref" not in thing and thing.get("x-origin") not in ORIGINS:
            self.complain(where, "no x-origin")

    def response(self, where, thing):
        self.origin(where, thing)
        if "$ref" not in thing and "X-Request-Id" not in thing.get("headers", {}):
            self.complain(where, "no X-Request-Id")
        for name, header in thing.get("headers", {}).items():
            self.origin(f"{where} {name}", header)

    def properties(self, schema, where):
        for name, sub in schema.get("properties", {}).items():
            # A property that only refers to a schema still says whose idea it is to have it there.
            if sub.get("x-origin") not in ORIGINS:
                self.complain(f"{where}.{name}", "no x-origin")

    def check_pieces(self):
        for path, item in self.document["paths"].items():
            for parameter in item.get("parameters", []):
                self.origin(f"{path} {parameter.get('name')}", parameter)
        for where, operation in self.operations.items():
            self.origin(where, operation)
            if "x-scope" not in operation:
                self.complain(where, "no x-scope")
            if missing := ALWAYS - operation["responses"].keys():
                self.complain(where, f"does not list {', '.join(sorted(missing))}")
            # The callers of pages are browsers: a 401 there is about a link, and no token.
            is_page = self.path == PAGES
            if not is_page and (operation.get("security") == []) != ("401" not in operation["responses"]):
                self.complain(where, "401 belongs to what needs a token, and to nothing else")
            for parameter in operation.get("parameters", []):
                self.origin(f"{where} {parameter.get('name')}", parameter)
            for status, answer in operation["responses"].items():
                self.response(f"{where} {status}", answer)
        for kind in ("parameters", "headers"):
            for name, thing in self.components.get(kind, {}).items():
                self.origin(f"{kind} {name}", thing)
        for name, thing in self.components["responses"].items():
            self.response(f"responses {name}", thing)
        for name, schema in self.components["schemas"].items():
            self.properties(schema, f"schemas {name}")

    # What generators of clients can read

    def check_for_generators(self):
        for name, schema in self.components["schemas"].items():
            self.check_schema(f"schemas {name}", schema, is_named=True)
            if name in TAKEN:
                self.complain(f"schemas {name}", "the name means something else in a client's language")
        for name, parameter in self.components["parameters"].items():
            self.check_schema(f"parameters {name}", parameter["schema"])
        answers = [(f"responses {name}", answer) for name, answer in self.components["responses"].items()]
        for where, operation in self.operations.items():
            if not operation.get("operationId", "").isalnum():
                self.complain(where, "no operationId of letters")
            for kind, body in operation.get("requestBody", {}).get("content", {}).items():
                self.check_schema(f"{where} {kind}", body["schema"])
            for parameter in operation.get("parameters", []):
                if "schema" in parameter:
                    self.check_schema(f"{where} {parameter['name']}", parameter["schema"])
            answers += [(f"{where} {status}", answer) for status, answer in operation["responses"].items() if "$ref" not in answer]
        for where, answer in answers:
            for kind, body in answer.get("content", {}).items():
                self.check_schema(f"{where} {kind}", body["schema"])
            is_error = "ApiError" in str(answer.get("content")) and "OAuthError" not in str(answer.get("content"))
            if is_error != bool(answer.get("x-codes")):
                self.complain(where, "an ApiError lists its codes in x-codes, and nothing else does")
            known = self.components["schemas"]["KnownErrorCode"]["enum"]
            for code in set(answer.get("x-codes", [])) - set(known):
                self.complain(where, f"there is no code {code}")
        self.check_enumerations()

    def check_schema(self, where, schema, is_named=False):
        """A schema in its place: unless `is_named`, it is a reference, a plain value, or an array of a reference."""
        kinds = schema.get("type", [])
        kinds = {kinds} if isinstance(kinds, str) else set(kinds)
        for word in BREAKING:
            if word in schema:
                self.complain(where, f"{word}: say it in words, or with a schema of its own")
        if "object" in kinds or "properties" in schema:
            if not is_named:
                self.complain(where, "an object without a name: give it a schema of its own")
            if "object" not in kinds:
                self.complain(where, "properties without type: object")
            if "properties" not in schema and "additionalProperties" not in schema:
                self.complain(where, "an object without properties has additionalProperties")
        if set(schema.get("required", [])) - schema.get("properties", {}).keys():
            self.complain(where, "requires what is not among its properties")
        if "enum" in schema and (not is_named or kinds != {"string"}):
            self.complain(where, "an enumeration is a schema of its own, of type string")
        for bound in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "default"):
            if isinstance(schema.get(bound), int) and abs(schema[bound]) > SAFE:
                self.complain(where, f"{bound} is beyond 2^53 - 1")
        if kinds == {"array"} or "array" in kinds:
            self.check_schema(f"{where}[]", schema["items"])
        for name, sub in schema.get("properties", {}).items():
            if "default" in sub:
                self.complain(f"{where}.{name}", "a default makes the member required for some generators: say it in words")
            self.check_schema(f"{where}.{name}", sub)
        if isinstance(schema.get("additionalProperties"), dict):
            self.check_schema(f"{where}{{}}", schema["additionalProperties"])
        for choice in schema.get("anyOf", []):
            self.check_schema(f"{where}|", choice)
        if not any(word in schema for word in ("$ref", "type", "anyOf", *BREAKING)):
            self.complain(where, "no type")

    def references(self, thing):
        """The names of the schemas that are referred to, by way of named responses and parameters, too."""
        if isinstance(thing, dict):
            reference = thing.get("$ref")
            if reference and "/schemas/" in reference:
                yield named(reference)
            elif reference:
                _, kind, name = reference.rsplit("/", 2)
                yield from self.references(self.components[kind][name])
            for key, sub in thing.items():
                if key != "links":
                    yield from self.references(sub)
        elif isinstance(thing, list):
            for sub in thing:
                yield from self.references(sub)

    def reachable(self, things):
        found, waiting = set(), list(self.references(things))
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                waiting += self.references(self.components["schemas"][name])
        return found

    def check_enumerations(self):
        """What a response alone shows refers to no closed enumeration, and allows more members than are listed."""
        schemas = self.components["schemas"]
        asked = self.reachable([[operation.get("requestBody"), operation.get("parameters")] for operation in self.operations.values()])
        told = self.reachable([operation["responses"] for operation in self.operations.values()]) - asked
        closed = {name for name, schema in schemas.items() if "enum" in schema}
        for name in closed:
            if f"Known{name}" in schemas:
                self.complain(f"schemas {name}", f"is anyOf Known{name} and type: string")
        for name in told:
            schema = schemas[name]
            if schema.get("additionalProperties") is False:
                self.complain(f"schemas {name}", "a response may get more members: no additionalProperties: false")
            if not is_open(schema):
                for enumeration in closed & set(self.references(schema)):
                    self.complain(f"schemas {name}", f"a response may get more values: refer to anyOf {enumeration} and type: string")
        for name, schema in schemas.items():
            if is_open(schema) and {named(choice["$ref"]) for choice in schema["anyOf"] if "$ref" in choice} != {f"Known{name}"}:
                self.complain(f"schemas {name}", f"an enumeration that may grow is anyOf Known{name} and type: string")
        for name in schemas.keys() - asked - told:
            self.complain(f"schemas {name}", "is used by nothing")


def main():
    api, pages = Contract(API), Contract(PAGES)
    api.check_pieces()
    api.check_for_generators()
    pages.check_pieces()
    for line in api.wrong + pages.wrong:
        print(line, file=sys.stderr)
    wrong = len(api.wrong) + len(pages.wrong)
    print(f"openapi.yaml: {len(api.operations)} operations, openapi-pages.yaml: {len(pages.operations)}, {wrong} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
