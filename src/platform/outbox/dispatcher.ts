/**
 * The loop that runs messages.
 *
 *   ready ──claim──▶ working ──settle──▶ done | dead
 *     ▲                 │
 *     └─retry, snooze───┤
 *     └─rescue──────────┘   (the lease expired)
 *
 * Model: a dispatcher claims as many due messages as it has free slots, runs each through its handler and settles it. It claims again when
 * a slot becomes free that a message waits for, when a wake signal comes (LISTEN, a hint), when the next message is due, and every
 * POLL_MAX_MS at the latest. Several dispatchers may run, in threads, processes and machines; SKIP LOCKED keeps them apart. Tenants are
 * served in turn, and none fills all slots (slots.ts).
 *
 * Trust: a claim is a lease by the database's clock, extended while the handler runs. Every write of a holder carries (id, attempt, owner),
 * so a stale holder finds no row and changes nothing. `owner` is new for every start, so a restarted process is never taken for its
 * predecessor. When a message comes back while its lost attempt still runs here, the new attempt waits until the lost one has ended.
 *
 * Failures: a handler that throws causes a retry; a message of a process that dies is rescued when its lease expires; while the database is
 * away the loop waits; an overdue claim is left behind (claims.ts). A kind without a handler here, written by newer code, is not claimed.
 */
import { createBatcher, withTimeout } from "../concurrency";
import { CHANNELS, type Sql } from "../database";
import { failpoint } from "../failpoints";
import { newId } from "../values";
import { createLocalDispatch, type LocalDispatch } from "./append";
import { COALESCE_MS, createClaimWalk, createOverdueClaims, createStarvationGuard } from "./claims";
import { type Attempt, createAttempts, createFailureLog, type Execution, execute } from "./execute";
import { extensionEveryMs } from "./lease";
import type { Outcome } from "./message";
import { createSlots } from "./slots";
import {
	type Claimed,
	type ClaimedRow,
	claimMessages,
	releaseMessages,
	rescueMessages,
	type Settlement,
	settleMessages,
	type Wanted,
} from "./store";

const POLL_MAX_MS = 5_000;
const FAILURE_PAUSE_MS = 250;
/** Most messages of one claim: none of them starts before all are claimed. */
const CLAIM_MAX = 256;
const LOST_AWAITED_MS = 20_000;
/** A claim that takes longer is overdue. */
const CLAIM_OVERDUE_MS = 3_000;
const SETTLING = { itemsMax: 200, runsMax: 2 };

type DispatcherOptions = Execution & {
	readonly slots: number;
	/** Per kind, the number of running messages from which on no more are claimed; other dispatchers take the rest. */
	readonly claimedMax?: Readonly<Record<string, number>>;
	/** Those of the limited kinds that the starvation guard watches (claims.ts). */
	readonly shared?: readonly string[];
	readonly leaseSeconds: number;
	/** The shards whose messages are run here, see `platform/lanes`. Default: all. */
	readonly listShards?: () => readonly number[];
	/** False where wake signals are passed on by the process, or there are none. Default: true. */
	readonly listens?: boolean;
	/** Default: 5 s. */
	readonly pollMaxMs?: number;
	/** How long a message waits for a lost attempt that still runs here. Default: 20 s. */
	readonly lostAwaitedMs?: number;
	/** How long to wait for a claim. Default: 3 s. */
	readonly claimOverdueMs?: number;
};

export type Dispatcher = {
	/** Claims now. Returns false when all slots are taken, so that another dispatcher should. */
	readonly wake: () => boolean;
	/** For one transaction of a handler: what it causes runs here, as far as there is room. */
	readonly openLocalDispatch: () => LocalDispatch;
	/** Stops claiming, waits up to `graceMs` for running handlers, then releases the leases of the rest. */
	readonly stop: (graceMs: number) => Promise<void>;
};

