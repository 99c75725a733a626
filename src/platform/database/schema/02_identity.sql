-- Callers: owners, their API keys, the OAuth clients of companies, tokens, the audit log, rate limits and usage. No
-- secret is readable here. Keys, client secrets and refresh tokens are kept as SHA-256 (they are long and random, so a
-- slow hash would add nothing); private keys are sealed. Triggers announce every change that can end a credential in
-- `changes`, so that processes drop what they have cached, also after a change by hand.

create table owners (
	id uuid primary key,
	label text not null,
	created_at timestamptz not null
);

create table api_keys (
	id uuid primary key,
	owner_id uuid references owners,
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
	-- The key that created this one. When that key is in other hands, so is this one.
	made_by uuid,
	-- The key that this one replaced. Keys with a common line may be in the same hands, so one never confirms what the
	-- other proposed.
	follows uuid,
	-- The companies that a key opens; empty for all companies of its owner.
	tenant_ids uuid[] not null default '{}',
	-- A key without an owner opens the companies of the demo key, so only the demo key may be without one.
	constraint api_keys_only_demo_without_owner check (owner_id is not null or id = '00000000-0000-7000-8000-00000000de01')
);
create index api_keys_by_follows on api_keys (follows) where follows is not null;
create index api_keys_by_maker on api_keys (made_by) where made_by is not null;
-- An owner's keys that are not revoked. Revoked keys stay for ever and must not slow the list down.
create index api_keys_living on api_keys (owner_id, id desc) where revoked_at is null;
create index api_keys_owner on api_keys (owner_id);
create trigger api_keys_changed after delete or update of digest, owner_id, plan, scopes, environment, ip_allow_list, tenant_ids,
		expires_at, revoked_at on api_keys
	for each row execute function notify_api_key_changed();

create table oauth_clients (
	client_id text primary key,
	tenant_id uuid not null,
	-- Null for companies that the demo key created.
	owner_id uuid references owners,
	plan text not null,
	scopes text[] not null,
	environment text not null,
	secret_digest bytea not null check (length(secret_digest) = 32),
	created_at timestamptz not null,
	expires_at timestamptz,
	revoked_at timestamptz
);
create index oauth_clients_tenant on oauth_clients (tenant_id);
create trigger oauth_clients_changed after delete or update on oauth_clients
	for each row execute function notify_oauth_client_changed();

create table refresh_tokens (
	digest bytea primary key check (length(digest) = 32),
	-- All tokens that descend from one grant of client credentials.
	family uuid not null,
	client_id text not null references oauth_clients,
	scope text not null,
	-- The access token handed out together with this one; it ends with the family.
	access_jti uuid not null,
	access_expires_at timestamptz not null,
	created_at timestamptz not null,
	expires_at timestamptz not null,
	used_at timestamptz,
	revoked_at timestamptz
);
create index refresh_tokens_expiry on refresh_tokens (expires_at);
create index refresh_tokens_family on refresh_tokens (family);

-- Access tokens that ended before their time. Keyed by the token's id: its text has several valid spellings.
create table revoked_tokens (
	jti uuid primary key,
	expires_at timestamptz not null,
	-- `epoch`: at once.
	ends_at timestamptz not null default 'epoch'
);
create index revoked_tokens_expiry on revoked_tokens (expires_at);
create trigger tokens_revoked after insert or update on revoked_tokens
	for each row execute function notify_token_revoked();

create table token_signing_keys (
	kid text primary key,
	public_jwk jsonb not null,
	-- Sealed for `token-key|<kid>`; erased some time after the key retired. The public part stays for old receipts.
	sealed_private_key bytea,
	created_at timestamptz not null,
	-- Null for the key that signs. Others verify until then.
	retire_at timestamptz,
	-- True for keys that signed receipts of erasures. Such keys stay published.
	signed_receipts boolean not null default false
);
create trigger token_signing_keys_changed after insert or delete or update of public_jwk, retire_at on token_signing_keys
	for each statement execute function notify_signing_keys_changed();

