-- Notes by the document that they modify: what earlier notes have left of it is asked whenever another one comes.
-- An index on few rows; it takes a short lock on the table of invoices.
create index invoices_notes_by_reference on invoices (tenant_id, (request::jsonb #>> '{reference,encf}'))
	where type in ('33', '34');
