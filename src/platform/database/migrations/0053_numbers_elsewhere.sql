-- Numbers count in the environment of the authority in which they were registered, used or voided, and a company moves between these. What is of another one
-- than the company's present one steps aside: its sequences into a table of their own, its voids and documents by a mark. A new table and columns without a
-- rewrite. A company that has moved before keeps its numbers as they were: where its sequences were registered is not known. The index, of no row yet, reads the table of
-- invoices once under a lock that keeps readers out too, for about a second for each million.

-- A sequence of an environment that the company has left. It comes back with the company.
create table sequences_elsewhere (
	id uuid primary key,
	tenant_id uuid not null,
	type text not null,
	numbers int8range not null,
	free int8multirange not null check (free <@ numbers),
	expires_on date,
	created_at timestamptz not null,
	authority_environment text not null,
	foreign key (tenant_id, type) references sequence_types
);
create index sequences_elsewhere_by_type on sequences_elsewhere (tenant_id, type);

-- Of which environment that the company has left; null while it is there.
alter table sequence_voids add column elsewhere text;

-- The document's number was released by its company's move, not by the authority: it is held again when the company comes back.
alter table invoices
	add column encf_elsewhere boolean not null default false,
	-- Not validated: the rows that are there have the default.
	add constraint invoices_elsewhere_released check (encf_released or not encf_elsewhere) not valid;
create index invoices_elsewhere on invoices (tenant_id, encf, doc_id) where encf_elsewhere;

-- Storing documents looks at voids; the function is the same otherwise.
do $$
declare
	before text := pg_get_functiondef('store_invoices'::regproc);
	after text := replace(before, 'v.status not in (''rejected'', ''failed'')', 'v.elsewhere is null and v.status not in (''rejected'', ''failed'')');
begin
	if after = before then
		raise exception 'store_invoices does not look at voids as it did';
	end if;
	execute after;
end $$;

-- What a move releases is no sequence's: they have stepped aside before.
drop trigger invoices_number_released on invoices;
create trigger invoices_number_released after update of encf_released on invoices for each row
	when (new.encf_released and not old.encf_released and not new.encf_elsewhere) execute function free_released_number();
