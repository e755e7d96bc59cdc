"""Ways to break what a shop answers, whatever it runs on. A response changes (path, status, body, fetch) into (status, body) or
(status, body, headers); None: the connection is dropped."""

import threading

HTML = "<!DOCTYPE html><html lang='en-gb'><head><title>{0}</title></head><body><h1>{0}</h1>{1}</body></html>"
ANSWERS = {
    "404": (404, HTML.format("Not found", "")),
    "410": (410, HTML.format("Gone", "")),
    "403": (403, HTML.format("Forbidden", "<p>Your address was blocked.</p>")),
    "500": (500, HTML.format("Server error", "")),
    "503": (503, HTML.format("Unavailable", ""), {"Retry-After": "1"}),
    "429": (429, HTML.format("Too many requests", ""), {"Retry-After": "1"}),
    "empty": (200, ""),
    "json": (200, '{"error": "internal"}', {"Content-Type": "application/json"}),
    "captcha": (200, HTML.format("One more step", '<form id="challenge-form" action="/captcha/"><div class="g-recaptcha" data-sitekey="x"></div><p>Please verify that you are human.</p></form>')),
    "maintenance": (200, HTML.format("We'll be back soon", "<p>The shop is being updated. Please try again later.</p>")),
}


def at(hit, instead):
    """A response that changes the pages that `hit` names; `instead(path, status, body, fetch)`."""
    return lambda path, status, body, fetch: instead(path, status, body, fetch) if hit(path) else (status, body)


def cut_at_share(percent):
    return lambda path, status, body, fetch: (status, body[:len(body) * percent // 100])


def ends_every(count, needs_sign_in, instead):
    """The shop ends the sign-in at every `count`th page that needs one. `instead`: what it answers then."""
    class Ends:
        def __init__(self):
            self.lock, self.left = threading.Lock(), count

        def __call__(self, path, status, body, fetch):
            if not needs_sign_in(path):
                return status, body
            with self.lock:
                self.left -= 1
                if self.left > 0:
                    return status, body
                self.left = count
            return instead(path, status, body, fetch)
    return Ends


def fails_once(hit, answer):
    class Once:
        def __init__(self):
            self.lock, self.done = threading.Lock(), False

        def __call__(self, path, status, body, fetch):
            with self.lock:
                if self.done or not hit(path):
                    return status, body
                self.done = True
            return answer
    return Once
