/**
 * Knows whether the database answers at all. A server that is down says so by an error; a network that swallows everything says
 * nothing, and whoever asks waits for ever. So somebody asks all the time, and tells those who wait when no answer comes.
 */
import { type ConnectOptions, connect, type Sql } from "./connect";
import { codeOf } from "./failure";

export type DatabaseWatch = {
	/** True while nothing is heard; an error is an answer. */
	readonly isSilent: () => boolean;
	/** Calls back once when it falls silent; the answer ends that. */
	readonly onSilent: (told: () => void) => () => void;
	readonly stop: () => Promise<void>;
};

type WatchOptions = Pick<ConnectOptions, "url"> & {
	readonly everyMs?: number;
	/** How long an answer may take; far more than a loaded server needs for nothing. */
	readonly limitMs?: number;
};

const EVERY_MS = 500;
const LIMIT_MS = 3_000;
const SLICES = 6;

/** Starts to ask; it runs until `stop`. */
export function watchDatabase({ url, everyMs = EVERY_MS, limitMs = LIMIT_MS }: WatchOptions): DatabaseWatch {
	const open = () => connect({ url, name: "sello watch", connectionsMax: 1 });
	const waiting = new Set<() => void>();
	let sql: Sql = open();
	let isSilent = false;
	let stopping = false;

	async function look(): Promise<void> {
		const asked = sql;
		const isHeard = await Promise.race([isAnswered(asked), passSlices(limitMs).then(() => false)]);
		if (stopping) return;
		if (!isHeard) {
			// The old connection may be dead for good although the server is well; how it ends tells nothing more.
			sql = open();
			asked.end({ timeout: 0 }).catch(() => undefined);
		}
		if (!isHeard && !isSilent) {
			const told = [...waiting];
			waiting.clear();
			isSilent = true;
			for (const tell of told) tell();
		}
		isSilent = !isHeard;
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
		onSilent: (told) => {
			waiting.add(told);
			return () => waiting.delete(told);
		},
		stop: async () => {
			stopping = true;
			await sql.end({ timeout: 0 });
		},
	};
}

/**
 * Waits in slices: a process that was kept from everything for longer than the limit, by its own work or by a machine that stood still, has
 * heard nothing either. It has time between two slices to take what has come meanwhile.
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
