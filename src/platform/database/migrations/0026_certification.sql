-- Certification test sets: what was asked, how far it has got, and each of its documents in each run.
-- New tables; invoices get a nullable column without a default, which locks for a moment and rewrites nothing. It has neither index nor
-- foreign key: both would read the whole table under a lock, and no query starts from it.
create table test_sets (
	id uuid primary key,
	tenant_id uuid not null references companies,
	environment text not null,
	mode text not null check (mode in ('simulate', 'authority')),
	status text not null default 'pending'
		check (status in ('pending', 'generating', 'submitting', 'validating', 'passed', 'failed', 'expired', 'cancelled')),
	-- Asked for; what they depend on comes with them.
	types json not null,
	niche text not null,
	-- Where the numbers of the first run begin; null leaves it to us.
	start_number bigint,
	-- Whom its documents name as the other party.
	buyer json not null,
	run int not null default 1,
	runs_max int not null,
	failure json,
	version int not null default 1,
	created_at timestamptz not null default now(),
	started_at timestamptz,
	completed_at timestamptz,
	expires_at timestamptz not null
);
-- A company has one active set in an environment; a second one could spoil the first one's count at the authority.
create unique index test_sets_active on test_sets (tenant_id, environment)
	where status in ('pending', 'generating', 'submitting', 'validating');
create index test_sets_by_tenant on test_sets (tenant_id, id);

create table test_set_cases (
	set_id uuid not null references test_sets,
	run int not null,
	ordinal int not null,
	tenant_id uuid not null,
	name text not null,
	type text not null,
	encf text not null,
	depends_on text,
	-- The id that its invoice gets when it is sent; a rehearsed one is never an invoice.
	doc_id uuid not null,
	is_rehearsed boolean not null,
	-- Signed and whole, as JSON: what is sent is what was signed before anything was sent.
	document text not null,
	status text not null default 'generated'
		check (status in ('generated', 'pending', 'accepted', 'rejected', 'failed', 'withdrawn')),
	sent_at timestamptz,
	authority json,
	-- Of a rehearsed case; what the authority answers to a real one is kept with its invoice.
	answers json not null default '[]',
	primary key (set_id, run, ordinal)
);
-- The authority takes a number once, rejected or not.
create unique index test_set_cases_encf on test_set_cases (tenant_id, encf) where not is_rehearsed;
alter table test_set_cases alter column document set statistics 0, alter column answers set statistics 0;

-- The test set that a document belongs to; null of all documents that companies issue themselves.
alter table invoices add column test_set_id uuid;
