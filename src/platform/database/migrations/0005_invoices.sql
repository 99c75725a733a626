-- Invoices: the request as it came, the signed bytes, the submission, the verdict, and what happened when.
-- Signed bytes and answers are written once and never changed. New tables: no lock on anything, no time.
create table invoices (
	doc_id uuid primary key,
	track_id uuid not null unique,
	tenant_id uuid not null references companies,
	type text not null,
	encf text not null,
	client_request_id text,
	payload_sha256 bytea not null,
	-- JSON text as received. The `json` columns below keep the order of members in which they are shown; `jsonb` would not.
	request text not null,
	acknowledgement text not null,
	print json not null,
	warnings json not null,
	registry json not null,
	signed_at timestamptz not null,
	status text not null default 'pending' check (status in ('pending', 'accepted', 'rejected', 'failed')),
	phase text not null default 'queued'
		check (phase in ('queued', 'held', 'sending', 'unconfirmed', 'tracking', 'decided')),
	authority_track_id text,
	authority json,
	failure json,
	contingency_since timestamptz,
	attempts int not null default 0,
	next_attempt_at timestamptz,
	-- Since when every step has failed on our side; null while steps succeed. The SLA counts from here.
	internal_failure_since timestamptz,
	-- True once the authority has said that the number was not consumed: it may then be used by another document.
	encf_released boolean not null default false,
	version int not null default 1,
	received_at timestamptz not null,
	updated_at timestamptz not null default now(),
	decided_at timestamptz
);
create unique index invoices_encf on invoices (tenant_id, encf) where not encf_released;
create unique index invoices_client_request_id on invoices (tenant_id, client_request_id);
create index invoices_by_tenant on invoices (tenant_id, doc_id);

create table signed_documents (
	doc_id uuid not null references invoices,
	kind text not null check (kind in ('ecf', 'summary')),
	bytes bytea not null,
	sha256 bytea not null,
	primary key (doc_id, kind)
);

-- A row stands here before the socket is written to: an intent without a result means that the outcome is unknown.
create table submissions (
	doc_id uuid not null references invoices,
	n int not null,
	intent_at timestamptz not null default now(),
	result text,
	detail text,
	finished_at timestamptz,
	primary key (doc_id, n)
);

-- Which document each of the authority's trackIds belongs to. A number that was given back has those of an earlier document too.
create table authority_track_ids (
	track_id text primary key,
	doc_id uuid not null references invoices
);

create table authority_answers (
	doc_id uuid not null references invoices,
	n int generated always as identity,
	at timestamptz not null,
	operation text not null,
	http_status int,
	media_type text,
	body text not null,
	primary key (doc_id, n)
);

create table invoice_history (
	doc_id uuid not null references invoices,
	version int not null,
	at timestamptz not null default now(),
	status text not null,
	phase text not null,
	detail text,
	primary key (doc_id, version)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
	raise exception '% on % is not allowed: its rows are written once', tg_op, tg_table_name;
end $$;
create trigger signed_documents_once before update or delete on signed_documents for each row execute function refuse_change();
create trigger authority_answers_once before update or delete on authority_answers for each row execute function refuse_change();

-- A decided document never changes its status again, whatever the code does.
create function refuse_undeciding() returns trigger language plpgsql as $$
begin
	if old.status in ('accepted', 'rejected') and new.status is distinct from old.status then
		raise exception 'document % is %: it cannot become %', old.doc_id, old.status, new.status;
	end if;
	return new;
end $$;
create trigger invoices_decided_once before update on invoices for each row execute function refuse_undeciding();

-- How the authority has answered lately, shared by all processes: enough failures in a row open the breaker for a while.
create table authority_breaker (
	segment text primary key,
	failures int not null default 0,
	open_until timestamptz
);
