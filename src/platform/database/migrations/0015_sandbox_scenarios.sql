-- What is to happen to an invoice of a sandbox, as its caller has asked. Written with the invoice, read by whoever sends it; empty
-- outside the sandboxes. New table: no lock on anything, no time.
create table sandbox_scenarios (
	doc_id uuid primary key references invoices,
	scenario json not null
);
