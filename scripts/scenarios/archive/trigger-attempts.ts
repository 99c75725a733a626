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

function changesOf({ docId, objectKey, tenant }: Target): string[] {
	const row = `object_key = '${objectKey}'`;
	const object = { objectKey, docId, tenantId: tenant.tenantId, sha256: "00".repeat(32), bytes: 1 };
	const given = JSON.stringify([
		{ ...object, decidedAt: "2026-01-01T00:00:00Z", retainUntil: "2026-01-02T00:00:00Z", versionId: null },
	]);
	return [
		`delete from archive_objects where ${row}`,
		`delete from archive_objects`,
		`truncate archive_objects`,
		`truncate archive_objects cascade`,
		`update archive_objects set sha256 = decode(repeat('00', 32), 'hex') where ${row}`,
		`update archive_objects set object_key = object_key || 'x' where ${row}`,
		`update archive_objects set tenant_id = gen_random_uuid() where ${row}`,
		`update archive_objects set bytes = 1 where ${row}`,
		`update archive_objects set version_id = 'x' where ${row}`,
		`update archive_objects set retain_until = retain_until + interval '1 day', sha256 = decode(repeat('00', 32), 'hex') where ${row}`,
		`insert into archive_objects select * from archive_objects where ${row} on conflict (object_key) do update set sha256 = decode(repeat('11', 32), 'hex')`,
		`merge into archive_objects o using (select 1) s on o.${row} when matched then delete`,
		`with gone as (delete from archive_objects where ${row} returning *) select count(*) from gone`,
		`select * from store_archive_objects('${given}'::json)`,
		`select append_archive_leaves(array['${objectKey}'])`,
		`delete from archive_leaves where ${row}`,
		`truncate archive_leaves`,
		`update archive_leaves set leaf_hash = decode(repeat('00', 32), 'hex') where ${row}`,
		`update archive_leaves set leaf_index = leaf_index + 1000000 where ${row}`,
		`update archive_leaves set chain_hash = decode(repeat('00', 32), 'hex') where ${row}`,
		`delete from archive_nodes`,
		`truncate archive_nodes`,
		`update archive_nodes set hash = decode(repeat('00', 32), 'hex')`,
		// The settings that let the public sandbox wipe, used for another company.
		`select set_config('sello.wiped_tenant', '${tenant.tenantId}', true); delete from archive_objects where ${row}`,
		`select set_config('sello.wiped_tenant', '${tenant.tenantId}', true); delete from archive_leaves where ${row}`,
	];
}

function retentionsOf({ objectKey }: Target): string[] {
	const set = (value: string) => `update archive_objects set retain_until = ${value} where object_key = '${objectKey}'`;
	return [
		set("retain_until - interval '1 microsecond'"),
		set("retain_until - interval '1 year'"),
		set("now()"),
		set("decided_at"),
		set("null"),
		set("'-infinity'"),
		set("decided_at + interval '1 day'"),
		`update archive_objects set retain_until = retain_until - interval '9 years', archived_at = archived_at where object_key = '${objectKey}'`,
	];
}
