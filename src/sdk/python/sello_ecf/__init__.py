"""Electronic tax invoices (e-CF) of the Dominican Republic and its taxpayer registry.

    from sello_ecf import Sello, build_invoice

    sello = Sello()  # SELLO_URL, SELLO_API_KEY, SELLO_CLIENT_ID, SELLO_CLIENT_SECRET
    invoice = build_invoice(
        type="32",
        company={"rnc": "990000131", "name": "EMPRESA DE DEMOSTRACION SRL"},
        lines=[{"description": "Café molido 1 lb", "quantity": "2", "unit_price": "295.00", "tax_rate": "18"}],
        prices="gross",
    )
    issued = sello.invoices.create(invoice, wait=10)
    print(issued["encf"], issued["status"])
"""

from .builder import InvoiceLine, build_invoice
from .client import Clock, Sello, SystemClock
from .download import Download
from .errors import (
    ApiConnectionError,
    ApiError,
    ApiTimeoutError,
    AuthenticationError,
    ConflictError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    RejectedError,
    SelloError,
    ServerError,
    SignatureError,
    ValidationError,
)
from .events import EventStream
from .pages import Page
from .transport import Answer, HttpTransport, Transport
from .version import __version__
from .webhooks import verify_webhook

__all__ = [
    "Answer",
    "ApiConnectionError",
    "ApiError",
    "ApiTimeoutError",
    "AuthenticationError",
    "Clock",
    "ConflictError",
    "Download",
    "EventStream",
    "HttpTransport",
    "InvoiceLine",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "RateLimitError",
    "RejectedError",
    "Sello",
    "SelloError",
    "ServerError",
    "SignatureError",
    "SystemClock",
    "Transport",
    "ValidationError",
    "__version__",
    "build_invoice",
    "verify_webhook",
]
