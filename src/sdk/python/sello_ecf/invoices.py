"""The methods of invoices that are more than one request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from .errors import ApiError, ApiTimeoutError
from .resource import Resource, segment

if TYPE_CHECKING:
    from . import types as t

# Units: seconds. A plan counts polls, so the pauses grow.
_PAUSE_MAX = 30.0


class InvoiceMethods(Resource):
    def wait_for(self, doc_id: str, *, timeout: float = 60.0) -> t.InvoiceStatus:
        """The status of a document that is no longer pending: accepted, rejected or failed. `timeout` is in seconds.

        It polls with growing pauses; a webhook or the event feed costs no polls. Raises ApiTimeoutError, whose `doc_id` names the document.
        """
        clock = self._client.clock
        until = clock.now() + timeout
        polls = 0
        while True:
            status: t.InvoiceStatus = self._client.request("GET", "/v1/invoices/%s/status" % segment(doc_id))
            if status["status"] != "pending":
                return status
            left = until - clock.now()
            if left <= 0:
                raise ApiTimeoutError("%s is still pending after %g s" % (doc_id, timeout), doc_id=doc_id)
            clock.sleep(min(left, _PAUSE_MAX, 1.5 ** min(polls, 9)))
            polls += 1

    def _pending_when_stored(self, send: Callable[[], Any]) -> Any:
        """The result of `send`; after a 504 that says that the document is stored, the document as it is now."""
        try:
            return send()
        except ApiError as fault:
            if fault.status != 504 or not fault.problem.get("stored"):
                raise
            document = self._client.request("GET", "/v1/invoices/" + segment(str(fault.problem["docId"])))
            return {**document, "receivedAt": document["createdAt"]}
