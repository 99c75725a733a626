-- Digest mails of watchlists, and lists that are filled from a company's documents. Watchlists are few, so their new columns take no time.
alter table watchlists
	add column emails text[] not null default '{}',
	add column digest text check (digest in ('daily', 'weekly')),
	add column locale text not null default 'es' check (locale in ('es', 'en')),
	-- The set of changes that its digests are queued up to, and the last day on which they were.
	add column digest_ordinal bigint not null default 0,
	add column digest_on date not null default '-infinity',
	add column source text check (source in ('customers', 'suppliers')),
	-- The night for which the last filling was queued, when it ended, and how many numbers the plan did not allow.
	add column source_on date not null default '-infinity',
	add column source_filled_at timestamptz,
	add column source_omitted int not null default 0;
create index watchlists_with_digest on watchlists (digest_on) where digest is not null and emails <> '{}';
create index watchlists_with_source on watchlists (source_on) where source is not null;

-- Who gets digests, in lower case. The secret is in the links of the mails and only stops or resumes them, so it is stored as it is.
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
