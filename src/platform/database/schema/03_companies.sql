-- Tenant companies and their signing certificates. Secrets are sealed under the key-encryption key, bound to their row.
-- `json` and not `jsonb`: members are shown in the order in which they were written.

create table companies (
	tenant_id uuid primary key,
	-- The customer whose API key created it; null for companies of the demo key.
	owner_id uuid,
	environment text not null,
	authority_environment text not null,
	rnc text not null,
	name text not null,
	trade_name text,
	email text,
	phone text,
	address json,
	economic_activity text,
	status text not null default 'active' check (status in ('active', 'suspended', 'closed')),
	plan text not null,
	registry json not null,
	settings json not null,
	logo bytea,
	logo_content_type text,
	logo_sha256 text,
	contact_emails json not null default '[]',
	metadata json not null default '{}',
	warnings json not null default '[]',
	version int not null default 1,
	created_at timestamptz not null default now(),
	updated_at timestamptz not null default now(),
	-- How far the company's test clock is ahead.
	clock_ahead_seconds bigint not null default 0,
	-- Counts all changes of the row; `version` those that its owner sees.
	revision bigint not null default 0,
	constraint companies_rnc unique (rnc, environment)
);
create index companies_owner on companies (owner_id, created_at);
create trigger companies_archived before insert on companies
	for each row when (new.environment = 'public-sandbox')
	execute function keep_archived_tenant();
create trigger companies_belonging before update of tenant_id, environment on companies
	for each row when (new.tenant_id is distinct from old.tenant_id or new.environment is distinct from old.environment)
	execute function keep_belonging();
create trigger companies_revision before update on companies for each row execute function count_revision();

-- One certificate signs, one may wait for its day, and earlier ones stay for a roll-back until their key is destroyed.
-- The row of a destroyed key stays, because documents were signed with it.
create table signing_certificates (
	tenant_id uuid not null references companies,
	id uuid not null,
	status text not null check (status in ('active', 'scheduled', 'retired', 'removed')),
	certificate_der bytea not null,
	sealed_key bytea,
	thumbprint text not null,
	subject text not null,
	issuer text not null,
	serial_number text not null,
	not_before timestamptz not null,
	not_after timestamptz not null,
	ephemeral boolean not null,
	activate_at timestamptz not null default now(),
	created_at timestamptz not null default now(),
	-- Counts changes of the row.
	revision bigint not null default 0,
	primary key (tenant_id, id),
	constraint signing_certificates_key check ((status = 'removed') = (sealed_key is null))
);
create index signing_certificates_due on signing_certificates (activate_at) where status = 'scheduled';
create index signing_certificates_ending on signing_certificates (not_after) where status in ('active', 'scheduled');
-- At most one certificate of a tenant signs at a time.
create unique index signing_certificates_active on signing_certificates (tenant_id) where status = 'active';
create unique index signing_certificates_once on signing_certificates (tenant_id, thumbprint) where status <> 'removed';
create unique index signing_certificates_scheduled on signing_certificates (tenant_id) where status = 'scheduled';
create trigger signing_certificates_revision before update on signing_certificates
	for each row execute function count_revision();

-- Notices that a company got about the end of a certificate, each sent once. 0 days before is the end itself.
create table certificate_notices (
	tenant_id uuid not null,
	certificate_id uuid not null,
	days_before int not null,
	told_at timestamptz not null default now(),
	primary key (tenant_id, certificate_id, days_before),
	foreign key (tenant_id, certificate_id) references signing_certificates
);

-- Sequences of an environment that the company has left. They come back with the company.
create table sequences_elsewhere (
	tenant_id uuid not null,
	id uuid not null,
	type text not null,
	numbers int8range not null,
	free int8multirange not null,
	expires_on date,
	created_at timestamptz not null,
	authority_environment text not null,
	primary key (tenant_id, id),
	check (free <@ numbers)
);
create index sequences_elsewhere_by_type on sequences_elsewhere (tenant_id, type);
