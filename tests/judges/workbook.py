#!/usr/bin/env python3
"""The workbook of `orders export --format xlsx`, as openpyxl and LibreOffice read it, held against the items as the
service sent them: every row, every digit, every moment, every letter.

    workbook.py [--office]      with LibreOffice, too: soffice --convert-to csv
"""

import argparse
import csv
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openpyxl

from judge import Verdict, binary, clean_environment

TEXTS = ["=1+1", "@SUM(A1)", "007", "1E5", "TRUE", "Mar 1", "Kabel \"ü\", 2\n<b>&amp;</b> 😀", " before and after ", "\ttab",
         "_x000D_ as a text, and _x0041_", "12345678901234567890", "ü" * 32767, "x" * 300, "a\r\nb", "nul \u0000, \u001f",
         "\ufffe\uffff", "'", "[Content]", "two  spaces", "\n"]
NUMBERS = ["0", "1.50", "-12.00", "1430.71", "123456789012345", "0.000001", "1234567890123.45", "12345678901234.56",
           "123456789012345678", "79228162514264337593543950335", None]
DATES = ["2025-10-16T13:50:00Z", "2026-02-28T23:59:59Z", "1999-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z",
         "2025-10-16T15:50:00+02:00", "2024-02-29T00:00:01Z", "1900-03-01T00:00:00Z", "1900-02-28T00:00:00Z",
         "2025-01-01T00:00:00.000001Z"]
COUNT = 2500
TITLES = {"itemName": "Item Name", "price": "Price", "orderTotal": "Order Total", "orderDate": "Order Date (UTC)",
          "retailerSku": "SKU"}
COLUMNS = ["id", "retailerId", *TITLES]


def items():
    """Newest first, as a service lists them."""
    made = []
    for number in range(COUNT):
        pick = lambda of: of[number % len(of)]
        made.append({
            "retailerId": number % 7 + 1, "retailerSku": f"{number:08}", "itemName": pick(TEXTS), "price": pick(NUMBERS),
            "orderTotal": f"{number}.{number % 100:02}", "orderDate": pick(DATES)})
    # What has many seconds tells whether all of them are exact.
    start = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    for number, item in enumerate(made[len(DATES) * 3:]):
        item["orderDate"] = (start + datetime.timedelta(seconds=number * 86_399)).isoformat()
    made.sort(key=lambda item: moment(item["orderDate"]), reverse=True)
    for number, item in enumerate(made):
        item["id"] = f"item_{number:06}"
    made[-1]["orderDate"] = None
    return made


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Listing(BaseHTTPRequestHandler):
    listed = []

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        offset, limit = (int(query.get(name, ["0"])[0]) for name in ("offset", "limit"))
        body = json.dumps(self.listed[offset:offset + limit]).encode()
        self.send_response(200)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", len(body)),
                            ("X-Total-Count", len(self.listed))):
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def is_exact(text):
    """Whether fifteen digits hold it."""
    digits = text.lstrip("-").split(".")
    return len(digits[0].lstrip("0") + "".join(digits[1:]).rstrip("0")) <= 15


def plain(text):
    """As an XML reader that knows nothing of `_x000D_` sees the text of a cell."""
    out = []
    for at, one in enumerate(text):
        looks = one == "_" and text[at + 1:at + 2] == "x" and text[at + 6:at + 7] == "_"
        odd = ord(one) in (0xFFFE, 0xFFFF) or (ord(one) < 32 and one not in "\t\n")
        out.append(f"_x{ord(one):04X}_" if odd or looks else one)
    return "".join(out)


def expected(item, column):
    """What openpyxl makes of the cell."""
    value = item[column]
    if value is None:
        return None
    if column == "orderDate":
        at = moment(value).astimezone(datetime.timezone.utc).replace(tzinfo=None)
        if at.microsecond % 1000 or at < datetime.datetime(1900, 3, 1):
            return value
        return at
    if column in ("price", "orderTotal"):
        return Decimal(value) if is_exact(value) else value
    return plain(value) if column == "itemName" else value


def by_openpyxl(verdict, path, listed):
    book = openpyxl.load_workbook(path)
    sheet = book["Orders"]
    verdict.check("one sheet, whose header stays", book.sheetnames == ["Orders"] and sheet.freeze_panes == "A2")
    rows = sheet.iter_rows()
    header = next(rows)
    verdict.check("the header", [cell.value for cell in header] == [TITLES.get(name, name) for name in COLUMNS])
    verdict.check("the header is bold", all(cell.font.b for cell in header))
    count = 0
    for item, row in zip(listed, rows):
        count += 1
        for column, cell in zip(COLUMNS, row):
            wanted, seen = expected(item, column), cell.value
            if isinstance(wanted, Decimal):
                # Fifteen digits name one float, and it names them.
                same = cell.data_type == "n" and float(wanted) == seen and Decimal(f"{seen:.15g}") == wanted
            else:
                same = type(seen) is type(wanted) and seen == wanted
                same = same and cell.data_type != "f"
            if not same:
                verdict.check(f"{item['id']} {column}", False, (wanted, seen, cell.data_type))
    verdict.check("every row", count == len(listed) and next(rows, None) is None, count)


def by_office(verdict, path, folder, listed):
    # 44,34,76: commas, quotes, UTF-8; formatted as shown is off, so that numbers keep their digits.
    ran = subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to",
         "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false", "--outdir", folder, path],
        capture_output=True, text=True, timeout=300)
    verdict.check("LibreOffice opens it", ran.returncode == 0, ran.stderr)
    with open(folder / "orders.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    verdict.check("LibreOffice has every row", len(rows) == len(listed) + 1, len(rows))
    for item, row in zip(listed, rows[1:]):
        for column, seen in zip(COLUMNS, row):
            wanted = expected(item, column)
            if isinstance(wanted, Decimal):
                same = Decimal(seen) == wanted
            elif isinstance(wanted, datetime.datetime):
                same = datetime.datetime.fromisoformat(seen) == wanted
            elif column == "itemName":
                # Line ends are LibreOffice's own matter.
                same = seen.replace("\r\n", "\n") == item[column].replace("\r\n", "\n")
            else:
                same = seen == str(wanted if wanted is not None else "")
            if not same:
                verdict.check(f"LibreOffice: {item['id']} {column}", False, (wanted, seen))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--office", action="store_true", help="let LibreOffice read it, too")
    arguments = parser.parse_args()
    verdict = Verdict()
    Listing.listed = items()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Listing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            surroundings = dict(clean_environment(), ORDERSYNC_HOME=str(folder / "home"), ORDERSYNC_TOKEN="tok",
                                ORDERSYNC_BASE_URL=f"http://127.0.0.1:{server.server_port}")
            ran = subprocess.run(
                [binary(), "orders", "export", "--out", folder / "orders.xlsx", "--columns", ",".join(COLUMNS)],
                env=surroundings, capture_output=True, text=True)
            if verdict.check("the export ends well", ran.returncode == 0, ran.stderr):
                by_openpyxl(verdict, folder / "orders.xlsx", Listing.listed)
                if arguments.office:
                    by_office(verdict, folder / "orders.xlsx", folder, Listing.listed)
    finally:
        server.shutdown()
        server.server_close()
    return verdict.end("workbook")


if __name__ == "__main__":
    sys.exit(main())
