-- Mails that announce changes, each to one address, once. New table: no lock on anything, no time.
create table announcement_mails (
	id uuid primary key,
	-- Anchor in the changelog.
	announcement text not null,
	address text not null,
	queued_at timestamptz not null default now(),
	-- When a transport had it; a crash in between sends it again under the same Message-ID.
	sent_at timestamptz
);
create unique index announcement_mails_once on announcement_mails (announcement, lower(address));
