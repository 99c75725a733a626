-- The taxpayer registry: runs, erasures, changes, history, keys, downloads, list checks and watchlists.

-- Counts attempts to load the source, also those that found it unchanged.
create sequence registry_attempts;

-- Runs of the ingest.
create table registry_runs (
	id uuid primary key,
	-- The latest attempt that ended in this row. An attempt that finds the source unchanged moves the row of the run
	-- that it confirms.
	attempt bigint not null default nextval('registry_attempts'),
	attempted_at timestamptz not null,
	-- How that attempt ended; 'unchanged' when it confirmed the run.
	attempt_result text not null check (attempt_result in ('ok', 'unchanged', 'refused', 'failed')),
	result text not null check (result in ('ok', 'refused', 'failed')),
	-- Why it was refused or failed, for the operator.
	reason text,
	source text not null,
	source_etag text,
	source_sha256 text,
	record_count int not null,
	-- Compared with the run before; null if that run's data was not at hand.
	added int,
	changed int,
	removed int,
	-- Source lines that could not be read.
	refused int not null,
	-- Entries left out because of a tombstone.
	suppressed int not null,
	duration_ms int not null,
	finished_at timestamptz not null,
	-- When the source was last seen with this run's data.
	confirmed_at timestamptz not null,
	-- How the source differs from the usual form: lines with bars inside a text, values that were guessed, added
	-- columns.
	healed int not null default 0,
	guessed int not null default 0,
	columns_ignored text[] not null default '{}',
	-- Members that the source lacks and that were taken from an earlier run.
	fields_kept text[] not null default '{}',
	fields_from_run uuid
);
create index registry_runs_by_attempt on registry_runs (attempt desc);
create index registry_runs_good on registry_runs (attempt desc) where result = 'ok';

-- Erasures. An erased number is kept only as HMAC-SHA256 under a key outside the database. A reversed erasure stays on
-- record without its digest.
create table registry_tombstones (
	digest bytea unique check (octet_length(digest) = 32),
	purge_id uuid primary key,
	purged_at timestamptz not null,
	legal_basis text not null,
	request_reference text not null,
	requested_by text not null,
	reason text not null,
	-- A reversal that one key proposed and another has not confirmed yet.
	reversal_proposed_at timestamptz,
	reversal_proposed_by uuid,
	reversed_at timestamptz,
	-- The first run after the reversal, which holds the entry again if the source has it.
	returned_in uuid references registry_runs on delete set null,
	-- The digest of a reversed erasure until an ingest brings the entry back: the run in use lacks the entry, and so
	-- must every rebuild of it. Not unique, because the number may be erased again meanwhile.
	held_digest bytea check (octet_length(held_digest) = 32),
	constraint registry_tombstones_held check (held_digest is null or reversed_at is not null),
	constraint registry_tombstones_proposal check ((reversal_proposed_at is null) = (reversal_proposed_by is null)),
	constraint registry_tombstones_reversed check ((digest is null) = (reversed_at is not null))
);

-- Change sets, one for each run that was taken into use. Only the latest are kept.
create table registry_change_sets (
	ordinal bigint generated always as identity primary key,
	-- A run that is taken into use again has several.
	run_id uuid not null references registry_runs on delete cascade,
	-- Number of the last change before this set. A reader who got that far can continue with this set.
	starts_after bigint not null check (starts_after >= 0),
	-- Number of its own last change; `starts_after` when it has none.
	ends_at bigint not null,
	at timestamptz not null default clock_timestamp(),
	-- A cursor carries the mark of its set. After a restore of an older database numbers repeat and marks do not, so a
	-- cursor from the lost time is recognised.
	mark uuid,
	-- The mark of the set before, which may be deleted earlier.
	mark_before uuid,
	check (ends_at >= starts_after)
);

-- What each set changed.
create table registry_changes (
	-- Ascending without a gap when written; an erasure leaves one.
	number bigint primary key,
	ordinal bigint not null references registry_change_sets on delete cascade,
	kind text not null check (kind in ('added', 'changed', 'removed')),
	document text not null,
	-- As in registry_tombstones, so that an erasure finds the rows without the number.
	digest bytea not null check (octet_length(digest) = 32),
	-- The values that the run changed, for the events of watchlists.
	fields json
);
create index registry_changes_by_digest on registry_changes (digest);
create index registry_changes_by_set on registry_changes (ordinal);

-- Erased numbers for the deltas that lead from runs which had them, so that copies lose the entries. Sealed, and dropped
-- with the last such run.
create table registry_erased_numbers (
	-- As in registry_tombstones.
	digest bytea primary key check (octet_length(digest) = 32),
	-- The newest set of changes at the time of the erasure.
	ordinal bigint not null references registry_change_sets on delete cascade,
	sealed_number bytea not null
);
create index registry_erased_numbers_by_set on registry_erased_numbers (ordinal);

-- Keys of the registry's attestations and of the receipts of erasures. The newest signs; all verify for ever.
create table registry_keys (
	number bigint generated always as identity primary key,
	kid text not null unique,
	public_jwk jsonb not null,
	-- Sealed for the place `registry-key|<kid>`.
	sealed_private_key bytea not null,
	created_at timestamptz not null
);