-- Actions that someone may have to answer for, in partitions of a month. They are never dropped.
create table audit (
	-- Ascends with time.
	id uuid not null,
	at timestamptz not null,
	-- No references, because an entry outlives its key and tenant. Null for the operator.
	key_id uuid,
	owner_id uuid,
	tenant_id uuid,
	-- A network address, or the operator's account and machine.
	address text not null,
	action text not null,
	-- What the action was done to.
	subject text not null,
	request_id text,
	details jsonb not null,
	client_id text,
	-- Members that the action changed.
	changed text[] not null default '{}',
	-- The person, when it was done in the console, and the person's session.
	user_id uuid,
	session_id uuid,
	primary key (id)
) partition by range (id);
create table audit_default partition of audit default;
-- Recent actions of a key are counted.
create index audit_by_key on audit (key_id, action, at);
create index audit_by_owner on audit (owner_id, id desc);
create index audit_of_nobody on audit (tenant_id, id desc) where owner_id is null;
create trigger audit_never_truncated before truncate on audit for each statement execute function refuse_change();
create trigger audit_once before update or delete on audit for each row execute function refuse_change();

-- Hourly limits: one row for each tenant and policy, whatever the limit. Half of each page stays free, so that a new
-- count is written beside the old one.
create table call_counts (
	subject_id uuid not null,
	policy text not null,
	-- The latest slice of time, as a number counted from 1970.
	slot bigint not null,
	-- A ring: slice n is counted at position n modulo the length.
	counts int[] not null,
	primary key (subject_id, policy)
) with (fillfactor = 50);

-- A bucket for each caller and policy that was used lately. Unlogged: after a crash of the server the buckets are full
-- again.
create unlogged table rate_buckets (
	subject text not null,
	policy text not null,
	quota float8 not null,
	per_second float8 not null,
	-- Below zero if several processes have spent the same quota.
	level float8 not null,
	-- Taken by the process that wrote last.
	taken float8 not null,
	as_of timestamptz not null,
	primary key (subject, policy)
) with (fillfactor = 50);

-- Answers by day of the country, API key, tenant and operation. An id of zeros stands for none, because a key column
-- cannot be null.
create table usage_days (
	day date not null,
	key_id uuid not null,
	tenant_id uuid not null,
	operation text not null,
	-- Null for the demo key.
	owner_id uuid,
	succeeded bigint not null,
	unmodified bigint not null,
	refused bigint not null,
	limited bigint not null,
	failed bigint not null,
	items bigint not null,
	-- Items that are billed. Those of a list check are known when it is done, and count for the key that sent the list.
	billable bigint not null default 0,
	primary key (day, key_id, tenant_id, operation)
) with (fillfactor = 80);
create index usage_days_owner on usage_days (owner_id, day);
create index usage_days_tenant on usage_days (tenant_id, day) where owner_id is null;

-- Writes that a process has made, so that a repeated one counts once.
create table usage_writes (
	id uuid primary key,
	written_at timestamptz not null default now()
);

-- People who sign in to the console. Passwords are slow hashes, TOTP secrets are sealed, and everything that a link, a
-- cookie or a recovery code contains is kept as SHA-256 of a long random text.

create table users (
	id uuid primary key,
	-- In lower case.
	email text not null unique check (email = lower(email)),
	name text not null,
	language text not null default 'es' check (language in ('es', 'en')),
	-- Of the console: theme, time zone, shortcuts, as the console writes them.
	settings jsonb not null default '{}',
	-- A PHC string of argon2id.
	password_hash text,
	password_at timestamptz,
	-- Sealed for `user-totp|<id>`. It counts from its confirmation on.
	sealed_totp_secret bytea,
	totp_at timestamptz,
	-- The last step of time whose code was used: no code is used twice.
	totp_step bigint,
	created_at timestamptz not null,
	disabled_at timestamptz
);
create trigger users_changed after delete or update of email, disabled_at, password_hash, totp_at on users
	for each row execute function notify_user_changed();

-- What a person may do. Null for the owner: operators, and in a local sandbox the companies of the demo key.
create table user_memberships (
	id uuid primary key,
	user_id uuid not null references users on delete cascade,
	owner_id uuid references owners,
	role text not null check (role in ('viewer', 'accountant', 'developer', 'owner', 'operator', 'operator-readonly')),
	-- The companies that the person sees; null for all of the owner.
	tenant_ids uuid[],
	created_at timestamptz not null,
	constraint user_memberships_operators_have_no_owner check (role not like 'operator%' or (owner_id is null and tenant_ids is null))
);
create unique index user_memberships_once on user_memberships (user_id, owner_id, (role like 'operator%')) nulls not distinct;
create index user_memberships_by_owner on user_memberships (owner_id);
create trigger user_memberships_changed after insert or delete or update on user_memberships
	for each row execute function notify_membership_changed();

