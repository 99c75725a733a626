-- Mails of invoices: what was asked for once, and what became of it with each recipient. New tables; `invoices` is locked against writes for the
-- moment in which the foreign key is made, no row of it is read, no time.
create table emails (
	id uuid primary key,
	tenant_id uuid not null,
	doc_id uuid not null references invoices,
	subject text not null,
	-- The company's own words, above what the mail says by itself.
	message text not null,
	attach text[] not null check (attach <@ array['pdf', 'xml']),
	locale text not null check (locale in ('es', 'en')),
	created_at timestamptz not null
);
-- A document's mails in their order; how many there were in a day.
create index emails_of_document on emails (doc_id, id);

create table email_recipients (
	-- In the Message-ID of everything that goes to this recipient, and so in whatever comes back.
	id uuid primary key,
	email_id uuid not null references emails,
	place int not null,
	kind text not null check (kind in ('to', 'cc')),
	address text not null,
	-- Ranked: a notice moves a recipient to the right of where it is, or changes nothing. `failed` is final.
	status text not null default 'queued' check (status in ('queued', 'failed', 'sent', 'delivered', 'bounced', 'complained')),
	reason text,
	-- Sendings that were begun.
	attempts int not null default 0,
	-- When a server had it. One that dies between its word and this row sends again, under the same Message-ID.
	sent_at timestamptz,
	updated_at timestamptz not null,
	unique (email_id, place)
);