-- What the copy of the registry held before each change, for questions about earlier days.
create table registry_history (
	-- The number as an integer that sorts like its digits.
	document_key bigint not null,
	-- The day in UTC-4 at whose end the copy first held something else.
	until date not null,
	-- The run that changed it.
	run_id uuid not null,
	existed boolean not null,
	-- Earlier values of the members that changed; null if the entry did not exist.
	was jsonb,
	-- A run whose difference from the run before is unknown begins an era.
	era smallint not null default 0,
	primary key (document_key, until, era),
	check (existed = (was is not null))
);
-- Rows are added in the order of days, so a small index finds the latest.
create index registry_history_by_day on registry_history using brin (until);

-- The days from which something is known: the first run, and older files that the operator imported.
create table registry_history_starts (
	begins date not null,
	run_id uuid not null,
	is_imported boolean not null,
	era smallint not null default 0,
	primary key (era, begins)
);

-- Owners who may download the registry's files with natural persons, and the terms that they agreed to.
create table registry_download_grants (
	owner_id uuid primary key,
	terms text not null,
	granted_at timestamptz not null
);

-- Lists that customers checked against the registry. Lists and results are files of one machine. A row stays until its
-- month is over, because it counts towards the plan's limit.
create table registry_checks (
	id uuid primary key,
	-- The owner of the key; behind a shared key, a digest of the address.
	subject text not null,
	-- The machine with the files, as named in their folder.
	host uuid not null,
	status text not null check (status in ('running', 'done', 'failed', 'ended')),
	created_at timestamptz not null,
	finished_at timestamptz,
	expires_at timestamptz not null,
	rows int not null,
	done int not null default 0,
	counts jsonb,
	layout jsonb,
	-- The data behind the result, and the fingerprint of the erasures that it respects.
	run_id uuid,
	cleared_of text,
	-- Until when a process works on it.
	lease_until timestamptz,
	key_id uuid,
	tenant_id uuid,
	owner_id uuid,
	-- The day of the verdicts, in UTC-4; null for the day of the check.
	as_of date
);
create index registry_checks_at on registry_checks (host);
create index registry_checks_of on registry_checks (subject, created_at);

-- Links through which programs that cannot send a key reconcile names with the registry. A link acts for the key that
-- made it; only its digest is stored.
create table registry_reconcile_links (
	id uuid primary key,
	digest bytea not null unique check (length(digest) = 32),
	owner_id uuid not null,
	key_id uuid not null,
	created_at timestamptz not null,
	expires_at timestamptz not null
);
create index registry_reconcile_links_of on registry_reconcile_links (owner_id, id);

-- Watched numbers.
create table watchlists (
	id uuid primary key,
	owner_id uuid not null references owners,
	-- Null if its events go to the owner.
	tenant_id uuid references companies on delete cascade,
	subject_id uuid generated always as (coalesce(tenant_id, owner_id)) stored not null,
	name text not null,
	fields text[] not null,
	-- Ascending, as differences.
	numbers bytea not null default '',
	-- The references of the numbers, one a line.
	labels text not null default '',
	number_count int not null default 0,
	-- The change set up to which its events are written.
	joined_ordinal bigint not null,
	version int not null default 1,
	created_at timestamptz not null default now(),
	updated_at timestamptz not null default now(),
	emails text[] not null default '{}',
	digest text check (digest in ('daily', 'weekly')),
	locale text not null default 'es' check (locale in ('es', 'en')),
	-- The set of changes that its digests are queued up to, and the last day on which they were.
	digest_ordinal bigint not null default 0,
	digest_on date not null default '-infinity',
	-- For a list that is filled from a company's documents: from which side, the night of the last filling, when it ended,
	-- and how many numbers the plan did not allow.
	source text check (source in ('customers', 'suppliers')),
	source_on date not null default '-infinity',
	source_filled_at timestamptz,
	source_omitted int not null default 0
);
create index watchlists_by_owner on watchlists (owner_id);
create index watchlists_by_subject on watchlists (subject_id, id);
create index watchlists_with_digest on watchlists (digest_on) where digest is not null and emails <> '{}';
create index watchlists_with_source on watchlists (source_on) where source is not null;

-- Recipients of digests, in lower case. The secret is in the links of the mails and only stops or resumes them, so it is
-- stored as it is.
create table digest_addresses (
	address text primary key,
	secret text not null unique,
	stopped_at timestamptz
);

-- One mail for each address and day.
create table digest_mails (
	id uuid primary key,
	address text not null references digest_addresses,
	day date not null,
	-- [{list, after, upTo}]: the lists, and the sets of changes of each.
	parts json not null,
	sent_at timestamptz,
	unique (address, day)
);
create index digest_mails_by_day on digest_mails (day);

-- How many distinct entries searches have shown a caller in a day (UTC): the registers of a HyperLogLog, from which no
-- entry can be read.
create table registry_harvests (
	day date not null,
	-- The owner of the key; behind a shared key, a digest of the address.
	subject text not null,
	registers bytea not null check (length(registers) = 4096),
	primary key (day, subject)
);
