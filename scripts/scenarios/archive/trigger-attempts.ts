/** SQL attempts as the owner of the tables, restricted only by the database's triggers. The service's role has fewer rights. */
import type { Sql } from "../../../src/platform/database";
import type { Attempt, Target } from "./attempts";
import type { Environment } from "./environment";

export function listTriggerAttempts({ sql }: Environment, target: Target): Attempt[] {
	const changes = changesOf(target);
	const retentions = retentionsOf(target);
	return [
		...changes.map((statement) => toAttempt(sql, statement, "change")),
		...retentions.map((statement) => toAttempt(sql, statement, "retention")),
	];
}

function toAttempt(sql: Sql, statement: string, aim: Attempt["aim"]): Attempt {
	return {
		...{ name: statement, way: "SQL", aim },
		carryOut: async () => {
			await sql.begin((tx) => tx.unsafe(statement));
			return "taken";
		},
	};
}

function changesOf({ docId, tenant }: Target): string[] {
	const row = `doc_id = '${docId}'`;
	return [
		`delete from seals where ${row}`,
		"delete from seals",
		"truncate seals",
		"truncate seals cascade",
		`update seals set sha256 = decode(repeat('00', 32), 'hex') where ${row}`,
		`update seals set doc_id = gen_random_uuid() where ${row}`,
		`update seals set tenant_id = gen_random_uuid() where ${row}`,
		`update seals set bytes = 1 where ${row}`,
		`update seals set version_id = 'x' where ${row}`,
		`update seals set removed_at = now() where ${row}`,
		`update seals set leaf = leaf + 1000000 where ${row}`,
		`update seals set link_hash = decode(repeat('00', 32), 'hex') where ${row}`,
		`update seals set retain_until = retain_until + interval '1 day', sha256 = decode(repeat('00', 32), 'hex') where ${row}`,
		`insert into seals select * from seals where ${row} on conflict (tenant_id, doc_id, n) do update set sha256 = decode(repeat('11', 32), 'hex')`,
		`merge into seals o using (select 1) s on o.${row} when matched then delete`,
		`with gone as (delete from seals where ${row} returning *) select count(*) from gone`,
		"delete from tree_blocks",
		"truncate tree_blocks",
		"update tree_blocks set hashes = decode(repeat('00', 32), 'hex')",
		"delete from tree_nodes",
		"truncate tree_nodes",
		"update tree_nodes set hash = decode(repeat('00', 32), 'hex')",
		// The settings that let the public sandbox wipe, used for another company.
		`select set_config('sello.wiped_tenant', '${tenant.tenantId}', true); delete from seals where ${row}`,
		`select set_config('sello.wiped_tenant', '${tenant.tenantId}', true); update seals set removed_at = now() where ${row}`,
		`select forget_seals('${tenant.tenantId}', null)`,
		`select set_config('sello.swept_object', '${docId}/1', true); update seals set removed_at = now() where ${row}`,
	];
}

function retentionsOf({ docId }: Target): string[] {
	const set = (value: string) => `update seals set retain_until = ${value} where doc_id = '${docId}'`;
	return [
		set("retain_until - interval '1 microsecond'"),
		set("retain_until - interval '1 year'"),
		set("now()"),
		set("decided_at"),
		set("null"),
		set("'-infinity'"),
		set("decided_at + interval '1 day'"),
		`update seals set retain_until = retain_until - interval '9 years', sealed_at = sealed_at where doc_id = '${docId}'`,
	];
}
