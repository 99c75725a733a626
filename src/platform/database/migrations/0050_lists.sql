-- Lists read what they show: a company's documents in the order of their receipt, and those that are not accepted, which are few, by status;
-- the deliveries of a document. Each index reads its table once under a lock that keeps writers out until all are there, some seconds for a
-- million rows; reading goes on.
set local statement_timeout = 0;

create index deliveries_of_document on deliveries (doc_id, id);
create index invoices_by_receipt on invoices (tenant_id, received_at, doc_id);
create index invoices_by_status on invoices (tenant_id, status, received_at, doc_id) where status <> 'accepted';
