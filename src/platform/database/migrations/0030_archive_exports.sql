-- Reading the archive's index by its tenants, exports of it, and what becomes of an object when its time is over.
--
-- `encf`, `type` and `status` are those that a sealed object was decided with, taken from its document when it comes; null where the index was
-- made again from the archive alone. What is there already is filled in here, some 50,000 rows a second, and four indexes are built; meanwhile
-- nothing can be archived, which waits in the outbox and is carried out afterwards.
set local statement_timeout = 0;
alter table archive_objects add column encf text, add column type text, add column status text;

create function describe_archive_object() returns trigger language plpgsql as $$
begin
	if new.status is null then
		-- A document that failed and was brought back has an object for each decision; the earlier ones are those of failures.
		select i.encf, i.type, case when date_trunc('milliseconds', i.decided_at) = new.decided_at then i.status else 'failed' end
		into new.encf, new.type, new.status
		from invoices i where i.doc_id = new.doc_id;
	end if;
	return new;
end $$;
create trigger archive_objects_described before insert on archive_objects for each row execute function describe_archive_object();

alter table archive_objects disable trigger archive_objects_kept;
update archive_objects o
set encf = i.encf, type = i.type, status = case when date_trunc('milliseconds', i.decided_at) = o.decided_at then i.status else 'failed' end
from invoices i where i.doc_id = o.doc_id;
alter table archive_objects enable trigger archive_objects_kept;

-- A page of a tenant's list is a walk along one of these: all objects, those of a type, those that were not accepted. The key is
-- there for its order among objects of one instant.
create index archive_objects_listed on archive_objects (tenant_id, decided_at, object_key);
create index archive_objects_of_type on archive_objects (tenant_id, type, decided_at, object_key);
create index archive_objects_refused on archive_objects (tenant_id, status, decided_at, object_key) where status <> 'accepted';
drop index archive_objects_tenant;
-- Which objects' time is over.
create index archive_objects_retained on archive_objects (retain_until);

create table archive_exports (
	id uuid primary key,
	tenant_id uuid not null,
	-- Days of decision, both included.
	from_day date not null,
	to_day date not null check (to_day >= from_day),
	format text not null check (format in ('zip', 'tar.zst')),
	-- Of the period's documents those whose leaf stands before: what comes later is not in this export.
	leaf_bound bigint not null,
	status text not null default 'queued' check (status in ('queued', 'running', 'ready', 'failed', 'expired')),
	documents int not null,
	bytes bigint,
	sha256 bytea,
	-- The links before the first and of the last of its documents.
	chain_from bytea,
	chain_to bytea,
	tree_size bigint,
	merkle_root bytea,
	failure json,
	created_at timestamptz not null,
	completed_at timestamptz,
	expires_at timestamptz,
	check (status <> 'ready' or (bytes is not null and sha256 is not null and expires_at is not null))
);
create index archive_exports_by_tenant on archive_exports (tenant_id, id);
create index archive_exports_ready on archive_exports (expires_at) where status = 'ready';

-- Objects whose time was over and that were removed: their leaves and links stay, and this tells why there is nothing behind them.
create table archive_removals (
	object_key text primary key,
	tenant_id uuid not null,
	doc_id uuid not null,
	sha256 bytea not null,
	retain_until timestamptz not null,
	removed_at timestamptz not null default now()
);
create function check_archive_removal() returns trigger language plpgsql as $$
declare
	kept_until timestamptz;
begin
	select retain_until into kept_until from archive_objects where object_key = new.object_key;
	if new.retain_until > now() or new.retain_until <> coalesce(kept_until, new.retain_until) or not exists (
		select 1 from archive_leaves l
		where l.object_key = new.object_key and l.tenant_id = new.tenant_id and l.doc_id = new.doc_id and l.sha256 = new.sha256
	) then
		raise exception 'archive object % is kept: its removal cannot be told', new.object_key;
	end if;
	return new;
end $$;
-- A removal that is told must be one that may be: nobody explains away with it what has gone otherwise.
create trigger archive_removals_true before insert on archive_removals for each row execute function check_archive_removal();
create trigger archive_removals_once before update or delete on archive_removals for each row execute function refuse_change();

-- What the time has been when somebody looked, and since when it has gone on without a leap: an object is removed by a steady clock alone.
create table archive_clock (
	single boolean primary key default true check (single),
	steady_since timestamptz not null,
	seen_at timestamptz not null
);

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
		if current_setting('sello.swept_object', true) = old.object_key and old.retain_until < now() then
			return old;
		end if;
	end if;
	raise exception '% on archive_objects is not allowed: archived documents are kept', tg_op;
end $$;

-- The two changes that the index takes, as functions with their owner's rights: a role that may neither update nor delete can do these and no
-- others.
--
-- A later end of retention. Answers how many were extended; those that are kept as long already stay as they are.
create function extend_archive_retention(keys text[], until timestamptz) returns int
language plpgsql security definer as $$
declare
	extended int;
begin
	update archive_objects set retain_until = until where object_key = any(keys) and retain_until < until;
	get diagnostics extended = row_count;
	return extended;
end $$;

-- Takes an object whose time is over out of the index. False, and nothing is changed, while it is to be kept.
create function sweep_archive_object(key text) returns boolean
language plpgsql security definer as $$
begin
	insert into archive_removals (object_key, tenant_id, doc_id, sha256, retain_until)
	select object_key, tenant_id, doc_id, sha256, retain_until from archive_objects
	where object_key = key and retain_until < now() for update;
	if not found then
		return false;
	end if;
	perform set_config('sello.swept_object', key, true);
	delete from archive_objects where object_key = key;
	perform set_config('sello.swept_object', '', true);
	return true;
end $$;

-- Rules, and functions with their owner's rights, look at nobody else's tables, not even at temporary ones of the same name.
do $$
begin
	execute format('alter function describe_archive_object() set search_path = %I, pg_temp', current_schema());
	execute format('alter function extend_archive_retention(text[], timestamptz) set search_path = %I, pg_temp', current_schema());
	execute format('alter function check_archive_removal() set search_path = %I, pg_temp', current_schema());
	execute format('alter function sweep_archive_object(text) set search_path = %I, pg_temp', current_schema());
end $$;
