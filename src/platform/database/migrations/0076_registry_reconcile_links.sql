-- Links through which programs that cannot send a key reconcile names with the registry. A link acts for the key that made it; the link itself
-- is not stored, only its digest.
create table registry_reconcile_links (
	id uuid primary key,
	digest bytea not null unique check (length(digest) = 32),
	owner_id uuid not null,
	key_id uuid not null,
	created_at timestamptz not null,
	expires_at timestamptz not null
);

create index registry_reconcile_links_of on registry_reconcile_links (owner_id, id);
