-- The kinds of names that hold numbers for a company now: those of its environment of the authority, and those of production, because a number
-- with fiscal effect is never used again.
create or replace function number_kinds(tenant uuid) returns "char"[] language sql stable as $$
	select array['p', left(c.authority_environment, 1)]::"char"[] from companies c where c.tenant_id = tenant
$$;
