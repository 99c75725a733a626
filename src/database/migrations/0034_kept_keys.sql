-- Keys for one purpose that must outlive the key-encryption key which they were derived from, such as the pepper of tombstones: sealed like
-- other secrets, for the place `kept-key|<name>`. New table: no lock on anything, no time.
create table kept_keys (
	name text primary key,
	sealed_key bytea not null,
	created_at timestamptz not null default now()
);
