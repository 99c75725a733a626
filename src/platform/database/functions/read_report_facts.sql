-- The sums of a document that was stored without them: amounts from the signed bytes, the rest from the request.
create or replace function read_report_facts(of_doc_id uuid, request text, signed_at timestamptz)
returns table (issue_date date, subtotal numeric, tax numeric, customer_rnc text, branch text) language plpgsql stable as $$
declare
	asked jsonb;
	head text;
	total numeric;
begin
	begin
		asked := request::jsonb;
		issue_date := asked ->> 'issue_date';
		customer_rnc := nullif(translate(asked #>> '{customer,rnc}', '- ', ''), '');
		branch := nullif(asked ->> 'branch', '');
		-- Amounts stand in the document's head and are plain digits, so a letter that is cut in two does no harm.
		select convert_from(substring(s.bytes from 1 for 8192), 'LATIN1') into head from signed_documents s
		where s.doc_id = of_doc_id and s.kind = 'ecf';
		total := nullif(split_part(split_part(head, '<MontoTotal>', 2), '<', 1), '');
		if total is not null then
			tax := coalesce(nullif(split_part(split_part(head, '<TotalITBIS>', 2), '<', 1), '')::numeric, 0)
				+ coalesce(nullif(split_part(split_part(head, '<MontoImpuestoAdicional>', 2), '<', 1), '')::numeric, 0);
			subtotal := total - tax;
		else
			tax := round((asked #>> '{totals,tax}')::numeric, 2);
			subtotal := round((asked #>> '{totals,grand_total}')::numeric, 2) - tax;
		end if;
	exception when data_exception then
		-- A text that the database cannot read says nothing; a verdict is never held up by it.
		null;
	end;
	-- Days are those of the country, four hours behind UTC.
	issue_date := coalesce(issue_date, ((signed_at at time zone 'UTC') - interval '4 hours')::date);
	subtotal := coalesce(subtotal, 0);
	tax := coalesce(tax, 0);
	return next;
end $$;
