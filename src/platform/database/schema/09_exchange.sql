-- Documents between taxpayers: those that a company receives, and commercial approvals in both directions.

-- Documents that a company receives from its suppliers. The document and the answer to it are written once.
create table received_documents (
	tenant_id uuid not null references companies,
	-- Ids ascend in the order of receipt.
	id uuid not null,
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
	-- The authority's environment that the company was in when the document came.
	segment text not null check (segment in ('testecf', 'certecf', 'ecf')),
	sha256 bytea not null check (length(sha256) = 32),
	signer text not null,
	-- What the authority is asked with and the printed code shows: the beginning of the signature, and its time as
	-- written.
	security_code text not null,
	signed_at_text text not null,
	signature_valid boolean not null check (signature_valid),
	acknowledgement text not null check (acknowledgement = 'received'),
	source text not null check (source in ('peer', 'import')),
	received_at timestamptz not null,
	primary key (tenant_id, id)
);
-- A number belongs to the document that the authority accepted under it. Until then several documents may have it, but
-- the same bytes count once.
create unique index received_documents_once_each on received_documents (tenant_id, issuer_rnc, encf, sha256);
create trigger received_documents_never_truncated before truncate on received_documents
	for each statement execute function refuse_change();
create trigger received_documents_once before update or delete on received_documents
	for each row execute function refuse_change();

-- The bytes of a received document and the signed answer, in partitions of a day, which are dropped like `papers`.
create table received_papers (
	tenant_id uuid not null,
	id uuid not null,
	xml bytea not null check (length(xml) > 0),
	-- Null for a document that was imported by hand.
	arecf bytea,
	primary key (tenant_id, id)
) partition by range (id);
create table received_papers_default partition of received_papers default;
create trigger received_papers_never_truncated before truncate on received_papers
	for each statement execute function refuse_change();
create trigger received_papers_once before update or delete on received_papers
	for each row execute function refuse_change();

-- What can still change of a received document.
create table received_standings (
	tenant_id uuid not null references companies,
	document_id uuid not null,
	authority_status text not null default 'unknown'
		check (authority_status in ('unknown', 'accepted', 'rejected', 'not_found')),
	asked_at timestamptz,
	primary key (tenant_id, document_id),
	foreign key (tenant_id, document_id) references received_documents
);
create index received_standings_by_status on received_standings (tenant_id, authority_status, document_id);

-- Seeds for which a token was issued. Each is valid once.
create table peer_seeds_used (
	digest bytea primary key,
	expires_at timestamptz not null
);
create index peer_seeds_used_expired on peer_seeds_used (expires_at);

-- Commercial approvals: a company's decision on a received document, and its buyers' decisions on its own. The
-- decision, its signed bytes and the authority's answers are written once.
create table approvals (
	tenant_id uuid not null references companies,
	id uuid not null,
	direction text not null check (direction in ('in', 'out')),
	-- Out: the document that the company received, decided once.
	received_document_id uuid,
	-- In: the company's own document, decided once.
	doc_id uuid,
	issuer_rnc text not null,
	buyer_rnc text not null,
	encf text not null,
	issue_date date not null,
	total numeric(18, 2) not null,
	decision text not null check (decision in ('approved', 'rejected')),
	reason text check (length(reason) between 1 and 250),
	-- The purchase order that the rule found; null for a decision made by a person.
	purchase_order text,
	-- In: the holder of the certificate that signed it.
	signer text,
	-- Out: when it was decided. In: when the buyer says that it was.
	decided_at timestamptz not null,
	created_at timestamptz not null,
	primary key (tenant_id, id),
	unique (tenant_id, received_document_id),
	unique (tenant_id, doc_id),
	foreign key (tenant_id, received_document_id) references received_documents,
	check ((direction = 'out') = (received_document_id is not null) and (direction = 'in') = (doc_id is not null)),
	check (decision = 'approved' or reason is not null)
);
create trigger approvals_never_truncated before truncate on approvals
	for each statement execute function refuse_change();
create trigger approvals_once before update or delete on approvals for each row execute function refuse_change();

-- Where a decision goes: to the issuer and to the authority, each by its own message.
create table approval_deliveries (
	tenant_id uuid not null references companies,
	approval_id uuid not null,
	receiver text not null check (receiver in ('issuer', 'authority')),
	status text not null default 'pending' check (status in ('pending', 'sent', 'refused', 'unconfirmed', 'failed')),
	-- The answer of the other side, or why it was given up: [{code, text}].
	messages json not null default '[]',
	ended_at timestamptz,
	primary key (tenant_id, approval_id, receiver),
	foreign key (tenant_id, approval_id) references approvals
);
create index approval_deliveries_ended on approval_deliveries (tenant_id, approval_id)
	where status in ('refused', 'unconfirmed', 'failed');
create trigger approval_deliveries_sent_once before update on approval_deliveries
	for each row execute function refuse_unsending();

-- What was signed for a decision, sent, and answered. Each row is written once:
--   document  the signed document (ACECF), as it is sent in every attempt or as it was received
--   intent    written before the socket is; without a result, the outcome is unknown
--   result    how an attempt ended
--   answer    what the other side answered, verbatim
create table approval_papers (
	tenant_id uuid not null references companies,
	approval_id uuid not null,
	-- The document has 0.
	n int generated by default as identity,
	kind text not null check (kind in ('document', 'intent', 'result', 'answer')),
	at timestamptz not null default now(),
	receiver text check (receiver in ('issuer', 'authority')),
	-- The intent that a result belongs to.
	attempt int,
	result text,
	detail text,
	operation text,
	http_status int,
	media_type text,
	body bytea,
	-- Of the document.
	sha256 bytea,
	primary key (tenant_id, approval_id, n),
	foreign key (tenant_id, approval_id) references approvals,
	check ((kind = 'document') = (n = 0) and (kind = 'document') = (sha256 is not null)
		and (kind in ('document', 'answer')) = (body is not null) and (kind in ('intent', 'result')) = (receiver is not null)
		and (kind = 'result') = (attempt is not null and result is not null))
);
create trigger approval_papers_never_truncated before truncate on approval_papers
	for each statement execute function refuse_change();
create trigger approval_papers_once before update or delete on approval_papers
	for each row execute function refuse_change();

-- Whether and how the service decides for a company; without a row it does not.
create table approval_rules (
	tenant_id uuid primary key references companies,
	is_enabled boolean not null,
	-- How far a document's total may be from its order's amount.
	tolerance numeric(18, 2) not null check (tolerance >= 0),
	updated_at timestamptz not null default now()
);

-- Open orders that the rule compares with.
create table purchase_orders (
	tenant_id uuid not null references companies,
	number text not null check (length(number) between 1 and 20),
	issuer_rnc text not null,
	amount numeric(18, 2),
	is_reusable boolean not null,
	status text not null check (status in ('open', 'used', 'closed')),
	-- The latest decision that it led to.
	approval_id uuid,
	created_at timestamptz not null default now(),
	updated_at timestamptz not null default now(),
	primary key (tenant_id, number),
	foreign key (tenant_id, approval_id) references approvals
);
