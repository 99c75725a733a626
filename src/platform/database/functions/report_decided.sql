-- Reports a decided document under its environment. One whose address names none counts as its company's.
create or replace function report_decided() returns trigger language plpgsql as $$
begin
	-- A document that was failed and is brought back, or says something else now.
	if exists (select from stale where status <> 'pending') then
		-- Compared as sets: a company that moves changes thousands of decided documents and nothing of what reports tell, and the server, which knows no
		-- numbers of such rows, would join them as a loop in a loop.
		if not exists (select doc_id, status, test_set_id from stale except select doc_id, status, test_set_id from fresh) then
			return null;
		end if;
		delete from report_documents d
		using stale o
		join fresh n using (tenant_id, doc_id)
		where o.status <> 'pending' and o.test_set_id is null
			and (n.status, n.test_set_id) is distinct from (o.status, o.test_set_id)
			and d.tenant_id = o.tenant_id and d.day = (o.sums ->> 'issueDate')::date and d.doc_id = o.doc_id;
	end if;
	if exists (select from fresh where status <> 'pending') then
		insert into report_documents (tenant_id, day, doc_id, type, status, branch, customer_rnc, subtotal, tax, sha256, authority_environment)
		select n.tenant_id, (n.sums ->> 'issueDate')::date, n.doc_id, n.type, n.status,
			coalesce(n.sums ->> 'branch', ''), coalesce(n.sums ->> 'customerRnc', ''),
			s.sign * (n.sums ->> 'subtotal')::numeric, s.sign * (n.sums ->> 'tax')::numeric, d.sha256,
			coalesce(environment_printed(n.print), (select c.authority_environment from companies c where c.tenant_id = n.tenant_id))
		from fresh n
		join stale o using (tenant_id, doc_id)
		join signed_documents d on d.tenant_id = n.tenant_id and d.doc_id = n.doc_id and d.kind = 'ecf'
		cross join lateral (select case when n.type = '34' then -1 else 1 end as sign) s
		where n.status <> 'pending' and n.test_set_id is null
			and (n.status, n.test_set_id) is distinct from (o.status, o.test_set_id);
	end if;
	return null;
end $$;
