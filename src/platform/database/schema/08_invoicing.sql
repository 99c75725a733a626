-- Invoices and what follows from them: submissions, sequences of numbers, test sets, e-mails, deliveries to buyers, and
-- sums for reports.

-- Documents. What is known when a document is issued is written once: `documents` for lists and sums, `papers` for the long
-- texts. What follows is written once as well: `steps` and the `verdict`. Only documents that take long or fail have a row
-- that changes, in `open_documents`. One without verdict and without that row is pending, in the phase `queued` or
-- `sending`, as its steps say.
--
-- Partitions are ranges of `doc_id`, a UUIDv7, made by `maintain_partitions`; the default takes what lies outside of them.
create table documents (
	tenant_id uuid not null,
	-- The `trackId` of the API too.
	doc_id uuid not null,
	received_at timestamptz not null,
	-- Of the signed e-CF.
	sha256 bytea not null,
	-- MontoTotal without taxes, and the taxes, in cents of a peso; their sum is MontoTotal.
	subtotal bigint not null,
	tax bigint not null,
	issue_date date not null,
	type smallint not null,
	-- Of the authority, for which it was signed: (t)est, (c)ertification, (p)roduction.
	environment "char" not null check (environment in ('t', 'c', 'p')),
	-- What is sent is the summary among the papers.
	has_summary boolean not null,
	encf text collate "C" not null,
	client_request_id text collate "C",
	-- Digits.
	customer_rnc text collate "C",
	customer_name text collate "C",
	branch text,
	-- The number that a note modifies; null if that is another issuer's.
	modifies text,
	-- The certification test set of the document. It is in no list and no sum then.
	test_set_id uuid,
	-- {currency, subtotal, tax, grandTotal}: the amounts as sent, where they differ from those in pesos with two decimals.
	shown json,
	-- What is shown of it in the acknowledgement and in its status; null if there are none.
	warnings json,
	primary key (tenant_id, doc_id)
) partition by range (doc_id);
create table documents_default partition of documents default;
create index documents_by_buyer on documents (tenant_id, customer_rnc, received_at, doc_id) where customer_rnc is not null;
create index documents_by_issue_date on documents (tenant_id, issue_date, received_at, doc_id);
create index documents_by_name on documents (tenant_id, fold_name(customer_name)) where customer_name is not null;
create index documents_by_receipt on documents (tenant_id, received_at, doc_id);
create index documents_by_total on documents (tenant_id, (subtotal + tax));
-- What earlier notes have left of a document is computed whenever another note comes.
create index documents_modifying on documents (tenant_id, modifies) where modifies is not null;
create trigger documents_never_truncated before truncate on documents for each statement execute function refuse_change();
create trigger documents_once before update or delete on documents for each row execute function refuse_change();

-- What a document is made of, compressed: request, acknowledgement, signed bytes, and what was known at the time. The form
-- is that of `src/invoicing/invoices/model/papers.ts`.
create table papers (
	tenant_id uuid not null,
	doc_id uuid not null,
	body bytea not null,
	primary key (tenant_id, doc_id)
) partition by range (doc_id);
alter table papers alter column body set storage external;
create table papers_default partition of papers default with (toast_tuple_target = 8160);
create trigger papers_never_truncated before truncate on papers for each statement execute function refuse_change();
create trigger papers_once before update or delete on papers for each row execute function refuse_change();

-- What has been done with a document, one row for each write: intents and results of sendings, the authority's answers
-- verbatim, entries of the history. The form is that of `src/invoicing/invoices/model/steps.ts`.
create table steps (
	tenant_id uuid not null,
	doc_id uuid not null,
	-- From 1 on, without gaps. Negative, in no order: of a holder that had lost its lease, so only its answers count.
	n int not null,
	body bytea not null,
	primary key (tenant_id, doc_id, n)
) partition by range (doc_id);
alter table steps alter column body set storage external;
create table steps_default partition of steps default with (toast_tuple_target = 8160);
create trigger steps_never_truncated before truncate on steps for each statement execute function refuse_change();
create trigger steps_once before update or delete on steps for each row execute function refuse_change();

