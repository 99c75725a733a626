-- The facts of a document that was stored without them, as the service writes them: amounts as sent from the request, `total` in pesos.
create or replace function read_invoice_facts(of_doc_id uuid, request text, sums json, signed_at timestamptz)
returns json language plpgsql stable as $$
declare
	asked jsonb;
	signed record;
	facts jsonb;
begin
	if sums is null then
		select f.issue_date, f.customer_rnc, f.subtotal, f.tax into signed from read_report_facts(of_doc_id, request, signed_at) f;
	else
		select (sums ->> 'issueDate')::date as issue_date, sums ->> 'customerRnc' as customer_rnc,
			(sums ->> 'subtotal')::numeric as subtotal, (sums ->> 'tax')::numeric as tax into signed;
	end if;
	facts := jsonb_build_object('issueDate', signed.issue_date, 'customerRnc', signed.customer_rnc, 'currency', 'DOP',
		'subtotal', signed.subtotal::text, 'tax', signed.tax::text, 'grandTotal', (signed.subtotal + signed.tax)::text,
		'total', (signed.subtotal + signed.tax)::text);
	begin
		asked := request::jsonb;
		facts := facts || jsonb_strip_nulls(jsonb_build_object('customerName', nullif(btrim(asked #>> '{customer,name}'), ''),
			'subtotal', (asked #>> '{totals,subtotal}')::numeric::text, 'tax', (asked #>> '{totals,tax}')::numeric::text,
			'grandTotal', (asked #>> '{totals,grand_total}')::numeric::text));
	exception when data_exception then
		-- A text that the database cannot read says nothing.
		null;
	end;
	return facts::json;
end $$;
