-- Accepted invoices on their way to the buyer: who receives electronically, what was sent to whom, and what they acknowledged. New tables: no
-- lock on anything, no time.

-- What the authority's directory has said of a taxpayer. One without addresses is not listed.
create table receiver_directory (
	segment text not null,
	rnc text not null,
	name text,
	reception_url text,
	approval_url text,
	authentication_url text,
	asked_at timestamptz not null default now(),
	-- Since when it says so.
	changed_at timestamptz not null default now(),
	primary key (segment, rnc),
	check ((reception_url is null) = (approval_url is null))
);

create table buyer_deliveries (
	doc_id uuid primary key references invoices,
	tenant_id uuid not null,
	buyer_rnc text not null,
	state text not null check (state in ('pending', 'not-listed', 'delivered', 'refused', 'undelivered')),
	-- Why the buyer did not take it, by the acknowledgement's code.
	motive int,
	detail text,
	-- Counts what is shown of it.
	version int not null default 1,
	created_at timestamptz not null default now(),
	updated_at timestamptz not null default now()
);

-- A row stands here before the socket is written to: one without a result may have arrived.
create table buyer_delivery_attempts (
	doc_id uuid not null references buyer_deliveries,
	n int not null,
	host text not null,
	intent_at timestamptz not null default now(),
	result text check (result in ('delivered', 'refused', 'not-sent', 'unknown')),
	http_status int,
	detail text,
	finished_at timestamptz,
	primary key (doc_id, n)
);

-- Acknowledgements as they came, verified before they are kept.
create table buyer_acknowledgements (
	doc_id uuid not null,
	n int not null,
	tenant_id uuid not null,
	-- 0 received, 1 not, and then the motive.
	state int not null,
	motive int,
	document bytea not null,
	sha256 bytea not null,
	signer text not null,
	received_at timestamptz not null default now(),
	primary key (doc_id, n),
	foreign key (doc_id, n) references buyer_delivery_attempts
);
create trigger buyer_acknowledgements_once before update or delete on buyer_acknowledgements
	for each row execute function refuse_change();
create trigger buyer_acknowledgements_never_truncated before truncate on buyer_acknowledgements
	for each statement execute function refuse_change();

-- A document that has arrived stays delivered, whatever the code does.
create function refuse_undelivering() returns trigger language plpgsql as $$
begin
	if old.state = 'delivered' and new.state is distinct from old.state then
		raise exception 'document % is delivered: it cannot become %', old.doc_id, new.state;
	end if;
	return new;
end $$;
create trigger buyer_deliveries_once before update on buyer_deliveries for each row execute function refuse_undelivering();
create trigger buyer_deliveries_belonging before update of doc_id, tenant_id on buyer_deliveries for each row
	when (new.doc_id is distinct from old.doc_id or new.tenant_id is distinct from old.tenant_id)
	execute function keep_belonging();
do $$
begin
	execute format('alter function refuse_undelivering() set search_path = %I, pg_temp', current_schema());
end $$;
