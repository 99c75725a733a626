-- Whose token did something, which members it changed, and a way through the entries of a company that belongs to nobody. Columns without
-- a default, or with a constant one, rewrite nothing; the table is locked for a moment. The index is built while nothing is audited: of the
-- entries without an owner there are few.
alter table audit
	add column client_id text,
	add column changed text[] not null default '{}';

create index audit_of_nobody on audit (tenant_id, id desc) where owner_id is null;
