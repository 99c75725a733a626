-- Number sequences: which e-NCFs a company may use, which of them are free, held, leased or voided.
-- A number is in exactly one place: `free` of its sequence, `numbers` of one hold, an invoice, or a void. Whoever moves numbers
-- holds the row of `sequence_types` first. New tables; one trigger on invoices, which waits for open transactions and takes no time.

create table sequence_types (
	tenant_id uuid not null references companies,
	type text not null,
	-- How many numbers were free after the last registration: `sequence.low` speaks of a part of it.
	capacity bigint not null default 0,
	-- The lowest percentage that `sequence.low` has told of since then.
	low_told int,
	primary key (tenant_id, type)
);

create table sequences (
	id uuid primary key,
	tenant_id uuid not null,
	type text not null,
	numbers int8range not null,
	free int8multirange not null check (free <@ numbers),
	-- The last day on which its numbers may be used; null for types that have none.
	expires_on date,
	created_at timestamptz not null default now(),
	foreign key (tenant_id, type) references sequence_types
);
create index sequences_by_type on sequences (tenant_id, type);

-- A lease of numbers to a point of sale; the numbers are in its holds.
create table sequence_leases (
	id uuid primary key,
	tenant_id uuid not null references companies,
	type text not null,
	count int not null,
	-- What was leased, to be told for ever: [{from, to, expiresOn}].
	ranges json not null,
	created_at timestamptz not null default now(),
	expires_at timestamptz not null,
	returned_at timestamptz
);

-- Numbers out of `free` that no document has yet: one for a document that is being signed, many for a lease.
create table sequence_holds (
	-- For a lease its id.
	id uuid not null,
	sequence_id uuid not null references sequences,
	tenant_id uuid not null,
	type text not null,
	numbers int8multirange not null,
	-- The request that holds it; null for a lease.
	place text,
	expires_at timestamptz not null,
	primary key (id, sequence_id)
);
create unique index sequence_holds_place on sequence_holds (place);
create index sequence_holds_by_type on sequence_holds (tenant_id, type, expires_at);

-- Numbers given per day (UTC-4), so that a forecast reads a few rows and no invoices.
create table sequence_usage (
	tenant_id uuid not null,
	type text not null,
	day date not null,
	given bigint not null,
	primary key (tenant_id, type, day)
);

create table sequence_voids (
	id uuid primary key,
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
	decided_at timestamptz
);
create index sequence_voids_by_type on sequence_voids (tenant_id, type);

-- A row stands here before the socket is written to, as for documents.
create table sequence_void_submissions (
	void_id uuid not null references sequence_voids,
	n int not null,
	intent_at timestamptz not null default now(),
	result text,
	detail text,
	finished_at timestamptz,
	primary key (void_id, n)
);

create table sequence_void_answers (
	void_id uuid not null references sequence_voids,
	n int generated always as identity,
	at timestamptz not null,
	operation text not null,
	http_status int,
	media_type text,
	body text not null,
	primary key (void_id, n)
);
create trigger sequence_void_answers_once before update or delete on sequence_void_answers
	for each row execute function refuse_change();

create function refuse_other_void() returns trigger language plpgsql as $$
begin
	if old.document is not null and new.document is distinct from old.document then
		raise exception 'void % is signed: its bytes cannot change', old.id;
	end if;
	if old.status <> 'pending' and new.status is distinct from old.status then
		raise exception 'void % is %: it cannot become %', old.id, old.status, new.status;
	end if;
	return new;
end $$;
create trigger sequence_voids_once before update on sequence_voids for each row execute function refuse_other_void();

-- The numbers of a tenant's documents inside some ranges: those that the authority has not given back.
create function used_numbers(tenant uuid, of_type text, among int8multirange) returns int8multirange language sql stable as $$
	select coalesce(range_agg(int8range(substr(i.encf, 4)::bigint, substr(i.encf, 4)::bigint + 1)), '{}')
	from unnest(among) r
	join invoices i on i.tenant_id = tenant and not i.encf_released
		and i.encf >= 'E' || of_type || lpad(lower(r)::text, 10, '0')
		and i.encf <= 'E' || of_type || lpad((upper(r) - 1)::text, 10, '0')
		and length(i.encf) = 13
$$;

-- A number that the authority gives back is free again, unless a lease still has it: then it comes back with the lease.
create function free_released_number() returns trigger language plpgsql as $$
declare
	n bigint;
begin
	if length(new.encf) <> 13 then
		return null;
	end if;
	n := substr(new.encf, 4)::bigint;
	-- Whoever ends a hold has this lock: it sees the release, or the release sees the end.
	perform 1 from sequence_types where tenant_id = new.tenant_id and type = new.type for update;
	update sequences s set free = s.free + int8multirange(int8range(n, n + 1))
	where s.tenant_id = new.tenant_id and s.type = new.type and s.numbers @> n
		and not exists (select 1 from sequence_holds h
			where h.tenant_id = new.tenant_id and h.type = new.type and h.numbers @> n);
	return null;
end $$;
create trigger invoices_number_released after update of encf_released on invoices for each row
	when (new.encf_released and not old.encf_released) execute function free_released_number();