-- Companies that an operator may read for a while, as their owners see.
create table operator_accesses (
	id uuid primary key,
	tenant_id uuid not null,
	user_id uuid not null references users on delete cascade,
	reason text not null,
	created_at timestamptz not null,
	expires_at timestamptz not null check (expires_at > created_at)
);
create index operator_accesses_by_user on operator_accesses (user_id, expires_at);
create index operator_accesses_by_tenant on operator_accesses (tenant_id, created_at);
create trigger operator_accesses_changed after insert or delete or update on operator_accesses
	for each row execute function notify_membership_changed();

create table user_passkeys (
	id uuid primary key,
	user_id uuid not null references users on delete cascade,
	credential_id bytea not null unique,
	-- COSE.
	public_key bytea not null,
	counter bigint not null,
	transports text[] not null default '{}',
	label text not null,
	is_backed_up boolean not null default false,
	created_at timestamptz not null,
	last_used_at timestamptz
);
create index user_passkeys_by_user on user_passkeys (user_id);
create trigger user_passkeys_changed after insert or delete on user_passkeys
	for each row execute function notify_membership_changed();

create table user_recovery_codes (
	user_id uuid not null references users on delete cascade,
	digest bytea not null check (length(digest) = 32),
	used_at timestamptz,
	primary key (user_id, digest)
);

-- Single-use secrets that were printed, mailed or given to a browser: sign-in and recovery links, challenges of passkeys.
create table user_links (
	digest bytea primary key check (length(digest) = 32),
	kind text not null check (kind in ('sign-in', 'recovery', 'challenge')),
	-- Null for a challenge of a sign-in, whose person is not known yet.
	user_id uuid references users on delete cascade,
	created_at timestamptz not null,
	expires_at timestamptz not null,
	used_at timestamptz
);
create index user_links_expiry on user_links (expires_at);
create index user_links_by_user on user_links (user_id) where user_id is not null;

create table user_invitations (
	id uuid primary key,
	digest bytea not null unique check (length(digest) = 32),
	-- In lower case: the invitation is for this address alone.
	email text not null check (email = lower(email)),
	owner_id uuid references owners,
	role text not null check (role in ('viewer', 'accountant', 'developer', 'owner', 'operator', 'operator-readonly')),
	tenant_ids uuid[],
	language text not null default 'es' check (language in ('es', 'en')),
	-- Null for the operator's command.
	invited_by uuid,
	created_at timestamptz not null,
	expires_at timestamptz not null,
	accepted_at timestamptz,
	revoked_at timestamptz
);
create index user_invitations_by_owner on user_invitations (owner_id, created_at);

-- Filters of a list that a person has saved.
create table user_views (
	id uuid primary key,
	user_id uuid not null references users on delete cascade,
	page text not null,
	name text not null,
	-- The query of the page's address.
	query text not null,
	created_at timestamptz not null
);
create index user_views_by_user on user_views (user_id, id);

-- Wrong passwords in a row by e-mail, whether or not the address is known.
create table user_sign_in_failures (
	-- SHA-256 of the address in lower case.
	digest bytea primary key check (length(digest) = 32),
	failures int not null,
	failed_at timestamptz not null
);
create index user_sign_in_failures_by_time on user_sign_in_failures (failed_at);

create table user_sessions (
	id uuid primary key,
	user_id uuid not null references users on delete cascade,
	token_digest bytea not null unique check (length(token_digest) = 32),
	token_at timestamptz not null,
	-- The token before, which other tabs may still send for a moment.
	former_digest bytea unique check (length(former_digest) = 32),
	former_until timestamptz,
	method text not null check (method in ('passkey', 'password', 'link', 'recovery', 'sso')),
	-- A session of an operator is shorter, and of the roles of its person it has the operator's too.
	is_operator boolean not null,
	address text not null,
	-- As the browser names itself, shortened.
	agent text not null,
	created_at timestamptz not null,
	-- Written at most once a minute.
	last_seen_at timestamptz not null,
	idle_seconds int not null,
	expires_at timestamptz not null,
	-- When a factor was shown last.
	confirmed_at timestamptz not null,
	ended_at timestamptz
);
create index user_sessions_by_user on user_sessions (user_id, created_at);
create index user_sessions_expiry on user_sessions (expires_at);
create trigger user_sessions_changed after delete or update of token_digest, former_digest, confirmed_at, expires_at, ended_at on user_sessions
	for each row execute function notify_session_changed();
