/** All SQL of the processes of a deployment and of the settings that they must agree on. */
import type { Sql, Tx } from "../database";

/** A setting by the name of its variable; null: not set. */
export type SharedSetting = { readonly name: string; readonly value: string | null };

export async function listSettings(sql: Sql | Tx): Promise<(SharedSetting & { readonly since: Date })[]> {
	return sql<(SharedSetting & { since: Date })[]>`select name, value, since from deployment_settings order by name`;
}

export async function putSettings(sql: Sql | Tx, settings: readonly SharedSetting[]): Promise<void> {
	if (settings.length === 0) return;
	await sql`
		insert into deployment_settings (name, value)
		select * from unnest(${settings.map(({ name }) => name)}::text[], ${settings.map(({ value }) => value)}::text[])
		on conflict (name) do update set value = excluded.value, since = now()`;
}

/** `node` names the process: see `nameNode`. */
export type OwnProcess = {
	readonly id: string;
	readonly node: string;
	readonly role: string;
	/** Whether what it has acknowledged may be nowhere else. */
	readonly mustReport: boolean;
};

/** The server and the timeline that this connection writes to. */
export async function findServer(sql: Sql | Tx): Promise<string> {
	const [row] = await sql<{ server: string }[]>`select server_identity() as server`;
	if (!row) throw new Error("expected a row without a table");
	return row.server;
}

export type LivingProcess = OwnProcess & { readonly startedAt: Date; readonly seenAt: Date };

/** A process that was seen longer ago counts no more. */
const SEEN_WITHIN_SECONDS = 60;

/** SQL that is true for a process `p` that still lives, as far as is known. */
const isSeen = (sql: Sql | Tx) => sql`p.seen_at > now() - make_interval(secs => ${SEEN_WITHIN_SECONDS})`;

/** SQL that is true for a process `p` that has not stored again what it acknowledged before this server took over. */
const isBehind = (sql: Sql | Tx) => sql`p.restored_for <> (select server_identity())`;

/** Also after its row was removed, such as by a database that was restored. */
export async function noteProcess(
	sql: Sql | Tx,
	{ id, node, role, mustReport }: OwnProcess,
	restoredFor: string | undefined,
): Promise<void> {
	await sql`
		insert into processes (id, node, role, restored_for, must_report)
		values (${id}, ${node}, ${role}, ${restoredFor ?? null}, ${mustReport})
		on conflict (id) do update set seen_at = now(), restored_for = excluded.restored_for`;
}

/** SQL of whether a process must still store again what it acknowledged before this server took over, or is gone without having done so. */
export function awaitsRestoration(sql: Sql | Tx): ReturnType<Sql> {
	return sql`exists (select from processes p where (p.must_report or ${isSeen(sql)}) and ${isBehind(sql)})`;
}

/** One that has not restored what it acknowledged stays in the list: that is lost with its memory. */
export async function removeProcess(sql: Sql, id: string): Promise<void> {
	await sql`delete from processes p where p.id = ${id} and not (p.must_report and ${isBehind(sql)})`;
}

/** Removes what is gone, soon, so that a failover finds only processes that lived shortly before it. */
export async function sweepProcesses(sql: Sql | Tx): Promise<void> {
	await sql`delete from processes p where not ${isSeen(sql)} and not (p.must_report and ${isBehind(sql)})`;
}

/** Processes with a heartbeat in the last minute. */
export async function listProcesses(sql: Sql | Tx): Promise<LivingProcess[]> {
	return sql<LivingProcess[]>`
		select id, node, role, must_report as "mustReport", started_at as "startedAt", seen_at as "seenAt" from processes p
		where ${isSeen(sql)} order by started_at, id`;
}

/** Processes that must restore what they acknowledged, living or gone. */
export async function listUnreported(sql: Sql | Tx): Promise<(LivingProcess & { readonly isSeen: boolean })[]> {
	return sql<(LivingProcess & { isSeen: boolean })[]>`
		select id, node, role, must_report as "mustReport", started_at as "startedAt", seen_at as "seenAt", ${isSeen(sql)} as "isSeen"
		from processes p where (p.must_report or ${isSeen(sql)}) and ${isBehind(sql)} order by started_at, id`;
}

/** Gives up waiting for these processes. */
export async function forgetProcesses(tx: Tx, ids: readonly string[]): Promise<void> {
	await tx`delete from processes where id = any(${[...ids]}::uuid[])`;
}
