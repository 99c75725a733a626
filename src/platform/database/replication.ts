/**
 * Whether what the database acknowledges is on a second server: a synchronous standby that is connected. It is checked at start and read every
 * five seconds, because some tools turn synchronous replication off while no standby can be reached, and PostgreSQL itself would wait.
 *
 * Failures: while the database does not answer, the last state counts; requests fail for that reason then.
 */
import type { Log, Metrics } from "../telemetry";
import type { Sql } from "./connect";

/** Acknowledged invoices could be lost with the server; the message says what to set. */
export class UnreplicatedError extends Error {
	constructor(fault: string) {
		super(`${fault}. Or accept that acknowledged invoices are lost with the server: DURABILITY=single`);
		this.name = "UnreplicatedError";
	}
}

type Replication = {
	/** Those that are connected and confirm each commit. */
	readonly standbys: number;
	readonly commit: string;
	readonly role: string;
	/** Without this right PostgreSQL hides which standbys are synchronous. */
	readonly maySee: boolean;
};

export type ReplicationWatch = {
	/** Whether a synchronous standby confirms commits. */
	readonly isReplicated: () => boolean;
	readonly close: () => void;
};

const READ_EVERY_MS = 5_000;
/** Levels at which a commit waits until the standby's disk has it. Source: PostgreSQL, 20.5.1. */
const STRONG = ["on", "remote_apply"];

/** Throws: UnreplicatedError. */
export async function checkReplicated(sql: Sql): Promise<void> {
	const found = await readReplication(sql);
	const fault = findFault(found);
	if (fault !== undefined) throw new UnreplicatedError(fault);
}

/** Reads every five seconds, after a start that has checked it. */
export function watchReplication({
	sql,
	log,
	metrics,
	everyMs = READ_EVERY_MS,
}: {
	readonly sql: Sql;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "synchronousStandbys" | "standbysNeeded">;
	readonly everyMs?: number;
}): ReplicationWatch {
	let isReplicated = true;
	let isReading = false;
	metrics.standbysNeeded.set(1);
	metrics.synchronousStandbys.set(1);
	async function read(): Promise<void> {
		if (isReading) return;
		isReading = true;
		try {
			const found = await readReplication(sql);
			const fault = findFault(found);
			metrics.synchronousStandbys.set(fault === undefined ? found.standbys : 0);
			if ((fault === undefined) === isReplicated) return;
			isReplicated = fault === undefined;
			if (fault === undefined)
				log.info({ event: "database.replicated" }, "a synchronous standby confirms commits again");
			else log.error({ event: "database.unreplicated", fault }, "acknowledged invoices could be lost with the server");
		} catch (err) {
			log.debug({ event: "database.replication_unread", err }, "cannot read the replication's state");
		} finally {
			isReading = false;
		}
	}
	const timer = setInterval(read, everyMs);
	void read();
	return { isReplicated: () => isReplicated, close: () => clearInterval(timer) };
}

async function readReplication(sql: Sql): Promise<Replication> {
	const [row] = await sql<Replication[]>`
		select current_setting('synchronous_commit') as commit, current_user::text as role,
			pg_has_role('pg_read_all_stats', 'USAGE') as "maySee",
			(
				select count(*)::int from pg_stat_replication where state = 'streaming' and sync_state in ('sync', 'quorum')
			) as standbys`;
	if (!row) throw new Error("expected a row without a table");
	return row;
}

function findFault({ standbys, commit, role, maySee }: Replication): string | undefined {
	if (!STRONG.includes(commit))
		return `DURABILITY=replicated needs synchronous_commit = on or remote_apply in PostgreSQL, and it is ${commit}`;
	if (!maySee) return `DURABILITY=replicated needs the right to see the standbys: grant pg_read_all_stats to ${role}`;
	if (standbys > 0) return undefined;
	return "DURABILITY=replicated needs a synchronous standby, and none is connected: set synchronous_standby_names in PostgreSQL, or synchronous_mode: true in Patroni, and start the standby";
}
