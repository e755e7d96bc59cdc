"""Small changes of a shop's pages, each with a name: what a theme, a plug-in or an update may do overnight.

A change edits Oscar's own templates (`edits`), or what goes over the wire (`request`, `response`). None makes a page lie
without a trace: either all facts are still somewhere on the pages, or something on them shows that a fact is missing.
"""

import dataclasses
import re
from typing import Callable

LIST = "oscar/customer/order/order_list.html"
PAGER = "oscar/partials/pagination.html"
ORDER = "oscar/customer/order/order_detail.html"
PRODUCT = "oscar/catalogue/detail.html"
SIGN_IN = "oscar/customer/login_registration.html"
ACCOUNT = "oscar/customer/baseaccountpage.html"
COLUMNS = "oscar/layout_2_col.html"
BASE = "oscar/base.html"
TABS = "oscar/customer/partials/standard_tabs.html"

#: Which addresses a change of each kind has to show on.
READS = {
    "list": re.compile(r"^/accounts/orders/(\?|$)"),
    "order": re.compile(r"^/accounts/orders/\d+/"),
    "product": re.compile(r"^/catalogue/.*_\d+/"),
    "sign-in": re.compile(r"^/accounts/login/"),
}


@dataclasses.dataclass
class Change:
    name: str
    #: A key of READS, or of the platform's own.
    reads: str
    #: Template -> function from its text to another.
    edits: dict
    #: More lines of the retailer's entry.
    settings: str = ""
    #: From the path that was asked for to the one that the shop is asked for.
    request: Callable = None
    #: (path, status, body, fetch) -> (status, body); `fetch` gets another page of the same customer.
    response: Callable = None
    #: Makes a `response` that counts, anew for each sync.
    stateful: Callable = None
    #: Facts that no other page shows: they may be missing, but not wrong.
    may_lack: tuple = ()
    #: Codes of errors that fit, beside those that say that a page is not as it should be.
    codes: tuple = ()
    #: "equal": an error will not do. A code: nothing but this error will.
    must: str = ""
    #: Other syncs than usual (runs.Step).
    steps: list = None


CHANGES: list[Change] = []


def tidy(text):
    """A template without indentation and empty lines, so that an edit can name what follows what."""
    return re.sub(r"\s*\n\s*", "\n", text)


def apply(text, edit):
    """`edit`: (old, new) or ((start, end), new), all of which have to be found; or a function."""
    if callable(edit):
        return edit(text)
    old, new = edit
    if isinstance(old, tuple):
        start, end = old
        old = part(text, start, end)
    assert old in text, f"the template has no {old!r}"
    return text.replace(old, new)


def part(text, start, end):
    """From `start` to `end`, both included."""
    begin = text.index(start)
    return text[begin:text.index(end, begin) + len(end)]


def change(name, reads, template=None, *edits, more=None, **how):
    """Adds a change of one template, or of several: `more` is template -> edits."""
    assert all(other.name != name for other in CHANGES), name
    templates = {**({template: edits} if template else {}), **(more or {})}

    def editor(steps):
        def edit(text):
            for step in steps:
                text = apply(text, step)
            return text
        return edit

    CHANGES.append(Change(name, reads, {path: editor(steps) for path, steps in templates.items()}, **how))


def write(chosen, installed, folder):
    """Writes the templates of these changes below `folder`; `installed` has Oscar's own."""
    for one in chosen:
        for path, edit in one.edits.items():
            target = folder / one.name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                target.write_text(edit(tidy((installed / path).read_text())))
            except (AssertionError, ValueError) as error:
                raise SystemExit(f"{one.name}: {path}: {error}") from error


#: Changes that leave no doubt: an error would be one too many.
PLAIN = """l_only_numbers l_pager_other_query l_bodies l_comment_copy d_comment_copy d_totals_in_foot d_link_with_query d_other_class d_status_badge
    d_accounting_currency d_negative_minus_behind d_negative_long_minus
    x_date_nbsp x_date_month_first x_date_24h x_oldest_first x_foot_before_body s_more_fields s_register_first s_table s_absolute_action""".split()

from . import lists, misleading, orders, orders_more, others  # noqa: E402,F401

for one in CHANGES:
    one.must = "equal" if one.name in PLAIN else one.must
