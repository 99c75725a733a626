"""How programs use the Python SDK, for `mypy --strict`. An unused `type: ignore` is an error too, so each marks a mistake that is found."""

from decimal import Decimal
from typing import List, Optional

from sello_ecf import ApiError, Page, RejectedError, Sello, build_invoice, verify_webhook
from sello_ecf import types as t

sello = Sello(base_url="https://ecf.example.do", api_key="k", client_id="c", client_secret="s", language="es")

invoice = build_invoice(
    type="32",
    company={"rnc": "990000131", "name": "EMPRESA DE DEMOSTRACION SRL"},
    lines=[{"description": "Café", "quantity": 2, "unit_price": Decimal("295.00"), "tax_rate": "18", "kind": "good"}],
    prices="gross",
    metadata={"order": "SO-1"},
)
acknowledgement = sello.invoices.create(invoice, wait=10, scenario={"scenario": "accept"})
encf: str = acknowledgement["encf"]
rehearsal = sello.invoices.create(invoice, dry_run=True)
xml: str = rehearsal["document"]["xml"]

for listed in sello.invoices.list(status="rejected", limit=50):
    print(listed["encf"])
page: Page[t.InvoiceListItem] = sello.invoices.list(after=None)
after: Optional[str] = page.next
status: t.InvoiceStatus = sello.invoices.wait_for(acknowledgement["docId"], timeout=60)
sello.invoices.pdf(acknowledgement["docId"], format="a4").save("f.pdf")

with sello.events.stream(after="latest", types=["invoice.accepted"]) as stream:
    for event in stream:
        if event["event"] == "invoice.accepted":
            print(event["encf"], stream.cursor)

received = verify_webhook(b"{}", {"X-Service-Signature": "t=1,v1=a"}, ["whsec_a"])
if received["event"] == "sequence.low":
    print(received["tenantId"])
codes: List[str] = []
try:
    sello.webhooks.delete("id")
except RejectedError as fault:
    codes.append(fault.authority_code or "")
except ApiError as fault:
    print(fault.slug, fault.errors, fault.request_id, fault.idempotency_key)

sello.invoices.list(status="unknown")  # type: ignore[arg-type]
sello.invoices.create({"type": "32"})  # type: ignore[call-overload]
acknowledgement["docid"]  # type: ignore[typeddict-item]
sello.registry.search(q="cafe")  # type: ignore[call-arg]
sello.invoices.remove("id")  # type: ignore[attr-defined]
