-- Announcements of the changelog.

-- E-mails that announce changes, each sent once to an address.
create table announcement_mails (
	id uuid primary key,
	-- Anchor in the changelog.
	announcement text not null,
	address text not null,
	queued_at timestamptz not null default now(),
	-- When a transport accepted it; a crash before this is written sends it again under the same Message-ID.
	sent_at timestamptz
);
create unique index announcement_mails_once on announcement_mails (announcement, lower(address));

-- The embedded portal.

-- Where each company's portal may be embedded.
create table portals (
	tenant_id uuid primary key,
	-- In the portal's address.
	id uuid not null unique,
	origins text[] not null check (cardinality(origins) <= 10),
	updated_at timestamptz not null
);

-- Links to portals that were not opened yet; a link goes when it is opened.
create table portal_links (
	digest bytea primary key check (length(digest) = 32),
	tenant_id uuid not null,
	pages text[] not null,
	-- Whether deliveries may be sent again.
	redeliver boolean not null,
	-- The key or the session that made it, for which it acts.
	key_id uuid,
	session_id uuid,
	expires_at timestamptz not null
);
create index portal_links_by_tenant on portal_links (tenant_id, expires_at);
