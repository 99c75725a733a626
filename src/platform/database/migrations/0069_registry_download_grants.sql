-- Owners who may download the registry's files with natural persons, and the terms that they agreed to.
create table registry_download_grants (
	owner_id uuid primary key,
	terms text not null,
	granted_at timestamptz not null
);
