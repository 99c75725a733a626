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