/** Starts the loop; it runs until `stop`. */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
	const { sql, log, leaseSeconds } = options;
	const owner = newId();
	const kinds = Object.keys(options.handlers);
	const attempts = createAttempts(leaseSeconds);
	const slots = createSlots({ count: options.slots, claimedMax: options.claimedMax });
	const walk = createClaimWalk();
	const starvationGuard = createStarvationGuard(slots, options.shared ?? []);
	const settle = createBatcher((settlements: readonly Settlement[]) => settleMessages(sql, settlements), SETTLING);
	const failures = createFailureLog(log);
	const wakeSignal = createWakeSignal();
	let stopping = false;
	/** No more handlers are started. */
	let hasEnded = false;
	/** Due messages wait for slots. */
	let isShort = false;
	// A free slot, or the end of an overdue claim, matters only while messages wait for it.
	const wakeIfShort = () => {
		if (isShort) wakeSignal.wakeIn(COALESCE_MS);
	};
	const overdueClaims = createOverdueClaims(options.claimOverdueMs ?? CLAIM_OVERDUE_MS, wakeIfShort);

	/** Claims once and returns how long the loop may rest. */
	async function fill(): Promise<number> {
		const open = slots.listOpen(kinds);
		const full = kinds.filter((kind) => !open.includes(kind));
		const restMaxMs = starvationGuard.restMaxMs(full, options.pollMaxMs ?? POLL_MAX_MS);
		if (!overdueClaims.isFull()) await claimForStarved(full);
		const free = slots.free();
		isShort = free <= 0 || open.length === 0 || overdueClaims.isFull();
		if (isShort) return restMaxMs;
		const limit = Math.min(overdueClaims.limitOf(free), CLAIM_MAX);
		const atMs = performance.now();
		const wanted = { kinds: open, limit, afterTenant: walk.afterTenant(), ...slots.listRooms() };
		const claim = await overdueClaims.await(claimAndStart(wanted, atMs));
		const { restMs, hasMore } = walk.note(claim, { atMs, limit, free, restMaxMs });
		isShort = hasMore || open.length < kinds.length;
		return restMs;
	}

	async function claimForStarved(full: readonly string[]): Promise<void> {
		const atMs = performance.now();
		const wanted = starvationGuard.ask(full, atMs);
		if (wanted) starvationGuard.note(await overdueClaims.await(claimAndStart(wanted, atMs)));
	}

	/** Starts what a claim took, even when it was overdue. */
	async function claimAndStart(
		wanted: Omit<Wanted, "owner" | "leaseSeconds" | "shards">,
		requestedAtMs: number,
	): Promise<Claimed> {
		const claim = await claimMessages(sql, { ...wanted, shards: options.listShards?.(), owner, leaseSeconds });
		if (!hasEnded) for (const message of claim.messages) start(message, requestedAtMs);
		else if (claim.messages.length > 0) void release();
		return claim;
	}

	function start(row: ClaimedRow, requestedAtMs: number): void {
		const { attempt, before } = attempts.begin(row, requestedAtMs);
		slots.take(row);
		attempt.work = carryOut(row, attempt, before).then((outcome) => {
			attempts.end(attempt);
			slots.giveBack(row);
			wakeIfShort();
			// The time of this retry is known without polling.
			if (outcome?.kind === "retry" || outcome?.kind === "snooze") wakeSignal.wakeIn(outcome.afterSeconds * 1000);
		});
	}

	/** Returns undefined for an attempt that was not started: its message is released, or rescued later. */
	async function carryOut(
		row: ClaimedRow,
		attempt: Attempt,
		before: Promise<void> | undefined,
	): Promise<Outcome | undefined> {
		const leaseLeftMs = () => attempt.leasedUntilMs - performance.now();
		if (before) {
			// A lost attempt that hangs delays the message no longer than this; its writes are fenced.
			await withTimeout(before, options.lostAwaitedMs ?? LOST_AWAITED_MS, () => undefined);
			if (stopping || leaseLeftMs() <= 0) return undefined;
		}
		return execute(options, settle, { ...row, leaseLeftMs }, failures);
	}

	function openLocalDispatch(): LocalDispatch {
		// The transaction that writes the claims starts later than this, so the leases last at least as long as assumed.
		const openedAtMs = performance.now();
		return createLocalDispatch({
			owner,
			leaseSeconds,
			kinds,
			reserve: (tenantId) => !stopping && slots.reserve(tenantId),
			release: slots.release,
			// Messages taken during shutdown are released with everything else of this owner.
			begin: (message) => {
				if (stopping) return;
				start(message, openedAtMs);
			},
		});
	}

	async function loop(): Promise<void> {
		while (!stopping) {
			let pauseMs: number;
			try {
				pauseMs = await fill();
			} catch (error) {
				log.warn({ event: "outbox.claim_failed", err: error }, "cannot claim outbox messages; retrying");
				pauseMs = FAILURE_PAUSE_MS;
			}
			if (!stopping && pauseMs > 0) await wakeSignal.wait(pauseMs);
		}
	}

	async function rescue(): Promise<void> {
		if ((await rescueMessages(sql)) > 0) wakeSignal.wake();
	}

	const keeper = setInterval(() => {
		// Extend before the rescue: a process that was paused for longer than its leases keeps what nothing has taken meanwhile.
		attempts
			.keep(sql, owner)
			.catch((error) => log.warn({ event: "outbox.extend_failed", err: error }, "cannot extend leases"))
			.then(rescue)
			.catch((error) =>
				log.warn({ event: "outbox.rescue_failed", err: error }, "cannot rescue messages with expired leases"),
			);
	}, extensionEveryMs(leaseSeconds));
	const release = () =>
		releaseMessages(sql, owner).catch((error) =>
			log.warn({ event: "outbox.release_failed", err: error }, "cannot release leases"),
		);
	const listening =
		options.listens === false
			? Promise.resolve(undefined)
			: listen(sql, wakeSignal.wake, (error) =>
					log.warn({ event: "outbox.listen_failed", err: error }, "cannot listen for wake signals; polling only"),
				);
	const looping = loop();

	return {
		openLocalDispatch,
		wake: () => {
			wakeSignal.wake();
			return attempts.count() < options.slots;
		},
		async stop(graceMs) {
			stopping = true;
			wakeSignal.wake();
			await looping;
			hasEnded = true;
			await withTimeout(attempts.whenEnded(), graceMs, () => undefined);
			failpoint("drain-messages");
			clearInterval(keeper);
			wakeSignal.clear();
			// Not awaited: on a dead connection it would delay the release of the leases.
			void listening.then((listener) => listener?.unlisten()).catch(() => undefined);
			failures.finish();
			await release();
		},
	};
}

