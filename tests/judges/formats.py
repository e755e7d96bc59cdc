#!/usr/bin/env python3
"""Every form of an export, read back by programs that know nothing of it, and held against the items that the service gave.

Two histories: one of a scripted service, with titles and prices as odd as they may be, and one of 20,000 items in three
currencies from the simulated retailers of `serve`. Each is exported in every form and compression that `--help` lists.
CSV is read by Python and DuckDB, JSON by Python and DuckDB, Parquet by pyarrow and DuckDB, workbooks by openpyxl, gzip and
zstd by Python's gzip and zstandard and by DuckDB. All have to find the same items in the same order with the same digits,
and the same exact sums for each currency. First it shows that it would notice what it looks for.
"""

import csv
import datetime
import gzip
import io
import json
import math
import pathlib
import re
import sys
import tempfile
import urllib.parse
from decimal import Decimal, localcontext
from http.server import BaseHTTPRequestHandler

import duckdb
import openpyxl
import pyarrow
import pyarrow.parquet
import zstandard

from judge import Loopback, Service, Verdict, command

TITLES = {
    "Retailer": "retailerName", "Retailer Order ID": "orderId", "Order Date": "orderDate", "Item Name": "itemName",
    "Brand": "brandName", "Dept": "department", "Category": "category", "SubCategory": "subCategory",
    "SKU": "retailerSku", "Quantity": "quantity", "Price": "price", "Currency": "currency",
    "Shipment Status": "shipmentStatus", "Order Total": "orderTotal"}
# A workbook has the line total, too, and its times have lost their zone.
WORKBOOK = {{"Order Date": "Order Date (UTC)"}.get(title, title): field for title, field in TITLES.items()} | {
    "Line Total": "lineTotal"}
FIELDS = [
    "id", "connectionId", "retailerId", "retailerName", "orderId", "orderDate", "itemName", "brandName", "department",
    "category", "subCategory", "retailerSku", "quantity", "price", "lineTotal", "currency", "shipmentStatus", "shipmentText",
    "orderTotal", "missingSince", "updatedAt"]
DECIMALS, TIMES = ["quantity", "price", "lineTotal", "orderTotal"], ["orderDate", "missingSince", "updatedAt"]
# The currency of what a binary floating-point number cannot hold: DuckDB takes numbers of JSON for such.
LONG = "XXX"
HISTORY = {1: 12_000, 4: 5_000, 9: 3_000}

ODD_TITLES = [
    'Plain', '27" screen', '"', '""', '"quoted"', 'a, b', ',', 'two\nlines', 'two\r\nlines', 'two\rlines', '\n', '\r\n',
    '\r', 'ends with\n', '\nbegins', '"\n",\r\n"', ' blanks around ', '\ttab\t', '=1+1', '+49 screws', '-5 °C', '@SUM(A1)',
    "'quoted'", '=HYPERLINK("http://a.test","x")', '＝１', 'Öfen für Küßnacht', 'e\u0301 is not é', '電源ケーブル、三本', '👩‍👩‍👧 😀', 'כבל חשמל 3',
    'كابل', '\u202eevil\u202c', '\ufeffmark', 'zero\u200bwidth', 'line\u2028and\u2029paragraph', '\x85next', '\x7f',
    ''.join(map(chr, range(1, 32))), '\uffff\U0010ffff', 'NULL', 'null', 'None', '\\N', 'NaN', '', '007', '1E5', '3-12', 'TRUE',
    'C:\\new\\table', '\\', '\\"', '# no comment', '// no comment', '{"a":1}', '[1]', ';|\t', '%s %00', '_x000D_', '<&>]]>',
    'long ' * 6_000, 'x' * 32_767]
# No cell of a spreadsheet holds this one.
VERY_LONG_TITLE = 'Größe "XL", ' * 100_000
ODD_PRICES = [  # as written in the service's JSON
    '1.50', '"12.50"', '0', '0.00', '-0.01', '"-3.20"', '1430.710', '12345678901.2345', '0.0000000001', '1E2', '1.5e-3',
    '"7E+1"', 'null', '100', '99.99', '-0.00', '0.10', '0.20']
