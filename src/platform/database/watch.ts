/**
 * Knows whether the database answers at all. A server that is down causes errors, but a network that drops packets causes silence, and
 * callers would wait for ever. So the watch queries all the time and notifies waiting callers when no answer comes.
 */
import { type ConnectOptions, connect, type Sql } from "./connect";
import { codeOf } from "./failure";

export type DatabaseWatch = {
	/** True while no answer comes; an error is an answer. */
	readonly isSilent: () => boolean;
	/** Calls back once when the database falls silent; the result cancels that. */
	readonly onSilent: (listener: () => void) => () => void;
	readonly stop: () => Promise<void>;
};

type WatchOptions = Pick<ConnectOptions, "url" | "isPooled"> & {
	readonly everyMs?: number;
	/** How long an answer may take, far more than a loaded server needs. */
	readonly limitMs?: number;
};

const EVERY_MS = 500;
const LIMIT_MS = 3_000;
const SLICES = 6;

/** Starts the watch; it runs until `stop`. */
export function watchDatabase({ url, isPooled, everyMs = EVERY_MS, limitMs = LIMIT_MS }: WatchOptions): DatabaseWatch {
	const open = () => connect({ url, isPooled, name: "sello watch", connectionsMax: 1 });
	const waiting = new Set<() => void>();
	let sql: Sql = open();
	let isSilent = false;
	let stopping = false;

	async function look(): Promise<void> {
		const current = sql;
		const isAlive = await Promise.race([isAnswered(current), passSlices(limitMs).then(() => false)]);
		if (stopping) return;
		if (!isAlive) {
			// The old connection may be dead although the server is well; how it ends does not matter.
			sql = open();
			current.end({ timeout: 0 }).catch(() => undefined);
		}
		if (!isAlive && !isSilent) {
			const listeners = [...waiting];
			waiting.clear();
			isSilent = true;
			for (const notify of listeners) notify();
		}
		isSilent = !isAlive;
	}

	async function loop(): Promise<void> {
		while (!stopping) {
			await look();
			await Bun.sleep(everyMs);
		}
	}
	void loop();

	return {
		isSilent: () => isSilent,
		onSilent: (listener) => {
			waiting.add(listener);
			return () => waiting.delete(listener);
		},
		stop: async () => {
			stopping = true;
			await sql.end({ timeout: 0 });
		},
	};
}

/**
 * Waits in slices: a process that was paused for longer than the limit, by its own work or by the machine, has received nothing either.
 * Between two slices it can process what has arrived.
 */
async function passSlices(limitMs: number): Promise<void> {
	for (let slice = 0; slice < SLICES; slice++) await Bun.sleep(limitMs / SLICES);
}

async function isAnswered(sql: Sql): Promise<boolean> {
	try {
		await sql`select 1`;
		return true;
	} catch (error) {
		return codeOf(error) !== "CONNECT_TIMEOUT";
	}
}

/**
 * Knows whether the database takes writes. A server with a full disk, or one that has become a standby, answers queries and refuses writes.
 */
export type WriteWatch = {
	/** Whether a write succeeded in the last five seconds and none has failed since; writes a message to the server's log of changes to find out. */
	readonly canWrite: () => Promise<boolean>;
	/** Reports that the server could not carry out a statement. For five seconds, writes of this watch prove nothing: they need no new page. */
	readonly noteFailed: () => void;
};

const WRITE_GOOD_FOR_MS = 5_000;

/** `now` is in milliseconds of a steady clock. */
export function createWriteWatch(sql: Sql, now: () => number = () => performance.now()): WriteWatch {
	let writtenAt = Number.NEGATIVE_INFINITY;
	let failedAt = Number.NEGATIVE_INFINITY;
	return {
		canWrite: async () => {
			if (now() - failedAt < WRITE_GOOD_FOR_MS) return false;
			if (now() - writtenAt < WRITE_GOOD_FOR_MS) return true;
			// Transactional, so that the commit waits for the disk. It needs no table and leaves nothing behind.
			await sql`select pg_logical_emit_message(true, 'sello', 'readiness')`;
			writtenAt = now();
			return true;
		},
		noteFailed: () => {
			failedAt = now();
			writtenAt = Number.NEGATIVE_INFINITY;
		},
	};
}
