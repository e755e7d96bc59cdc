#!/usr/bin/env python3
"""A person with a browser, as far as the pages without scripts need one: cookies, redirects, forms.

As a program: `person.py approve|deny URL` signs in at the sandbox, decides, and prints where the browser ends up.
"""

import html.parser
import http.cookiejar
import sys
import urllib.error
import urllib.parse
import urllib.request

PHONE = "+15550123"
PASSWORD = "424242"
STEPS = 10


class Form:
    def __init__(self, attributes):
        self.action = attributes.get("action", "")
        self.method = attributes.get("method", "get").lower()
        self.hidden, self.typed, self.buttons = {}, {}, []

    def has_button(self, name):
        return any(button == name for button, _ in self.buttons)


class Forms(html.parser.HTMLParser):
    """The forms of a page."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.inside = [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = Form(attributes)
            self.forms.append(self.inside)
        elif self.inside is None or "name" not in attributes:
            return
        elif tag == "button":
            self.inside.buttons.append((attributes["name"], attributes.get("value", "")))
        elif tag == "input" and attributes.get("type") == "hidden":
            self.inside.hidden[attributes["name"]] = attributes.get("value", "")
        elif tag == "input":
            self.inside.typed[attributes["name"]] = attributes.get("value", "")

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = None


class Outside(Exception):
    """The browser was led to another server."""


class Person:
    """Somebody who signs in with that phone, over one server's pages."""

    def __init__(self, phone=PHONE, password=PASSWORD):
        self.phone, self.password = phone, password
        self.origin = None
        person = self

        class Redirects(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, request, *rest):
                target = rest[-1]
                if urllib.parse.urlsplit(target)[:2] != person.origin:
                    raise Outside(target)
                return super().redirect_request(request, *rest)

        self.cookies = http.cookiejar.CookieJar()
        cookies = urllib.request.HTTPCookieProcessor(self.cookies)
        self.browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies, Redirects)

    def decide(self, url, decision):
        """Follows the pages from `url` on. Returns the address that the browser is led to outside, or the last page's text."""
        self.origin = urllib.parse.urlsplit(url)[:2]
        try:
            where, text = self.get(url)
            for _ in range(STEPS):
                form, fields = self.next_form(Forms(text).forms, decision)
                if form is None:
                    return text
                where, text = self.submit(where, form, fields)
        except Outside as outside:
            return str(outside)
        raise AssertionError(f"the pages lead nowhere: {where}: {text}")

    def next_form(self, forms, decision):
        for name, value in (("code", self.password), ("phone", self.phone)):
            for form in forms:
                if name in form.typed:
                    return form, {name: value}
        for form in forms:
            if form.has_button("decision"):
                return form, {"decision": decision}
        return None, None

    def get(self, url):
        return self.read(urllib.request.Request(url))

    def submit(self, where, form, fields):
        assert form.method == "post", form.method
        body = urllib.parse.urlencode({**form.hidden, **form.typed, **fields}).encode()
        return self.read(urllib.request.Request(urllib.parse.urljoin(where, form.action), body))

    def read(self, request):
        with self.browser.open(request, timeout=30) as response:
            return response.url, response.read().decode()


def main():
    decision, url = sys.argv[1:]
    assert decision in ("approve", "deny"), decision
    print(Person().decide(url, decision))


if __name__ == "__main__":
    main()
