-- Who may call: owners and their API keys, the OAuth clients of companies, and what issuing and revoking tokens needs.
-- Why: the first tables of access. Locks: none that anybody waits for, every table is new. Duration: milliseconds on any size.
--
-- No secret stands here: keys, client secrets and refresh tokens are kept as SHA-256 (they are random and long, so a slow hash
-- would protect nothing more), private keys sealed. Every change that can end a credential tells `access_changed`, so that
-- each process drops what it remembers; the triggers do it, so that a change by hand is heard as well.

create table owners (
	id uuid primary key,
	label text not null,
	created_at timestamptz not null
);

create table api_keys (
	id uuid primary key,
	owner_id uuid references owners (id),
	prefix text not null,
	digest bytea not null unique check (length(digest) = 32),
	label text not null,
	plan text not null,
	scopes text[] not null,
	environment text not null,
	-- Addresses and CIDR ranges; empty allows every address.
	ip_allow_list text[] not null default '{}',
	contact_emails text[] not null default '{}',
	created_at timestamptz not null,
	-- Written at most once a minute.
	last_used_at timestamptz,
	expires_at timestamptz,
	revoked_at timestamptz,
	-- A missing owner pairs a key with the companies of the demo key, so no other key may be without one.
	constraint api_keys_only_demo_without_owner check (owner_id is not null or id = '00000000-0000-7000-8000-00000000de01')
);
create index api_keys_owner on api_keys (owner_id);

create table oauth_clients (
	client_id text primary key,
	tenant_id uuid not null,
	-- Null for companies that the demo key created.
	owner_id uuid references owners (id),
	plan text not null,
	scopes text[] not null,
	environment text not null,
	secret_digest bytea not null check (length(secret_digest) = 32),
	created_at timestamptz not null,
	expires_at timestamptz,
	revoked_at timestamptz
);
create index oauth_clients_tenant on oauth_clients (tenant_id);

create table refresh_tokens (
	digest bytea primary key check (length(digest) = 32),
	-- All tokens that descend from one grant of client credentials.
	family uuid not null,
	client_id text not null references oauth_clients (client_id),
	scope text not null,
	-- The access token handed out together with this one; it ends with the family.
	access_jti uuid not null,
	access_expires_at timestamptz not null,
	created_at timestamptz not null,
	expires_at timestamptz not null,
	used_at timestamptz,
	revoked_at timestamptz
);
create index refresh_tokens_family on refresh_tokens (family);
create index refresh_tokens_expiry on refresh_tokens (expires_at);

-- Access tokens that ended before their time. Keyed by the token's id: its text has several valid spellings.
create table revoked_tokens (
	jti uuid primary key,
	expires_at timestamptz not null
);
create index revoked_tokens_expiry on revoked_tokens (expires_at);

create table token_signing_keys (
	kid text primary key,
	public_jwk jsonb not null,
	-- Sealed for the place `token-key|<kid>`; erased some time after the key retired. The public part stays, for old receipts.
	sealed_private_key bytea,
	created_at timestamptz not null,
	-- Null for the key that signs; others verify until then.
	retire_at timestamptz
);

create function notify_api_key_changed() returns trigger language plpgsql as $$
begin
	perform pg_notify('access_changed', 'key:' || encode(old.digest, 'hex'));
	return null;
end $$;
create trigger api_keys_changed
	after delete or update of digest, owner_id, plan, scopes, environment, ip_allow_list, expires_at, revoked_at on api_keys
	for each row execute function notify_api_key_changed();

create function notify_oauth_client_changed() returns trigger language plpgsql as $$
begin
	perform pg_notify('access_changed', 'client:' || old.client_id);
	return null;
end $$;
create trigger oauth_clients_changed
	after delete or update on oauth_clients
	for each row execute function notify_oauth_client_changed();

create function notify_token_revoked() returns trigger language plpgsql as $$
begin
	perform pg_notify('access_changed', 'token:' || new.jti);
	return null;
end $$;
create trigger tokens_revoked
	after insert on revoked_tokens
	for each row execute function notify_token_revoked();

-- Sealing a private key anew under another key-encryption key changes nothing for those who verify.
create function notify_signing_keys_changed() returns trigger language plpgsql as $$
begin
	perform pg_notify('access_changed', 'signing-keys:');
	return null;
end $$;
create trigger token_signing_keys_changed
	after insert or delete or update of public_jwk, retire_at on token_signing_keys
	for each statement execute function notify_signing_keys_changed();
