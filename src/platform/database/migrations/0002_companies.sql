-- Tenant companies, their webhook endpoints and signing certificates. Secrets are sealed under the key-encryption key, bound to
-- their row. `json`, not `jsonb`: members are shown in the order in which they were written. New tables: no lock on anything, no time.
create table companies (
	tenant_id uuid primary key,
	-- The customer whose API key created it; null for companies of the demo key, which belong to nobody.
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
	constraint companies_rnc unique (rnc, environment)
);
create index companies_owner on companies (owner_id, created_at);

create table webhook_endpoints (
	id uuid primary key,
	tenant_id uuid not null references companies,
	url text not null,
	events jsonb not null,
	description text,
	status text not null default 'enabled' check (status in ('enabled', 'disabled')),
	sealed_secret bytea not null,
	secret_hint text not null,
	created_at timestamptz not null default now(),
	disabled_at timestamptz
);
create index webhook_endpoints_tenant on webhook_endpoints (tenant_id);

create table signing_certificates (
	id uuid primary key,
	tenant_id uuid not null references companies,
	status text not null check (status in ('active', 'scheduled', 'retired')),
	certificate_der bytea not null,
	sealed_key bytea not null,
	thumbprint text not null,
	subject text not null,
	issuer text not null,
	serial_number text not null,
	not_before timestamptz not null,
	not_after timestamptz not null,
	ephemeral boolean not null,
	activate_at timestamptz not null default now(),
	created_at timestamptz not null default now()
);
-- At most one certificate of a tenant signs at a time.
create unique index signing_certificates_active on signing_certificates (tenant_id) where status = 'active';
