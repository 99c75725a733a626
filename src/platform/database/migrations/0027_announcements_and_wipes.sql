-- Mails that announce changes, each to one address, once. New table: no lock on anything, no time.
create table announcement_mails (
	id uuid primary key,
	-- Anchor in the changelog.
	announcement text not null,
	address text not null,
	queued_at timestamptz not null default now(),
	-- When a transport had it; a crash in between sends it again under the same Message-ID.
	sent_at timestamptz
);
create unique index announcement_mails_once on announcement_mails (announcement, lower(address));

-- The public sandbox deletes what tenants have left there a day ago, also what is written once everywhere else. The rules that keep
-- written-once rows let such a row go when the transaction names its tenant as the one that is wiped, and that tenant's company is of the
-- public sandbox: in any other environment no setting makes a row go. Functions: no lock, no time.
create function is_of_wiped_tenant(old_row jsonb) returns boolean language sql stable as $$
	select exists (
		select 1 from companies c
		where c.environment = 'public-sandbox'
			and c.tenant_id = nullif(current_setting('sello.wiped_tenant', true), '')::uuid
			and c.tenant_id = coalesce(
				(old_row ->> 'tenant_id')::uuid,
				(select i.tenant_id from invoices i where i.doc_id = (old_row ->> 'doc_id')::uuid),
				(select v.tenant_id from sequence_voids v where v.id = (old_row ->> 'void_id')::uuid)
			)
	)
$$;

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
	if tg_op = 'DELETE' then
		if current_setting('sello.wiped_tenant', true) <> '' and is_of_wiped_tenant(to_jsonb(old)) then
			return old;
		end if;
	end if;
	raise exception '% on % is not allowed: its rows are written once', tg_op, tg_table_name;
end $$;

create or replace function keep_archive_object() returns trigger language plpgsql as $$
begin
	if tg_op = 'UPDATE' then
		if new.retain_until > old.retain_until
			and (to_jsonb(new) - 'retain_until') = (to_jsonb(old) - 'retain_until')
		then
			return new;
		end if;
		raise exception 'archive object % is written once: only a later retain_until is taken', old.object_key;
	end if;
	if tg_op = 'DELETE' then
		if current_setting('sello.wiped_tenant', true) <> '' and is_of_wiped_tenant(to_jsonb(old)) then
			return old;
		end if;
	end if;
	raise exception '% on archive_objects is not allowed: archived documents are kept', tg_op;
end $$;
