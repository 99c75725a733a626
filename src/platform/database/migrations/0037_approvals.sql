-- Commercial approvals: a buyer's final word on a document, ours on what we received and our buyers' on what we issued; and the rule that may say
-- it for a company, by its open purchase orders. The word, its signed bytes and the authority's answers are written once; what became of sending
-- it is beside them. New tables: short locks on `companies`, `invoices` and `received_documents` for the foreign keys, no time.
create table approvals (
	id uuid primary key,
	tenant_id uuid not null references companies (tenant_id),
	direction text not null check (direction in ('in', 'out')),
	-- Out: the document that the tenant received. One word on each.
	received_document_id uuid unique references received_documents (id),
	-- In: the tenant's own document. One word on each.
	doc_id uuid unique references invoices (doc_id),
	issuer_rnc text not null,
	buyer_rnc text not null,
	encf text not null,
	issue_date date not null,
	total numeric(18, 2) not null,
	decision text not null check (decision in ('approved', 'rejected')),
	reason text check (length(reason) between 1 and 250),
	-- Whose order the rule found; null of a word that somebody said.
	purchase_order text,
	-- In: the holder of the certificate that signed it.
	signer text,
	-- Out: when it was decided. In: when the buyer says that it was.
	decided_at timestamptz not null,
	created_at timestamptz not null,
	check ((direction = 'out') = (received_document_id is not null) and (direction = 'in') = (doc_id is not null)),
	check (decision = 'approved' or reason is not null)
);
create index approvals_listed on approvals (tenant_id, id);
create trigger approvals_once before update or delete on approvals for each row execute function refuse_change();
create trigger approvals_never_truncated before truncate on approvals for each statement execute function refuse_change();

-- The signed document (ACECF): signed once and sent with these bytes as often as it takes, or as it was received.
create table approval_documents (
	approval_id uuid primary key references approvals (id),
	tenant_id uuid not null references companies (tenant_id),
	bytes bytea not null,
	sha256 bytea not null check (length(sha256) = 32),
	signed_at timestamptz not null
);
create trigger approval_documents_once before update or delete on approval_documents for each row execute function refuse_change();
create trigger approval_documents_never_truncated before truncate on approval_documents
	for each statement execute function refuse_change();

-- Where our word goes: to the issuer and to the authority, each by a message of its own.
create table approval_deliveries (
	approval_id uuid not null references approvals (id),
	receiver text not null check (receiver in ('issuer', 'authority')),
	tenant_id uuid not null references companies (tenant_id),
	status text not null default 'pending' check (status in ('pending', 'sent', 'refused', 'unconfirmed', 'failed')),
	-- What the other side said, or why it was given up: [{code, text}].
	messages json not null default '[]',
	ended_at timestamptz,
	primary key (approval_id, receiver)
);
create index approval_deliveries_ended on approval_deliveries (tenant_id, approval_id) where status in ('refused', 'unconfirmed', 'failed');

-- A row stands here before the socket is written to: an intent without a result means that the outcome is unknown.
create table approval_attempts (
	approval_id uuid not null,
	receiver text not null,
	n int not null,
	intent_at timestamptz not null default now(),
	result text,
	detail text,
	finished_at timestamptz,
	primary key (approval_id, receiver, n),
	foreign key (approval_id, receiver) references approval_deliveries (approval_id, receiver)
);

create table approval_answers (
	approval_id uuid not null references approvals (id),
	n int generated always as identity,
	tenant_id uuid not null references companies (tenant_id),
	at timestamptz not null,
	operation text not null,
	http_status int,
	media_type text,
	body text not null,
	primary key (approval_id, n)
);
create trigger approval_answers_once before update or delete on approval_answers for each row execute function refuse_change();
create trigger approval_answers_never_truncated before truncate on approval_answers for each statement execute function refuse_change();

-- What came to be known stays: a delivery that arrived is not made again.
create function refuse_unsending() returns trigger language plpgsql as $$
begin
	if old.status = 'sent' then
		raise exception 'approval % was sent to the %: it stays so', old.approval_id, old.receiver;
	end if;
	return new;
end $$;
create trigger approval_deliveries_sent_once before update on approval_deliveries for each row execute function refuse_unsending();

-- Whether and how the service decides for a company; no row is no.
create table approval_rules (
	tenant_id uuid primary key references companies (tenant_id),
	is_enabled boolean not null,
	-- How far a document's total may be from its order's amount.
	tolerance numeric(18, 2) not null check (tolerance >= 0),
	updated_at timestamptz not null default now()
);

create table purchase_orders (
	tenant_id uuid not null references companies (tenant_id),
	number text not null check (length(number) between 1 and 20),
	issuer_rnc text not null,
	amount numeric(18, 2),
	is_reusable boolean not null,
	status text not null check (status in ('open', 'used', 'closed')),
	-- The latest word that it led to.
	approval_id uuid references approvals (id),
	created_at timestamptz not null default now(),
	updated_at timestamptz not null default now(),
	primary key (tenant_id, number)
);

-- A sealed document is one that was issued, one that was received, or a word on one of both.
create or replace function describe_archive_object() returns trigger language plpgsql as $$
begin
	if new.status is null then
		-- A document that failed and was brought back has an object for each decision; the earlier ones are those of failures.
		select i.encf, i.type, case when date_trunc('milliseconds', i.decided_at) = new.decided_at then i.status else 'failed' end
		into new.encf, new.type, new.status
		from invoices i where i.doc_id = new.doc_id;
		if not found then
			select r.encf, r.type, r.acknowledgement into new.encf, new.type, new.status from received_documents r where r.id = new.doc_id;
		end if;
		if not found then
			select a.encf, substr(a.encf, 2, 2), 'approval' into new.encf, new.type, new.status from approvals a where a.id = new.doc_id;
		end if;
	end if;
	return new;
end $$;
do $$
declare
	one text;
begin
	foreach one in array array['refuse_unsending()', 'describe_archive_object()'] loop
		execute format('alter function %s set search_path = %I, pg_temp', one, current_schema());
	end loop;
end $$;
