/**
 * The loop that carries messages out.
 *
 *   ready ──claim──▶ working ──settle──▶ done | dead
 *     ▲                 │
 *     └─retry, snooze───┤
 *     └─rescue──────────┘   (the holder's lease ran out)
 *
 * Model: a dispatcher claims as many due messages as it has free slots, runs each through its handler and settles it. It
 * looks again when a slot frees, when a wake-up comes (LISTEN, a hint), when the next message is due, and every POLL_MAX_MS
 * at the latest. Several dispatchers may run, in threads, processes and machines: SKIP LOCKED keeps them apart.
 *
 * Trust: a claim is a lease by the database's clock. It is extended while the handler runs. Every write of a holder carries
 * (id, attempt, owner); a holder that lost its lease finds no row and changes nothing. `owner` is fresh for every start, so a
 * restarted process is never taken for its predecessor.
 *
 * What fails: a handler that throws is a retry; a process that dies is rescued after its lease; a database that goes away
 * makes the loop wait and go on. A kind without a handler here (written by newer code) is not claimed at all.
 */
import type { Sql } from "../database";
import { newId } from "../values";
import { WAKE_CHANNEL } from "./append";
import { type Execution, execute } from "./execute";
import { claimMessages, extendLeases, releaseMessages, rescueMessages, secondsUntilDue } from "./store";

const POLL_MAX_MS = 5_000;
const FAILURE_PAUSE_MS = 250;

export type DispatcherOptions = Execution & {
	/** Messages carried out at once. */
	readonly slots: number;
	readonly leaseSeconds: number;
};

export type Dispatcher = {
	/** Stops claiming, waits for what is running up to `graceMs`, then gives back the rest. */
	readonly stop: (graceMs: number) => Promise<void>;
};

/** Starts the loop; it runs until `stop`. */
export function runDispatcher(options: DispatcherOptions): Dispatcher {
	const { sql, log, leaseSeconds } = options;
	const owner = newId();
	const kinds = Object.keys(options.handlers);
	const running = new Map<string, Promise<void>>();
	const bell = createBell();
	let stopping = false;

	async function fill(): Promise<number> {
		const free = options.slots - running.size;
		if (free <= 0) return POLL_MAX_MS;
		const messages = await claimMessages(sql, owner, kinds, free, leaseSeconds);
		for (const message of messages) {
			const work = execute(options, message).finally(() => {
				running.delete(message.id);
				bell.ring();
			});
			running.set(message.id, work);
		}
		if (messages.length === free) return 0;
		const seconds = await secondsUntilDue(sql, kinds);
		return seconds === undefined ? POLL_MAX_MS : Math.min(POLL_MAX_MS, Math.max(1, seconds * 1000));
	}

	async function loop(): Promise<void> {
		while (!stopping) {
			let pauseMs: number;
			try {
				pauseMs = await fill();
			} catch (error) {
				log.warn({ err: error }, "the outbox cannot be read");
				pauseMs = FAILURE_PAUSE_MS;
			}
			if (!stopping && pauseMs > 0) await bell.wait(pauseMs);
		}
	}

	const keeper = setInterval(
		() => {
			const held = [...running.keys()];
			const work = held.length > 0 ? extendLeases(sql, owner, held, leaseSeconds) : Promise.resolve();
			work
				.then(() => rescueMessages(sql))
				.then((count) => {
					if (count > 0) bell.ring();
				})
				.catch((error) => log.warn({ err: error }, "leases could not be kept"));
		},
		(leaseSeconds * 1000) / 3,
	);
	const listening = listen(sql, bell.ring, (error) =>
		log.warn({ err: error }, "wake-ups are not heard; polling goes on"),
	);
	const looping = loop();

	return {
		async stop(graceMs) {
			stopping = true;
			bell.ring();
			await looping;
			await Promise.race([Promise.allSettled([...running.values()]), Bun.sleep(graceMs)]);
			clearInterval(keeper);
			await (await listening)?.unlisten().catch(() => undefined);
			await releaseMessages(sql, owner).catch((error) => log.warn({ err: error }, "leases could not be given back"));
		},
	};
}

async function listen(sql: Sql, heard: () => void, failed: (error: unknown) => void) {
	try {
		return await sql.listen(WAKE_CHANNEL, heard);
	} catch (error) {
		failed(error);
		return undefined;
	}
}

/** Something to wait on that remembers a ring which came too early. */
function createBell() {
	let rung = false;
	let wakeUp: (() => void) | undefined;
	return {
		ring: () => {
			rung = true;
			wakeUp?.();
		},
		wait: async (timeoutMs: number) => {
			if (!rung) {
				let timer: ReturnType<typeof setTimeout> | undefined;
				await new Promise<void>((done) => {
					wakeUp = done;
					timer = setTimeout(done, timeoutMs);
				});
				clearTimeout(timer);
			}
			rung = false;
			wakeUp = undefined;
		},
	};
}
