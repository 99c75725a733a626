/**
 * Reads on a replica that callers cannot distinguish from reads on the primary.
 *
 *     position of the primary's log ─▶ replayed by the replica within 100 ms? ──yes──▶ read there ──fails──┐
 *                                           └──no, or no answer──▶ read on the primary ◀───────────────────┘
 *
 * So a caller finds what any node has acknowledged before. A handler that writes is refused by the replica, and runs on the primary.
 */
import { connect, type Sql } from "../platform/database";
import type { Call, Operation } from "../platform/operation";
import { Problem } from "../platform/problem";

export type Replica = {
	readonly sql: Sql;
	/** Whether it has all that was committed before the call. Never rejects. */
	readonly hasCaughtUp: () => Promise<boolean>;
	readonly close: () => Promise<void>;
};

/** Connections to the replica of each process. */
const CONNECTIONS = 4;
const WAIT_MS = 100;
const LOOK_EVERY_MS = 5;

export function openReplica(url: string, primary: Sql): Replica {
	const sql = connect({ url, name: "sello reads", connectionsMax: CONNECTIONS, mayBeStandby: true });
	async function hasReplayed(isOver: () => boolean): Promise<boolean> {
		const [at] = await primary<{ position: string }[]>`select pg_current_wal_flush_lsn()::text as position`;
		while (at && !isOver()) {
			const [row] = await sql<{ isThere: boolean }[]>`
				select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= ${at.position}::text::pg_lsn else true end as "isThere"`;
			if (row?.isThere) return true;
			await Bun.sleep(LOOK_EVERY_MS);
		}
		return false;
	}
	return {
		sql,
		async hasCaughtUp() {
			let isOver = false;
			const tooLate = Bun.sleep(WAIT_MS).then(() => false);
			const result = await Promise.race([hasReplayed(() => isOver).catch(() => false), tooLate]);
			isOver = true;
			return result;
		},
		close: () => sql.end({ timeout: 2 }),
	};
}

/** Operations whose handlers run on the replica, when it has caught up, for those of the same id in `onReplica`. */
export function preferReplica(
	operations: readonly Operation[],
	onReplica: readonly Operation[],
	{ hasCaughtUp }: Pick<Replica, "hasCaughtUp">,
): Operation[] {
	const others = new Map(onReplica.filter(({ method }) => method === "GET").map((one) => [one.id, one]));
	return operations.map((operation) => {
		const other = others.get(operation.id);
		if (!other) return operation;
		const handle = async (call: Call): Promise<Response> => {
			if (!(await hasCaughtUp())) return operation.handle(call);
			try {
				return await other.handle(call);
			} catch (error) {
				// A refusal is an answer like any other. The replica cancels reads that are in the way of its replay.
				if (error instanceof Problem && error.status < 500) throw error;
				return operation.handle(call);
			}
		};
		return { ...operation, handle };
	});
}