-- Days of papers and steps: whether their sealed objects were asked for again, and when the rows were dropped.
create table paper_days (
	-- Of the documents' ids, UTC.
	day date primary key,
	begun_at timestamptz not null,
	-- The last document that was checked, in the order of tenant and id; null before the first one.
	checked_tenant uuid,
	checked_doc uuid,
	is_checked boolean not null default false,
	-- How many documents were looked at, and those that were not sealed.
	documents bigint not null default 0,
	left_tenants uuid[] not null default '{}',
	left_documents uuid[] not null default '{}',
	-- Documents whose object is not as it was written, and could not be sealed again.
	faults int not null default 0,
	dropped_at timestamptz
);

-- The authority's verdicts. The key makes the first one final.
create table verdicts (
	tenant_id uuid not null,
	doc_id uuid not null,
	decided_at timestamptz not null,
	-- Of the event that reports it, in the tenant's feed; null if none does.
	sequence bigint,
	-- The document's version, as its callers see it.
	version int not null,
	-- (a)ccepted or (r)ejected.
	status "char" not null check (status in ('a', 'r')),
	-- False once the authority has said that the number was not consumed: another document may use it then.
	consumed boolean not null,
	-- Sendings that were begun, and steps that failed on our side.
	attempts int not null,
	code text,
	-- The authority's.
	track_id text,
	-- The rest of what is shown of it; null if it is what the code says.
	more json,
	primary key (tenant_id, doc_id)
) partition by range (doc_id);
create table verdicts_default partition of verdicts default;
create index verdicts_by_code on verdicts (tenant_id, code, doc_id) where code <> '1';
create index verdicts_rejected on verdicts (tenant_id, doc_id) where status = 'r';
create trigger verdicts_never_truncated before truncate on verdicts for each statement execute function refuse_change();
create trigger verdicts_once before update or delete on verdicts for each row execute function refuse_change();

-- Documents that take long, and failed ones; the verdict removes the row.
create table open_documents (
	tenant_id uuid not null,
	doc_id uuid not null,
	-- (p)ending or (f)ailed.
	status "char" not null check (status in ('p', 'f')),
	phase text not null check (phase in ('queued', 'held', 'sending', 'unconfirmed', 'tracking', 'decided')),
	track_id text,
	-- [{n, at, result}]: its sendings, except those that were not sent and do not matter any more.
	sendings json not null,
	attempts int not null,
	contingency_since timestamptz,
	contingency_told boolean not null default false,
	-- Since when every step has failed on our side; null while steps succeed. The internal SLA counts from here.
	internal_failure_since timestamptz,
	next_attempt_at timestamptz,
	-- JSON as it is shown.
	failure json,
	-- Of the newest entry of its history.
	detail text,
	version int not null,
	-- Of a failed document: when it failed.
	updated_at timestamptz not null,
	primary key (tenant_id, doc_id)
) with (fillfactor = 70);
create index open_documents_held on open_documents (tenant_id) where phase = 'held';

-- Names that only one document of a tenant has: its number in each environment of the authority, (t)est, (c)ertification and
-- (p)roduction, and its (i)d that the caller gave, `client_request_id`.
create table names (
	tenant_id uuid not null,
	kind "char" not null check (kind in ('t', 'c', 'p', 'i')),
	name text collate "C" not null,
	doc_id uuid not null,
	primary key (tenant_id, kind, name)
);
-- Numbers that documents have given back.
create table released_names (
	tenant_id uuid not null,
	kind "char" not null,
	name text collate "C" not null,
	doc_id uuid not null,
	primary key (tenant_id, kind, name, doc_id)
);

-- Number sequences. A number is in exactly one place: `free` of its sequence, `numbers` of one hold, an invoice, or a
-- void. Moving numbers requires the lock of the row here.
create table sequence_types (
	tenant_id uuid not null references companies,
	type text not null,
	-- How many numbers were free after the last registration; `sequence.low` refers to it.
	capacity bigint not null default 0,
	-- The lowest percentage that `sequence.low` has reported since then.
	low_told int,
	primary key (tenant_id, type)
);

-- Companies that get no numbers until theirs have been compared with the archive and the authority, because a failover may
-- have lost documents that have numbers.
create table sequences_unreconciled (
	tenant_id uuid not null references companies,
	-- No document was lost before.
	since timestamptz not null,
	primary key (tenant_id)
);

