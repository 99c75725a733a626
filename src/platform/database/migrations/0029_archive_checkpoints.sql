-- Signed checkpoints of the archive's tree: what the archive has said of itself, to whom it may concern. Rows are only ever added, each follows the
-- one before, and none tells of fewer leaves. New tables: no lock on anything, no time.

-- The log that the checkpoints are of: one of a database, so that two archives are never taken for one.
create table archive_log (
	is_the_only boolean primary key default true check (is_the_only),
	log_id bytea not null check (length(log_id) = 16),
	environment text not null,
	made_at timestamptz not null
);

-- Keys that sign checkpoints. The newest one signs; all of them verify for ever.
create table archive_keys (
	number int primary key check (number >= 1),
	name text not null unique,
	public_key bytea not null unique check (length(public_key) = 32),
	-- Sealed under the key-encryption key; null where only the public part has come back out of the archive: such a key signs nothing.
	sealed_private_key bytea,
	-- What stands in the write-once store: the verifier key, and the signature of the key before it where there is one.
	note text not null,
	made_at timestamptz not null
);

create table archive_checkpoints (
	number bigint primary key check (number >= 1),
	size bigint not null check (size >= 0),
	root bytea not null check (length(root) = 32),
	-- SHA-256 of the note before; zeros before the first.
	previous bytea not null check (length(previous) = 32),
	made_at timestamptz not null check (made_at = date_trunc('milliseconds', made_at)),
	-- The signed note, whole.
	note text not null,
	key_name text not null references archive_keys (name),
	object_key text not null unique
);
create index archive_checkpoints_by_key on archive_checkpoints (key_name, size, number);
create index archive_checkpoints_made_at on archive_checkpoints (made_at);

create trigger archive_log_kept before update or delete on archive_log for each row execute function keep_archive_proof();
create trigger archive_log_never_truncated before truncate on archive_log for each statement execute function keep_archive_proof();
create trigger archive_keys_kept before update or delete on archive_keys for each row execute function keep_archive_proof();
create trigger archive_keys_never_truncated before truncate on archive_keys for each statement execute function keep_archive_proof();
create trigger archive_checkpoints_kept before update or delete on archive_checkpoints for each row execute function keep_archive_proof();
create trigger archive_checkpoints_never_truncated before truncate on archive_checkpoints
	for each statement execute function keep_archive_proof();

create function follow_archive_checkpoint() returns trigger language plpgsql as $$
declare
	newest archive_checkpoints;
begin
	select * into newest from archive_checkpoints order by number desc limit 1;
	if new.number <> coalesce(newest.number, 0) + 1
		or new.size < coalesce(newest.size, 0)
		or new.previous <> coalesce(sha256(convert_to(newest.note, 'UTF8')), decode(repeat('00', 32), 'hex'))
		or (new.size = newest.size and new.root <> newest.root)
	then
		raise exception 'archive checkpoint % does not follow %', new.number, coalesce(newest.number, 0);
	end if;
	return new;
end $$;
-- A temporary table of the same name is not asked.
do $$
begin
	execute format('alter function follow_archive_checkpoint() set search_path = %I, pg_temp', current_schema());
end $$;
create trigger archive_checkpoints_follow before insert on archive_checkpoints for each row execute function follow_archive_checkpoint();
