-- The facts of the documents that were stored before. It reads them while requests go on: about a minute for a million.
set local statement_timeout = 0;

-- Twice: a statement that began with the function as it was may come to the table only after the first round.
do $$ begin
	for round in 1..2 loop
		if round = 2 then
			exit when not exists (select from invoices);
			perform pg_sleep(0.5);
		end if;
		-- Statements that store by the function as it was are waited for; the lock is released at once, so that no request waits for what follows.
		begin
			lock table invoices in share row exclusive mode;
			raise exception 'released';
		exception when raise_exception then
			null;
		end;
		insert into invoice_facts (
			doc_id, tenant_id, received_at, issue_date, encf, client_request_id, customer_rnc, customer_name, currency,
			subtotal, tax, grand_total, total
		)
		select i.doc_id, i.tenant_id, i.received_at, f."issueDate", i.encf, i.client_request_id, f."customerRnc", f."customerName", f.currency,
			f.subtotal, f.tax, f."grandTotal", f.total
		from invoices i, json_to_record(read_invoice_facts(i.doc_id, i.request, i.sums, i.signed_at)) f("issueDate" date, "customerRnc" text,
			"customerName" text, currency text, subtotal numeric, tax numeric, "grandTotal" numeric, total numeric)
		where not exists (select from invoice_facts k where k.doc_id = i.doc_id)
		order by i.received_at
		on conflict do nothing;
	end loop;
end $$;
analyze invoice_facts;