-- Registered ranges.
create table sequences (
	id uuid not null,
	tenant_id uuid not null,
	type text not null,
	numbers int8range not null,
	free int8multirange not null,
	-- The last day on which its numbers may be used; null for types that have none.
	expires_on date,
	created_at timestamptz not null default now(),
	primary key (tenant_id, id),
	foreign key (tenant_id, type) references sequence_types,
	check (free <@ numbers)
);
create index sequences_by_type on sequences (tenant_id, type);

-- Numbers leased to a point of sale; they are in its holds.
create table sequence_leases (
	id uuid not null,
	tenant_id uuid not null references companies,
	type text not null,
	count int not null,
	-- [{from, to, expiresOn}]
	ranges json not null,
	created_at timestamptz not null default now(),
	expires_at timestamptz not null,
	returned_at timestamptz,
	primary key (tenant_id, id)
);

-- Numbers taken from `free` that no document has yet: one for a document that is being signed, many for a lease.
create table sequence_holds (
	-- The id of the lease, if it is one.
	id uuid not null,
	sequence_id uuid not null,
	tenant_id uuid not null,
	type text not null,
	numbers int8multirange not null,
	-- The request that holds it; null for a lease.
	place text,
	expires_at timestamptz not null,
	-- The day (UTC-4) on which the numbers were given. Numbers that come back unused were not used on that day.
	given_on date not null default (now() at time zone interval '-04:00')::date,
	primary key (tenant_id, id, sequence_id),
	foreign key (tenant_id, sequence_id) references sequences
);
create index sequence_holds_by_type on sequence_holds (tenant_id, type, expires_at);
create unique index sequence_holds_place on sequence_holds (tenant_id, place);

-- Numbers given per day (UTC-4), so that a forecast reads a few rows.
create table sequence_usage (
	tenant_id uuid not null,
	type text not null,
	day date not null,
	given bigint not null,
	primary key (tenant_id, type, day)
);

-- Numbers that the company gives up.
create table sequence_voids (
	id uuid not null,
	tenant_id uuid not null references companies,
	type text not null,
	numbers int8range not null,
	reason text not null,
	status text not null default 'pending'
		check (status in ('pending', 'voided', 'partly-voided', 'rejected', 'unconfirmed', 'failed')),
	-- Signed once; every sending has these bytes.
	document bytea,
	sha256 bytea,
	signed_at timestamptz,
	messages json not null default '[]',
	created_at timestamptz not null default now(),
	decided_at timestamptz,
	-- The environment that the company has left; null while it is there.
	elsewhere text,
	primary key (tenant_id, id)
);
create index sequence_voids_by_type on sequence_voids (tenant_id, type);
create trigger sequence_voids_belonging before update of id, tenant_id on sequence_voids
	for each row when (new.id is distinct from old.id or new.tenant_id is distinct from old.tenant_id)
	execute function keep_belonging();
create trigger sequence_voids_once before update on sequence_voids for each row execute function refuse_other_void();

-- What was sent for a void and answered. Each row is written once:
--   intent  written before the socket is; without a result, the outcome is unknown
--   result  how an attempt ended
--   answer  what the authority answered, verbatim
create table sequence_void_steps (
	tenant_id uuid not null,
	void_id uuid not null,
	n int generated always as identity,
	kind text not null check (kind in ('intent', 'result', 'answer')),
	at timestamptz not null default now(),
	-- The intent that a result belongs to.
	attempt int,
	result text,
	detail text,
	operation text,
	http_status int,
	media_type text,
	body text,
	primary key (tenant_id, void_id, n),
	foreign key (tenant_id, void_id) references sequence_voids,
	check ((kind = 'result') = (attempt is not null and result is not null) and (kind = 'answer') = (body is not null))
);
create trigger sequence_void_steps_never_truncated before truncate on sequence_void_steps
	for each statement execute function refuse_change();
create trigger sequence_void_steps_once before update or delete on sequence_void_steps
	for each row execute function refuse_change();

