/**
 * Stands in for Citus, which is not installed: its functions by name and arguments. They note what is placed where. A distributed table is made once
 * more, partitioned by a hash of its column, so PostgreSQL refuses what Citus would refuse: a key without the column.
 *
 * Source: docs.citusdata.com, api_udf; github.com/citusdata/citus, src/backend/distributed/sql/udfs.
 */
import type { Sql } from "../../../../src/platform/database";

const STUB = `
	create schema citus;
	create schema copies;
	create type citus.distribution_type as enum ('hash', 'range', 'append');
	create table pg_dist_partition (logicalrelid regclass primary key, partkey text);
	create table pg_dist_object (classid oid, objid oid, distribution_argument_index int);
	create function create_distributed_table(
		table_name regclass, distribution_column text, distribution_type citus.distribution_type default 'hash',
		colocate_with text default 'default', shard_count int default null
	) returns void language plpgsql as $$
	begin
		if (colocate_with = 'none') = (shard_count is null) then
			raise exception 'the first table alone has a count of shards';
		end if;
		if colocate_with <> 'none' and not exists (select from pg_dist_partition where logicalrelid = colocate_with::regclass) then
			raise exception '% is not distributed', colocate_with;
		end if;
		if exists (select from pg_constraint where contype = 'f' and conparentid = 0 and table_name in (conrelid, confrelid)) then
			raise exception '% has foreign keys', table_name;
		end if;
		execute format('create table copies.%I (like %s including all) partition by hash (%I)',
			(select relname from pg_class where oid = table_name), table_name, distribution_column);
		insert into pg_dist_partition values (table_name, distribution_column);
	end $$;
	create function create_reference_table(table_name regclass) returns void language sql as $$
		insert into pg_dist_partition values (table_name, null)
	$$;
	create function create_distributed_function(
		function_name regprocedure, distribution_arg_name text default null, colocate_with text default 'default', force_delegation bool default null
	) returns void language sql as $$
		insert into pg_dist_object
		select 'pg_proc'::regclass, p.oid, array_position(p.proargnames, distribution_arg_name) - 1 from pg_proc p where p.oid = function_name
	$$;
	set allow_system_table_mods = on;
	insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
	select 999999, 'citus', nspowner, oid, false, 'stub' from pg_namespace where nspname = 'citus';
	reset allow_system_table_mods`;

/** Needs a superuser. */
export async function installCitusStub(owner: Sql): Promise<void> {
	await owner.unsafe(STUB);
}