async function listen(sql: Sql, listener: () => void, failed: (error: unknown) => void) {
	try {
		return await sql.listen(CHANNELS.outbox, listener);
	} catch (error) {
		failed(error);
		return undefined;
	}
}

/** A signal to wait for. A signal that comes before the wait is not lost. */
function createWakeSignal() {
	let isSignalled = false;
	let wakeUp: (() => void) | undefined;
	/** The earliest signal scheduled for later. */
	let scheduled: { atMs: number; timer: ReturnType<typeof setTimeout> } | undefined;
	const wake = () => {
		isSignalled = true;
		wakeUp?.();
	};
	return {
		wake,
		/**
		 * Signals later, unless an earlier signal is scheduled. Dropping the later one is safe: the claim before it finds what is due then.
		 */
		wakeIn: (delayMs: number) => {
			const atMs = performance.now() + delayMs;
			if (scheduled && scheduled.atMs <= atMs) return;
			clearTimeout(scheduled?.timer);
			const timer = setTimeout(() => {
				scheduled = undefined;
				wake();
			}, delayMs);
			scheduled = { atMs, timer };
		},
		clear: () => clearTimeout(scheduled?.timer),
		wait: async (timeoutMs: number) => {
			if (!isSignalled) {
				let timer: ReturnType<typeof setTimeout> | undefined;
				await new Promise<void>((done) => {
					wakeUp = done;
					timer = setTimeout(done, timeoutMs);
				});
				clearTimeout(timer);
			}
			isSignalled = false;
			wakeUp = undefined;
		},
	};
}
