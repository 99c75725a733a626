-- Index of the write-once store: which object holds which document, and how long it must be kept. Rows are only ever added;
-- a document that failed, was brought back and decided again has one object for each decision. New table: no lock on
-- anything, no time.
create table archive_objects (
	object_key text primary key,
	doc_id uuid not null,
	tenant_id uuid not null,
	sha256 bytea not null check (length(sha256) = 32),
	bytes int not null check (bytes > 0),
	decided_at timestamptz not null,
	retain_until timestamptz not null check (retain_until > decided_at),
	archived_at timestamptz not null default now()
);
create index archive_objects_document on archive_objects (doc_id, decided_at);
create index archive_objects_tenant on archive_objects (tenant_id, decided_at);

create function keep_archive_object() returns trigger language plpgsql as $$
begin
	if tg_op = 'UPDATE' then
		if new.retain_until > old.retain_until
			and (to_jsonb(new) - 'retain_until') = (to_jsonb(old) - 'retain_until')
		then
			return new;
		end if;
		raise exception 'archive object % is written once: only a later retain_until is taken', old.object_key;
	end if;
	raise exception '% on archive_objects is not allowed: archived documents are kept', tg_op;
end $$;
create trigger archive_objects_kept before update or delete on archive_objects
	for each row execute function keep_archive_object();
create trigger archive_objects_never_truncated before truncate on archive_objects
	for each statement execute function keep_archive_object();
