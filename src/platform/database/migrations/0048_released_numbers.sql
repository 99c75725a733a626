-- Documents whose numbers the authority has given back, by number: a note finds the one that it modifies without reading all of its tenant's.
-- An index on few rows; it reads the table of invoices once under a lock that keeps writers out meanwhile.
create index invoices_released on invoices (tenant_id, encf, doc_id desc) where encf_released;
