-- The shard of a tenant, 0 to 63, fixed for ever. `src/platform/lanes/shard.ts` computes the same.
create or replace function shard_of(tenant uuid) returns int language sql immutable strict parallel safe as $$
	select ((uuid_hash(tenant)::bigint + 2147483648) >> 26)::int
$$;
