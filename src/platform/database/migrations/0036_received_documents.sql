-- Documents that a company receives from those who sell to it: what came, what was answered, and what the authority says of it. The document and its
-- answer are written once. New tables: a short lock on `companies` for the foreign key, no time.
create table received_documents (
	id uuid primary key,
	tenant_id uuid not null references companies (tenant_id),
	issuer_rnc text not null,
	issuer_name text not null,
	buyer_rnc text not null,
	type text not null check (type in ('31', '33', '34', '44')),
	encf text not null,
	issue_date date not null,
	subtotal numeric(18, 2) not null,
	tax numeric(18, 2) not null,
	grand_total numeric(18, 2) not null,
	order_number text,
	-- Where the authority keeps it: its environment that the company was in when the document came.
	segment text not null check (segment in ('testecf', 'certecf', 'ecf')),
	-- The bytes as they were received; their digest is the document's for ever.
	xml bytea not null check (length(xml) > 0),
	sha256 bytea not null check (length(sha256) = 32),
	signer text not null,
	-- What the authority is asked with and the printed code tells: the beginning of the signature, and its time as it is written.
	security_code text not null,
	signed_at_text text not null,
	signature_valid boolean not null check (signature_valid),
	acknowledgement text not null check (acknowledgement = 'received'),
	-- The signed answer; a document that was imported by hand has none, since nobody waits for it.
	arecf bytea,
	source text not null check (source in ('peer', 'import')),
	received_at timestamptz not null,
	-- One document for each number of an issuer, whoever sends it how often.
	unique (tenant_id, issuer_rnc, encf),
	check ((source = 'peer') = (arecf is not null))
);
-- A page of a list is a walk along it: ids are given in the order of their coming.
create index received_documents_listed on received_documents (tenant_id, id);
create trigger received_documents_once before update or delete on received_documents for each row execute function refuse_change();
create trigger received_documents_never_truncated before truncate on received_documents for each statement execute function refuse_change();

-- What can still change.
create table received_standings (
	document_id uuid primary key references received_documents (id),
	tenant_id uuid not null references companies (tenant_id),
	authority_status text not null default 'unknown' check (authority_status in ('unknown', 'accepted', 'rejected', 'not_found')),
	asked_at timestamptz
);
create index received_standings_by_status on received_standings (tenant_id, authority_status, document_id);

-- Seeds that a token was given for: each is good once.
create table peer_seeds_used (
	digest bytea primary key,
	expires_at timestamptz not null
);
create index peer_seeds_used_expired on peer_seeds_used (expires_at);

-- A sealed document is one that was issued or one that was received.
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
	end if;
	return new;
end $$;
