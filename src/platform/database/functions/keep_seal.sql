-- A row of the index never changes, except that its retention is extended, or that its object is removed: when the retention is over, or with its
-- tenant or document in the public sandbox. What it says about the document may be forgotten then; its leaf and link stay.
create or replace function keep_seal() returns trigger language plpgsql as $$
declare
	forgotten constant text[] := array['removed_at', 'encf', 'type', 'status'];
begin
	if tg_op = 'UPDATE' then
		if new.retain_until > old.retain_until and (to_jsonb(new) - 'retain_until') = (to_jsonb(old) - 'retain_until') then
			return new;
		end if;
		if old.removed_at is null and new.removed_at is not null and (to_jsonb(new) - forgotten) = (to_jsonb(old) - forgotten) and (
			(current_setting('sello.wiped_tenant', true) <> '' and is_of_wiped_tenant(to_jsonb(old)))
			or (current_setting('sello.swept_object', true) = old.doc_id || '/' || old.n and old.retain_until < now())
		) then
			return new;
		end if;
		raise exception 'the seal of document % is written once: only a later retain_until is taken', old.doc_id;
	end if;
	if tg_op = 'DELETE' then
		-- What stayed in the default partition longer than the rest of its month. The function of the owner that deletes it has checked the rest.
		if current_setting('sello.swept_rows', true) = 'on' and tg_table_name = 'seals_default' and is_over(old.removed_at, old.retain_until, old.decided_at) then
			return old;
		end if;
	end if;
	raise exception '% on % is not allowed: archived documents are kept', tg_op, tg_table_name;
end $$;
alter function keep_seal set search_path = public, pg_temp;
