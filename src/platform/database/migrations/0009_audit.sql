-- What was done that somebody may have to answer for, and erasures of registry entries that two people can reverse. A new table;
-- the alterations lock the tombstones alone, which are few.

create table audit (
	-- Ascends with time.
	id uuid primary key,
	at timestamptz not null,
	-- No references: what is told here outlives the keys and tenants that it tells of. Without a key it was the operator.
	key_id uuid,
	owner_id uuid,
	tenant_id uuid,
	-- Where it came from: a network address, or the operator's account and machine.
	address text not null,
	action text not null,
	-- Identifier of what it was done to.
	subject text not null,
	request_id text,
	details jsonb not null
);
create index audit_by_owner on audit (owner_id, id desc);
-- Counts what a key did lately.
create index audit_by_key on audit (key_id, action, at);

create trigger audit_once before update or delete on audit for each row execute function refuse_change();
create trigger audit_never_truncated before truncate on audit for each statement execute function refuse_change();

alter table registry_tombstones
	drop constraint registry_tombstones_pkey,
	drop constraint registry_tombstones_purge_id_key,
	add primary key (purge_id),
	add constraint registry_tombstones_digest_key unique (digest),
	alter column digest drop not null,
	-- A reversal that one key asked for and another has not confirmed yet.
	add column reversal_proposed_at timestamptz,
	add column reversal_proposed_by uuid,
	add column reversed_at timestamptz,
	-- The run that held the entry again, had the source held it; null while no ingest has come by since.
	add column returned_in uuid references registry_runs (id) on delete set null,
	-- A reversed erasure stays on record, but of what, nothing tells any more.
	add constraint registry_tombstones_reversed check ((digest is null) = (reversed_at is not null)),
	add constraint registry_tombstones_proposal check ((reversal_proposed_at is null) = (reversal_proposed_by is null));
