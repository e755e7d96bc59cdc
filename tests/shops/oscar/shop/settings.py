"""Minimal django-oscar project (stock apps, stock templates, stock views).
Environment: OSCAR_DB (SQLite file), OSCAR_FILES (folder for images), OSCAR_MFA=1 (django-two-factor-auth login
wizard replaces /accounts/login/; only customers who have a device are asked for a code),
OSCAR_LANG (e.g. de: pages, dates and money are localised), OSCAR_CUR, OSCAR_PAGE (orders per page of the list),
OSCAR_VARIANTS (a folder of changed templates, see variants.py; such a shop has customers of its own)."""
import os
from pathlib import Path
from oscar.defaults import *  # noqa

FILES = Path(os.environ["OSCAR_FILES"])
MFA = os.environ.get("OSCAR_MFA") == "1"
SECRET_KEY = "loopback-test-only"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
SITE_ID = 1
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3",
    "NAME": os.environ["OSCAR_DB"],
    # Two transactions that read first and write then would end one another at once, with a page that says 500.
    "OPTIONS": {"timeout": 60, "transaction_mode": "IMMEDIATE"}}}
OSCAR_ORDERS_PER_PAGE = int(os.environ.get("OSCAR_PAGE", OSCAR_ORDERS_PER_PAGE))
INSTALLED_APPS = [
    "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
    "django.contrib.sessions", "django.contrib.messages", "django.contrib.staticfiles",
    "django.contrib.sites", "django.contrib.flatpages",
    "oscar.config.Shop",
    "oscar.apps.analytics.apps.AnalyticsConfig", "oscar.apps.checkout.apps.CheckoutConfig",
    "oscar.apps.address.apps.AddressConfig", "oscar.apps.shipping.apps.ShippingConfig",
    "oscar.apps.catalogue.apps.CatalogueConfig", "oscar.apps.catalogue.reviews.apps.CatalogueReviewsConfig",
    "oscar.apps.communication.apps.CommunicationConfig", "oscar.apps.partner.apps.PartnerConfig",
    "oscar.apps.basket.apps.BasketConfig", "oscar.apps.payment.apps.PaymentConfig",
    "oscar.apps.offer.apps.OfferConfig", "oscar.apps.order.apps.OrderConfig",
    "oscar.apps.customer.apps.CustomerConfig", "oscar.apps.search.apps.SearchConfig",
    "oscar.apps.voucher.apps.VoucherConfig", "oscar.apps.wishlists.apps.WishlistsConfig",
    "oscar.apps.dashboard.apps.DashboardConfig", "oscar.apps.dashboard.reports.apps.ReportsDashboardConfig",
    "oscar.apps.dashboard.users.apps.UsersDashboardConfig", "oscar.apps.dashboard.orders.apps.OrdersDashboardConfig",
    "oscar.apps.dashboard.catalogue.apps.CatalogueDashboardConfig", "oscar.apps.dashboard.offers.apps.OffersDashboardConfig",
    "oscar.apps.dashboard.partners.apps.PartnersDashboardConfig", "oscar.apps.dashboard.pages.apps.PagesDashboardConfig",
    "oscar.apps.dashboard.ranges.apps.RangesDashboardConfig", "oscar.apps.dashboard.reviews.apps.ReviewsDashboardConfig",
    "oscar.apps.dashboard.vouchers.apps.VouchersDashboardConfig",
    "oscar.apps.dashboard.communications.apps.CommunicationsDashboardConfig",
    "oscar.apps.dashboard.shipping.apps.ShippingDashboardConfig",
    "widget_tweaks", "haystack", "treebeard", "sorl.thumbnail", "django_tables2",
    # second factor (always installed so one database serves both modes)
    "django_otp", "django_otp.plugins.otp_totp", "django_otp.plugins.otp_static", "two_factor",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
    "django.contrib.flatpages.middleware.FlatpageFallbackMiddleware",
]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [], "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.debug", "django.template.context_processors.request",
        "django.contrib.auth.context_processors.auth", "django.template.context_processors.i18n",
        "django.contrib.messages.context_processors.messages",
        "oscar.apps.search.context_processors.search_form",
        "oscar.apps.checkout.context_processors.checkout",
        "oscar.apps.communication.notifications.context_processors.notifications",
        "oscar.core.context_processors.metadata"]}}]
if os.environ.get("OSCAR_VARIANTS"):
    MIDDLEWARE.insert(0, "shop.variants.middleware")
    TEMPLATES[0]["APP_DIRS"] = False
    TEMPLATES[0]["OPTIONS"]["loaders"] = [
        ("shop.variants.Cached", ["shop.variants.FromFolder", "django.template.loaders.app_directories.Loader"])]
    # Many sign in at once: neither a slow digest nor a lock is what is looked at.
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL"
AUTHENTICATION_BACKENDS = ("oscar.apps.customer.auth_backends.EmailBackend",
                           "django.contrib.auth.backends.ModelBackend")
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
ROOT_URLCONF = "shop.urls"
WSGI_APPLICATION = "shop.wsgi.application"
STATIC_URL = "/static/"
STATIC_ROOT = FILES / "static"
MEDIA_ROOT = FILES / "media"
MEDIA_URL = "/media/"
USE_TZ = True
TIME_ZONE = "Europe/London"
USE_I18N = True
LANGUAGE_CODE = os.environ.get("OSCAR_LANG", "en-gb")
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch"), ("fr", "Français"), ("nl", "Nederlands")]
LOGIN_URL = "two_factor:login" if MFA else "customer:login"
LOGIN_REDIRECT_URL = "/accounts/"
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
OSCAR_SHOP_NAME = "Oscar Test Shop"
OSCAR_DEFAULT_CURRENCY = os.environ.get("OSCAR_CUR", "GBP")
# the order-status pipeline of Oscar's own sandbox
OSCAR_INITIAL_ORDER_STATUS = "Pending"
OSCAR_INITIAL_LINE_STATUS = "Pending"
OSCAR_ORDER_STATUS_PIPELINE = {"Pending": ("Being processed", "Cancelled"),
    "Being processed": ("Complete", "Cancelled"), "Cancelled": (), "Complete": ()}
OSCAR_LINE_STATUS_PIPELINE = OSCAR_ORDER_STATUS_PIPELINE