# Newest first. A workbook has no day before 1900-03-01, and no moment between two milliseconds.
ODD_DATES = ["2026-02-28T23:59:59Z", "2025-10-16T15:50:00+02:00", "2025-01-01T00:00:00.000001Z", "2024-02-29T00:00:01Z",
             "1999-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "1900-03-01T00:00:00Z", "1900-02-28T00:00:00Z"]
DATED = 2_400
LONG_PRICES = ['123456789012345678.1234567891', '"9007199254740993"', '1234567890123456789012345678', '-99999999999999999.99']


class Scripted(Loopback):
    """A service that lists these items, each the text of its JSON."""

    def __init__(self, items):
        self.items = items

    def __enter__(self):
        items = self.items

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                asked = {name: int(value) for name, value in urllib.parse.parse_qsl(url.query) if value.isdecimal()}
                offset = asked.get("offset", 0)
                is_list = url.path == "/sync/orders"
                page = items[offset:offset + asked.get("limit", 50)] if is_list else []
                body = f"[{','.join(page)}]".encode()
                self.send_response(200 if is_list else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("X-Total-Count", str(len(items)))
                self.send_header("RateLimit-Policy", '"unlimited"')
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return self.serve(Handler)


def odd_item(number, title, price, currency="EUR"):
    """An item, as the text of its JSON: newest first, three to a moment, odd dates and undated ones at the end."""
    moment = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc) - datetime.timedelta(minutes=number // 3)
    dates = [moment.isoformat().replace("+00:00", "Z"), *ODD_DATES]
    fields = {
        "id": f"item_{number:06}", "connectionId": "conn_1", "retailerId": 4, "retailerName": title[:40] or None,
        "orderId": f"{number:08}", "orderDate": dates[max(0, number - DATED + 1)] if number < DATED + len(ODD_DATES) else None,
        "itemName": title, "brandName": None if number % 2 else title[-40:], "department": None, "category": "a, \"b\"",
        "subCategory": "", "retailerSku": "12345678901234567890", "currency": currency, "shipmentStatus": "shipped",
        "shipmentText": title[:9], "updatedAt": "2026-11-21T19:08:03.568881Z",
        "missingSince": None if number % 5 else "2026-10-02T03:04:05.678901Z"}
    text = json.dumps(fields, ensure_ascii=number % 2 == 0)
    total = "null" if number % 11 == 0 else f"{number % 9}.{number % 100:02}0"
    return f'{text[:-1]}, "quantity": {number % 4}.5, "price": {price}, "lineTotal": {total}, "orderTotal": {price}}}'


def odd_items():
    """More than two pages, so that all that is odd stands at the begin, in the middle and at the end of one."""
    items = [
        odd_item(number, ODD_TITLES[number % len(ODD_TITLES)], ODD_PRICES[number % len(ODD_PRICES)], ["EUR", "JPY"][number % 2])
        for number in range(2_490)]
    items += [odd_item(2_490 + n, "Long", price, LONG) for n, price in enumerate(LONG_PRICES)]
    return [*items, odd_item(2_499, VERY_LONG_TITLE, "1.00")]


def parsed(text):
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def micros(moment):
    if isinstance(moment, str):
        moment = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    if isinstance(moment, datetime.datetime):
        moment = (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)
    return moment


class Reading:
    """What a program found in a file: items as dicts of text, Decimal or microseconds, and its own sums.

    `digits`: decimals have the digits of the service, else its value; `blank`: unknown values look like an
    empty text; `binary`: decimals that a binary floating-point number cannot hold are not to be expected.
    """

    def __init__(self, rows, sums=None, digits=False, blank=False, binary=False):
        self.rows, self.digits, self.blank, self.binary = rows, digits, blank, binary
        self.sums = sums if sums is not None else sums_of(rows)

    def seen(self, row, fields):
        # The service leaves out some of what is unknown.
        return tuple(self.value(name, row.get(name), row["currency"]) for name in fields)

    def value(self, name, value, currency):
        if value is None or (value == "" and (self.blank or name in DECIMALS + TIMES)):
            return None
        if name in DECIMALS:
            if self.binary and currency == LONG:
                return "long"
            value = Decimal(value)
            return format(value, "f") if self.digits else value
        if name in TIMES:
            return micros(value)
        return int(value) if name == "retailerId" else str(value)


def sums_of(rows):
    """Currency -> sums of what is known of the decimals."""
    sums = {}
    with localcontext() as context:
        context.prec = 100
        for row in rows:
            sum_ = sums.setdefault(row["currency"], [Decimal(0)] * len(DECIMALS))
            for index, name in enumerate(DECIMALS):
                sum_[index] += Decimal(row.get(name) or 0)
    return sums


def differences(expected, reading):
    """What is not as it should be; nothing where all is."""
    wrong = []
    if len(reading.rows) != len(expected):
        wrong.append(f"{len(reading.rows)} items, not {len(expected)}")
    fields = list(reading.rows[0]) if reading.rows else []
    for number, (there, wanted) in enumerate(zip(reading.rows, expected)):
        if list(there) != fields:
            wrong.append(f"item {number} has other fields: {list(there)}")
        elif (seen := reading.seen(there, fields)) != (told := reading.seen(wanted, fields)):
            one = next(index for index, pair in enumerate(zip(seen, told)) if pair[0] != pair[1])
            wrong.append(f"item {number}, {fields[one]}: {repr(seen[one])[:200]}, not {repr(told[one])[:200]}")
    # CSV has fourteen columns, without the line's total.
    summed = [index for index, name in enumerate(DECIMALS) if name in fields]
    told, seen = ({currency: [sum_[index] for index in summed] for currency, sum_ in sums.items()
                   if not (reading.binary and currency == LONG)}
                  for sums in (sums_of(expected), reading.sums))
    if seen != told:
        wrong.append(f"sums {seen}, not {told}")
    return wrong


def python_csv(_, content):
    rows = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
    assert rows[0] == list(TITLES), rows[0]
    return Reading([dict(zip(TITLES.values(), row, strict=True)) for row in rows[1:]], digits=True, blank=True)


def python_json(_, content):
    return Reading(parsed(content), digits=True)


def python_jsonl(_, content):
    assert content.endswith(b"\n") or not content
    return Reading([parsed(line) for line in content.split(b"\n")[:-1]], digits=True)


def by_duckdb(source, path, columns, **how):
    """Rows and sums of a table; the sums by DuckDB's own arithmetic. `columns`: field -> expression."""
    named = ", ".join(f"{expression} AS {name}" for name, expression in columns.items())
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW rows AS SELECT {named} FROM {source.replace('?', repr(str(path)))}")
        rows = [dict(zip(columns, row, strict=True)) for row in connection.execute("SELECT * FROM rows").fetchall()]
        sums = ", ".join(f"coalesce(sum(CAST({name} AS DECIMAL(38,10))), 0)" if name in columns else "0" for name in DECIMALS)
        sums = connection.execute(f"SELECT currency, {sums} FROM rows GROUP BY currency").fetchall()
    return Reading(rows, {row[0]: row[1:] for row in sums}, **how)


def duckdb_csv(path, _):
    source = "read_csv(?, header = true, all_varchar = true, max_line_size = 10000000)"
    return by_duckdb(source, path, {field: f'"{title}"' for title, field in TITLES.items()}, blank=True)


def duckdb_json(format):
    def read(path, _):
        # As text: its way from a number of JSON to a decimal of its own is not exact.
        types = {name: "BIGINT" if name == "retailerId" else "VARCHAR" for name in FIELDS}
        source = f"read_json(?, format = '{format}', maximum_object_size = 100000000, columns = {types})"
        return by_duckdb(source, path, {name: name for name in FIELDS}, binary=True)

    return read


def duckdb_parquet(path, _):
    return by_duckdb("read_parquet(?)", path, {name: f"epoch_us({name})" if name in TIMES else name for name in FIELDS})


def pyarrow_parquet(path, _):
    file = pyarrow.parquet.ParquetFile(path)
    types = {name: pyarrow.string() for name in FIELDS} | {"retailerId": pyarrow.int64()}
    types |= {name: pyarrow.decimal128(38, 10) for name in DECIMALS}
    types |= {name: pyarrow.timestamp("us", tz="UTC") for name in TIMES}
    there = {field.name: field.type for field in file.schema_arrow}
    assert there == types and list(there) == FIELDS, there
    for index, name in enumerate(FIELDS):
        for group in range(file.num_row_groups):
            column = file.metadata.row_group(group).column(index)
            if types[name] == pyarrow.string():
                assert column.has_dictionary_page and "RLE_DICTIONARY" in column.encodings, (name, column)
            assert column.compression == "ZSTD", (name, column)
    # A text that is there over and over is there once.
    repeated = file.metadata.row_group(0).column(FIELDS.index("connectionId"))
    assert repeated.total_uncompressed_size < repeated.num_values, repeated
    return Reading(file.read().to_pylist())


def openpyxl_xlsx(path, _):
    book = openpyxl.load_workbook(path, read_only=True)
    header, *rows = [row for sheet in book for row in sheet.iter_rows(values_only=True)]
    assert list(header) == list(WORKBOOK), header
    # Empty cells at the end of a row need not be there.
    rows = [[*map(from_cell, row), *[None] * (len(header) - len(row))] for row in rows]
    return Reading([dict(zip(WORKBOOK.values(), row, strict=True)) for row in rows], blank=True)


def from_cell(value):
    """What a cell of a workbook means: fifteen digits of a number, a moment in UTC, a text with its escapes."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=datetime.timezone.utc)
    if isinstance(value, str):
        return re.sub("_x([0-9A-F]{4})_", lambda escaped: chr(int(escaped[1], 16)), value)
    return value


# Form -> who reads it, given the path and the content without its compression. Every form that `--format` offers has to
# be here: a new one fails until it is.
READERS = {
    "csv": {"Python": python_csv, "DuckDB": duckdb_csv},
    "json": {"Python": python_json, "DuckDB": duckdb_json("array")},
    "jsonl": {"Python": python_jsonl, "DuckDB": duckdb_json("newline_delimited")},
    "parquet": {"pyarrow": pyarrow_parquet, "DuckDB": duckdb_parquet},
    "xlsx": {"openpyxl": openpyxl_xlsx},
}
UNPACKED = {
    "gzip": (".gz", gzip.decompress),
    "zstd": (".zst", lambda content: zstandard.ZstdDecompressor().decompressobj().decompress(content)),
}
# Forms that are compressed within.
PACKED = {"parquet", "xlsx"}
# Forms whose texts have an end: they have to refuse a longer one.
BOUNDED = {"xlsx": 32_767}


def offered(flag, home):
    """What `--help` lists for a flag of the export."""
    text = command("orders", "export", "--help", home=home).stdout
    block = re.search(rf"\n +--{flag} <.*?(?=\n +--|\nGlobal)", text, re.DOTALL)[0]
    return re.findall(r"\n +- (\w+):", block)


def exports(home):
    """Form, end of the name, how it is unpacked: of every file that can be made."""
    for form in offered("format", home):
        yield form, f".{form}", lambda content: content
        if form not in PACKED:
            for method in offered("compress", home):
                yield form, f".{form}{UNPACKED[method][0]}", UNPACKED[method][1]


def judge(verdict, name, expected, home, forms=READERS, **there):
    """Exports and reads a history in every form, or in these."""
    for form, suffix, unpack in exports(home):
        if form not in forms:
            continue
        path = home.parent / f"{name}{suffix}"
        ran = command("orders", "export", "--out", path, home=home, **there)
        if too_long := [item["id"] for item in expected if len(item["itemName"]) > BOUNDED.get(form, math.inf)]:
            refused = ran.returncode not in (0, 101) and not path.exists() and too_long[0] in ran.stderr
            verdict.check(f"{path.name} is refused for its longest text", refused, ran)
            continue
        if not verdict.check(f"{path.name} is made", ran.returncode == 0, ran.stderr):
            continue
        content = path.read_bytes()
        for reader, read in READERS[form].items():
            try:
                wrong = differences(expected, read(path, unpack(content)))
            except Exception as why:  # whatever a reader says of a file it cannot read
                wrong = [f"{type(why).__name__}: {str(why)[:500]}"]
            verdict.check(f"{path.name} is read by {reader}", not wrong, wrong[:3])
        print(f"  {path.name}: {len(content)} bytes, {len(expected)} items, read by {', '.join(READERS[form])}")


def self_test(verdict, expected):
    """What is wrong is noticed, whatever it is."""
    def noticed(what, change, **how):
        rows = [dict(row) for row in expected]
        verdict.check(f"it is noticed where {what}", differences(expected, Reading(change(rows) or rows, **how)))

    verdict.check("nothing is noticed where nothing is", not differences(expected, Reading(expected, digits=True)))
    noticed("an item is missing", lambda rows: rows.pop(777) and None)
    noticed("the last item is missing", lambda rows: rows.pop() and None)
    noticed("an item is there twice", lambda rows: rows.insert(5, rows[5]))
    noticed("two items are in another order", lambda rows: rows[:8] + [rows[9], rows[8]] + rows[10:])
    noticed("a price is off by the last digit", lambda rows: rows[0].update(price=rows[0]["price"] + Decimal("1e-10")))
    noticed("a price lost a zero", lambda rows: rows[0].update(price=Decimal("1.5")), digits=True)
    noticed("a title lost a line end", lambda rows: rows[8].update(itemName=rows[8]["itemName"].replace("\r", "")))
    noticed("an empty text is unknown", lambda rows: rows[44].update(itemName=None))
    noticed("a date is an hour off", lambda rows: rows[0].update(orderDate=micros(rows[0]["orderDate"]) + 3_600_000_000))
    noticed("a field is missing", lambda rows: rows[3].pop("brandName") and None)
    verdict.check("it is noticed where a sum is wrong", differences(expected, Reading(expected, sums_of(expected[1:]))))


def too_exact(verdict, home):
    """A decimal of more digits than a form holds: the file has them all, or there is none and the number is named."""
    price = "0.1234567890123456789012345678901234567890"
    with Scripted([odd_item(1, "Too exact", price)]) as service:
        for form, suffix, unpack in exports(home):
            path = home.parent / f"exact{suffix}"
            ran = command("orders", "export", "--out", path, home=home, base=service.base, token="t")
            whole = ran.returncode == 0 and any(price == value for value in texts(form, path, unpack))
            refused = ran.returncode not in (0, 101) and not path.exists() and price in ran.stderr
            verdict.check(f"{path.name} holds each digit or does not exist", whole or refused, ran)


def cells(verdict, home, columns, flags, delimiter=",", **there):
    """The rows of a CSV with these columns, as Python reads them."""
    path = home.parent / "chosen.csv"
    ran = command("orders", "export", "--out", path, "--columns", columns, *flags, home=home, **there)
    verdict.check(f"{columns} {' '.join(flags)} is made", ran.returncode == 0, ran.stderr)
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))[1:]


def one_column(verdict, expected, home, **there):
    """A column alone, with nothing in many rows: each row is still a row."""
    for field in ("brandName", "lineTotal", "missingSince", "itemName"):
        for flags in ([], ["--excel-safe"], ["--delimiter", ";", "--decimal", ","]):
            rows = cells(verdict, home, field, flags, ";" if "--delimiter" in flags else ",", **there)
            empty = sum(item.get(field) in (None, "") for item in expected)
            seen = (len(rows), sum(row == [""] for row in rows))
            verdict.check(f"{field} alone {' '.join(flags)}", seen == (len(expected), empty), (seen, len(expected), empty))


def in_another_language(verdict, expected, home, **there):
    """Semicolons and decimal commas are read back to the same amounts."""
    columns = "itemName,quantity,price,lineTotal"
    rows = cells(verdict, home, columns, ["--delimiter", ";", "--decimal", ","], ";", **there)
    seen = [[row[0], *[Decimal(cell.replace(",", ".")) if cell else None for cell in row[1:]]] for row in rows]
    decimal = lambda item, name: Decimal(item[name]) if item.get(name) is not None else None
    wanted = [[item["itemName"], *[decimal(item, name) for name in columns.split(",")[1:]]] for item in expected]
    differ = [pair for pair in zip(seen, wanted) if pair[0] != pair[1]]
    verdict.check("semicolons and decimal commas are read back", len(seen) == len(wanted) and not differ, differ[:2])


def texts(form, path, unpack):
    """The prices in a file, as text."""
    reader = next(iter(READERS[form].values()))
    return [str(row["price"]) for row in reader(path, unpack(path.read_bytes())).rows]


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        home = folder / "home"
        formats, methods = offered("format", home), offered("compress", home)
        verdict.check("every format has readers", {"csv", "json", "jsonl", "parquet"} <= set(formats) <= set(READERS), formats)
        verdict.check("every compression has a reader", set(methods) == set(UNPACKED), methods)
        if verdict.wrong:
            return verdict.end("formats")

        items = odd_items()
        expected = [parsed(item) for item in items]
        self_test(verdict, expected)
        with Scripted(items) as service:
            judge(verdict, "odd", expected, home, base=service.base, token="t")
        bounded = [form for form in BOUNDED if form in formats]
        with Scripted(items[:-1]) as service:
            judge(verdict, "shorter", expected[:-1], home, bounded, base=service.base, token="t")
            one_column(verdict, expected[:-1], home, base=service.base, token="t")
            in_another_language(verdict, expected[:-1], home, base=service.base, token="t")
        too_exact(verdict, home)

        with Service(folder / "service", "--rate-limit", "off", "--speed", "50") as service:
            token = service.token()
            for retailer, count in HISTORY.items():
                service.follow(token, service.connect(token, retailer, f"user_items_{count}").json["batchId"])
            total = sum(HISTORY.values())
            expected = []
            for offset in range(0, total, 1000):
                expected += parsed(service.request("GET", f"/sync/orders?limit=1000&offset={offset}", token=token).body)
            verdict.check("the history is there", len(expected) == total, len(expected))
            verdict.check("in three currencies", len({item["currency"] for item in expected}) == 3)
            judge(verdict, "history", expected, home, base=service.base, token=token)
    return verdict.end("formats")


if __name__ == "__main__":
    csv.field_size_limit(1 << 30)
    sys.exit(main())
