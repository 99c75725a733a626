-- No document that was made for one environment of the authority is stored when its company has moved to another one meanwhile, and none waits for
-- a company that is moving: others are stored in the same transaction, and a company of many documents moves for a minute. A function: no lock, no time.
do $$
declare
	source text := pg_get_functiondef('store_invoices'::regproc);
	changes constant text[] := array[
		-- The declarations.
		'voided uuid[] := ''{}'';',
		'voided uuid[] := ''{}'';
	-- Whose company moves now, and who was made for the environment that it has left.
	moving uuid[] := ''{}'';
	moved uuid[] := ''{}'';',

		-- The locks. A company that moves has both, a void the first one alone, and that not for long.
		'is_locked := pg_advisory_xact_lock_shared(7301012, hashtext(wanted_tenant::text)) is not null;',
		'is_locked := pg_try_advisory_xact_lock_shared(7301012, hashtext(wanted_tenant::text));
			if not is_locked then
				is_locked := pg_try_advisory_xact_lock_shared(7301041, hashtext(wanted_tenant::text));
				if is_locked then
					is_locked := pg_advisory_xact_lock_shared(7301012, hashtext(wanted_tenant::text)) is not null;
				else
					moving := moving || wanted_tenant;
				end if;
			end if;',

		-- The look at what the locks keep as it is. By the address that is printed, as the document is sent.
		'if array_remove(hold_ids, null) <> ''{}'' then',
		'select coalesce(array_agg(g.doc_id), ''{}'') into moved
	from (
		select u.doc_id, u.tenant_id, convert_from(cut_text(bulk, marks, 8 * u.n - 5), ''UTF8'') as print
		from unnest(doc_ids, tenant_ids) with ordinality u(doc_id, tenant_id, n)
	) g
	where g.tenant_id = any(moving) or strpos(g.print, (
		select case c.authority_environment when ''test'' then ''/testecf'' when ''certification'' then ''/certecf'' else ''/ecf'' end || ''/ConsultaTimbre''
		from companies c where c.tenant_id = g.tenant_id limit 1
	)) = 0 and strpos(g.print, ''/ConsultaTimbre'') > 0;
	if array_remove(hold_ids, null) <> ''{}'' then',

		-- The move has taken its company's holds away, and they are locked until it is over.
		'where id = any(hold_ids) order by id for update',
		'where id = any(hold_ids) and tenant_id <> all(moving) order by id for update',

		'g.doc_id <> all(voided) and',
		'g.doc_id <> all(voided) and g.doc_id <> all(moved) and',

		'when g.hold_id is not null and g.hold_id <> all(held) then',
		'when g.doc_id = any(moved) then ''company-moved''
			when g.hold_id is not null and g.hold_id <> all(held) then'
	];
begin
	for i in 1 .. cardinality(changes) by 2 loop
		if cardinality(string_to_array(source, changes[i])) <> 2 then
			raise exception 'store_invoices has no place for: %', changes[i];
		end if;
		source := replace(source, changes[i], changes[i + 1]);
	end loop;
	execute source;
end $$;
