-- The facts of the documents that were stored before. It reads them while everybody works: about a minute for a million.
set local statement_timeout = 0;

-- Statements that store by the function as it was are waited for; the lock is released at once, so that nobody waits for what follows.
do $$ begin
	lock table invoices in share row exclusive mode;
	raise exception 'released';
exception when raise_exception then
	null;
end $$;

insert into invoice_facts (
	doc_id, tenant_id, received_at, issue_date, encf, client_request_id, customer_rnc, customer_name, currency,
	subtotal, tax, grand_total, total
)
select i.doc_id, i.tenant_id, i.received_at, f."issueDate", i.encf, i.client_request_id, f."customerRnc", f."customerName", f.currency,
	f.subtotal, f.tax, f."grandTotal", f.total
from invoices i, json_to_record(read_invoice_facts(i.doc_id, i.request, i.sums, i.signed_at)) f("issueDate" date, "customerRnc" text,
	"customerName" text, currency text, subtotal numeric, tax numeric, "grandTotal" numeric, total numeric)
order by i.received_at
on conflict do nothing;
analyze invoice_facts;