-- Certification test sets.
create table test_sets (
	id uuid not null,
	tenant_id uuid not null references companies,
	environment text not null,
	mode text not null check (mode in ('simulate', 'authority')),
	status text not null default 'pending'
		check (status in ('pending', 'generating', 'submitting', 'validating', 'passed', 'failed', 'expired', 'cancelled')),
	-- As requested. What they depend on is added.
	types json not null,
	niche text not null,
	-- The first number of the first run; null lets the service choose.
	start_number bigint,
	-- The other party of its documents.
	buyer json not null,
	run int not null default 1,
	runs_max int not null,
	failure json,
	version int not null default 1,
	created_at timestamptz not null default now(),
	started_at timestamptz,
	completed_at timestamptz,
	expires_at timestamptz not null,
	primary key (tenant_id, id)
);
-- A company has one active set in an environment; a second could spoil the first one's count at the authority.
create unique index test_sets_active on test_sets (tenant_id, environment)
	where status in ('pending', 'generating', 'submitting', 'validating');

-- The documents of a set in each run.
create table test_set_cases (
	set_id uuid not null,
	run int not null,
	ordinal int not null,
	tenant_id uuid not null,
	name text not null,
	type text not null,
	encf text not null,
	depends_on text,
	-- The id that its invoice gets when it is sent. A rehearsed case never becomes an invoice.
	doc_id uuid not null,
	is_rehearsed boolean not null,
	-- The signed document as JSON. What is sent was signed before anything was sent.
	document text not null,
	status text not null default 'generated'
		check (status in ('generated', 'pending', 'accepted', 'rejected', 'failed', 'withdrawn')),
	sent_at timestamptz,
	authority json,
	-- Answers to a rehearsed case; those to a real one are kept with its invoice.
	answers json not null default '[]',
	primary key (tenant_id, set_id, run, ordinal),
	foreign key (tenant_id, set_id) references test_sets
);
alter table test_set_cases alter column document set statistics 0, alter column answers set statistics 0;
-- The authority takes a number once, rejected or not.
create unique index test_set_cases_encf on test_set_cases (tenant_id, encf) where not is_rehearsed;

-- Bodies that wait for a person's approval.
create table prepared_invoices (
	tenant_id uuid not null references companies,
	id uuid not null,
	-- Compact JSON, and its digest, which an approval names.
	body text not null,
	sha256 bytea not null,
	-- It is issued under this key. A rejection takes the key.
	idempotency_key uuid not null,
	summary json not null,
	validation json not null,
	created_at timestamptz not null default now(),
	expires_at timestamptz not null,
	-- When an approval last began.
	approved_at timestamptz,
	issued_at timestamptz,
	doc_id uuid,
	rejected_at timestamptz,
	reason text,
	primary key (tenant_id, id),
	check (doc_id is null or rejected_at is null)
);
alter table prepared_invoices alter column body set statistics 0, alter column summary set statistics 0,
	alter column validation set statistics 0;
create index prepared_invoices_waiting on prepared_invoices (tenant_id, expires_at) where doc_id is null and rejected_at is null;

-- E-mails with documents: each request, and the result for each recipient.
create table emails (
	id uuid not null,
	tenant_id uuid not null,
	doc_id uuid not null,
	subject text not null,
	-- The company's own words above the text of the e-mail.
	message text not null,
	attach text[] not null check (attach <@ array['pdf', 'xml']),
	locale text not null check (locale in ('es', 'en')),
	created_at timestamptz not null,
	primary key (tenant_id, id)
);
-- A document's e-mails in their order, and how many there were in a day.
create index emails_of_document on emails (tenant_id, doc_id, id);

create table email_recipients (
	tenant_id uuid not null,
	-- In the Message-ID of everything that goes to this recipient, and so in what comes back.
	id uuid not null,
	email_id uuid not null,
	place int not null,
	kind text not null check (kind in ('to', 'cc')),
	address text not null,
	-- In this order: a notice moves a recipient to the right or changes nothing. `failed` is final.
	status text not null default 'queued'
		check (status in ('queued', 'skipped', 'failed', 'sent', 'delivered', 'bounced', 'complained')),
	reason text,
	-- Attempts that were begun.
	attempts int not null default 0,
	-- When a server accepted it. A crash before this is written sends it again under the same Message-ID.
	sent_at timestamptz,
	updated_at timestamptz not null,
	primary key (tenant_id, id),
	unique (tenant_id, email_id, place),
	foreign key (tenant_id, email_id) references emails
);
-- A notice names a recipient without its tenant.
create index email_recipients_by_id on email_recipients (id);

-- What the authority's directory says about a taxpayer. One without addresses is not listed.
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

-- Accepted documents on their way to the buyer.
create table buyer_deliveries (
	doc_id uuid not null,
	tenant_id uuid not null,
	buyer_rnc text not null,
	state text not null check (state in ('pending', 'not-listed', 'delivered', 'refused', 'undelivered')),
	-- Why the buyer did not accept it: the code of the acknowledgement.
	motive int,
	detail text,
	-- Counts visible changes.
	version int not null default 1,
	created_at timestamptz not null default now(),
	updated_at timestamptz not null default now(),
	primary key (tenant_id, doc_id)
);
create trigger buyer_deliveries_belonging before update of doc_id, tenant_id on buyer_deliveries
	for each row when (new.doc_id is distinct from old.doc_id or new.tenant_id is distinct from old.tenant_id)
	execute function keep_belonging();
create trigger buyer_deliveries_once before update on buyer_deliveries
	for each row execute function refuse_undelivering();

-- What was sent to a buyer and came back. Each row is written once: the intent before the socket is, the result with the
-- acknowledgement as received, if a valid one came. An attempt without a result may have arrived.
create table buyer_papers (
	tenant_id uuid not null,
	doc_id uuid not null,
	-- The attempt.
	n int not null,
	kind text not null check (kind in ('intent', 'result')),
	at timestamptz not null default now(),
	host text,
	result text check (result in ('delivered', 'refused', 'not-sent', 'unknown')),
	http_status int,
	detail text,
	-- 0: received. 1: not received, with a motive.
	state int,
	motive int,
	acknowledgement bytea,
	sha256 bytea,
	signer text,
	primary key (tenant_id, doc_id, n, kind),
	foreign key (tenant_id, doc_id) references buyer_deliveries,
	check ((kind = 'intent') = (host is not null) and (kind = 'result') = (result is not null)
		and num_nulls(state, acknowledgement, sha256, signer) in (0, 4) and (acknowledgement is null or kind = 'result'))
);
create trigger buyer_papers_never_truncated before truncate on buyer_papers
	for each statement execute function refuse_change();
create trigger buyer_papers_once before update or delete on buyer_papers
	for each row execute function refuse_change();

-- Sums of accepted and rejected documents for reports, up to `folded_sequence` of the tenant's event feed, as `fold_sums`
-- writes them. Verdicts never change, so nothing is ever subtracted. Readers add what was decided later, and the failed
-- documents, with `list_live`.
create table day_sums (
	tenant_id uuid not null,
	environment "char" not null,
	-- The issue date.
	day date not null,
	type smallint not null,
	status "char" not null,
	-- Empty if there is none, like an absent buyer below.
	branch text not null,
	count bigint not null,
	-- In cents; negative for credit notes.
	subtotal numeric not null,
	tax numeric not null,
	primary key (tenant_id, environment, day, type, status, branch)
) with (fillfactor = 60);

-- Sums of a month by buyer.
create table customer_sums (
	tenant_id uuid not null,
	environment "char" not null,
	-- The first day of the month.
	month date not null,
	customer_rnc text not null,
	type smallint not null,
	status "char" not null,
	-- The newest issue date.
	newest date not null,
	count bigint not null,
	subtotal numeric not null,
	tax numeric not null,
	primary key (tenant_id, environment, month, customer_rnc, type, status)
) with (fillfactor = 80);

-- How many documents of a day have been folded, and its digest. That one holds for as many decided documents as were
-- `counted`, folded or not, and for the failed ones whose ids `failed` is a hash of, null if there were none.
create table day_digests (
	tenant_id uuid not null,
	environment "char" not null,
	day date not null,
	documents bigint not null default 0,
	digest bytea,
	counted bigint,
	failed bytea,
	primary key (tenant_id, environment, day)
) with (fillfactor = 60);
create index day_digests_open on day_digests (day) where digest is null;

alter table sequences_elsewhere add foreign key (tenant_id, type) references sequence_types;
