/**
 * The loop that carries messages out.
 *
 *   ready ──claim──▶ working ──settle──▶ done | dead
 *     ▲                 │
 *     └─retry, snooze───┤
 *     └─rescue──────────┘   (the holder's lease ran out)
 *
 * Model: a dispatcher claims as many due messages as it has free slots, runs each through its handler and settles it. It
 * looks again when a slot frees that a message waits for, when a wake-up comes (LISTEN, a hint), when the next message is due
 * (claim-walk.ts), and every POLL_MAX_MS at the latest. Several dispatchers may run, in threads, processes and machines: SKIP LOCKED
 * keeps them apart. Tenants are served in turn, and none fills all slots (slots.ts).
 *
 * Trust: a claim is a lease by the database's clock. It is extended while the handler runs. Every write of a holder carries
 * (id, attempt, owner); a holder that lost its lease finds no row and changes nothing. `owner` is fresh for every start, so a
 * restarted process is never taken for its predecessor. A message that was lost and comes back while the lost attempt is still under way
 * here begins when that one has ended: its lease is kept meanwhile, and is no business of the lost one.
 *
 * What fails: a handler that throws is a retry; a process that dies is rescued after its lease; a database that goes away
 * makes the loop wait and go on; a claim that it does not answer is passed by (late-claims.ts). A kind without a handler here (written by newer code) is not claimed at all.
 */

import { createBatcher, withTimeout } from "../concurrency";
import { CHANNELS, type Sql } from "../database";
import { failpoint } from "../failpoints";
import { newId } from "../values";
import { createLocalDispatch, type LocalDispatch } from "./append";
import { createClaimWalk, createLateClaims, createNewcomers, GATHER_MS } from "./claims";
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
import { createBell } from "./wake-signal";

const POLL_MAX_MS = 5_000;
const FAILURE_PAUSE_MS = 250;
/** Of one claim: what is claimed waits until all of it is. */
const CLAIM_MAX = 256;
const LOST_AWAITED_MS = 20_000;
/** A claim that takes longer is not waited for. */
const CLAIM_LATE_MS = 3_000;
const SETTLING = { itemsMax: 200, runsMax: 2 };

export type DispatcherOptions = Execution & {
	/** Messages carried out at once. */
	readonly slots: number;
	/** Kinds of which no more are claimed while so many are held or more: the others of them are left to other dispatchers. */
	readonly claimedMax?: Readonly<Record<string, number>>;
	/** Those of them of which a tenant that holds none gets one all the same (newcomers.ts). */
	readonly shared?: readonly string[];
	readonly leaseSeconds: number;
	/** How long a message waits for an attempt that was lost and is still under way here; absent: 20 s. */
	readonly lostAwaitedMs?: number;
	/** How long a claim is waited for; absent: 3 s. */
	readonly claimLateMs?: number;
};

export type Dispatcher = {
	/** Looks for messages now; answers false when all slots are taken, so that somebody else should. */
	readonly ring: () => boolean;
	/** For one transaction of a handler: what it causes is carried out here, as far as there is room. */
	readonly openLocalDispatch: () => LocalDispatch;
	/** Stops claiming, waits for what is running up to `graceMs`, then gives back the rest. */
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
	const newcomers = createNewcomers(slots, options.shared ?? []);
	const settle = createBatcher((settlements: readonly Settlement[]) => settleMessages(sql, settlements), SETTLING);
	const failures = createFailureLog(log);
	const bell = createBell();
	let stopping = false;
	/** Nothing is begun any more. */
	let hasEnded = false;
	/** Messages that are due wait for slots. */
	let isShort = false;
	// A freed slot, or a claim's end, matters only while messages wait for it.
	const ringIfShort = () => {
		if (isShort) bell.ringIn(GATHER_MS);
	};
	const lateClaims = createLateClaims(options.claimLateMs ?? CLAIM_LATE_MS, ringIfShort);

	/** Claims once; answers how long the loop may rest. */
	async function fill(): Promise<number> {
		const open = slots.listOpen(kinds);
		const full = kinds.filter((kind) => !open.includes(kind));
		const restMaxMs = newcomers.restMaxMs(full, POLL_MAX_MS);
		if (!lateClaims.isFull()) await letNewcomersIn(full);
		const free = slots.free();
		isShort = free <= 0 || open.length === 0 || lateClaims.isFull();
		if (isShort) return restMaxMs;
		const limit = Math.min(lateClaims.limitOf(free), CLAIM_MAX);
		const atMs = performance.now();
		const wanted = { kinds: open, limit, afterTenant: walk.afterTenant(), ...slots.listRooms() };
		const claim = await lateClaims.await(claimAndStart(wanted, atMs));
		const { restMs, hasMore } = walk.note(claim, { atMs, limit, free, restMaxMs });
		isShort = hasMore || open.length < kinds.length;
		return restMs;
	}

	async function letNewcomersIn(full: readonly string[]): Promise<void> {
		const atMs = performance.now();
		const wanted = newcomers.ask(full, atMs);
		if (wanted) newcomers.note(await lateClaims.await(claimAndStart(wanted, atMs)));
	}

	/** What a claim takes is carried out even when it comes late, as far as nobody else has it by then. */
	async function claimAndStart(wanted: Omit<Wanted, "owner" | "leaseSeconds">, askedAtMs: number): Promise<Claimed> {
		const claim = await claimMessages(sql, { ...wanted, owner, leaseSeconds });
		if (!hasEnded) for (const message of claim.messages) start(message, askedAtMs);
		else if (claim.messages.length > 0) void release();
		return claim;
	}

	function start(row: ClaimedRow, askedAtMs: number): void {
		const { attempt, before } = attempts.begin(row, askedAtMs);
		slots.take(row);
		attempt.work = carryOut(row, attempt, before).then((outcome) => {
			attempts.end(attempt);
			slots.giveBack(row);
			ringIfShort();
			// What this one is to do later is known without asking.
			if (outcome?.kind === "retry" || outcome?.kind === "snooze") bell.ringIn(outcome.afterSeconds * 1000);
		});
	}

	/** Answers nothing for an attempt that was not begun: its message is given back, or found by its lease. */
	async function carryOut(
		row: ClaimedRow,
		attempt: Attempt,
		before: Promise<void> | undefined,
	): Promise<Outcome | undefined> {
		const leaseLeftMs = () => attempt.leasedUntilMs - performance.now();
		if (before) {
			// One that hangs holds its message up no longer than this: what it may still do is fenced.
			await withTimeout(before, options.lostAwaitedMs ?? LOST_AWAITED_MS, () => undefined);
			if (stopping || leaseLeftMs() <= 0) return undefined;
		}
		return execute(options, settle, { ...row, leaseLeftMs }, failures);
	}

	function openLocalDispatch(): LocalDispatch {
		// The transaction that writes the claims begins later, and so do their leases.
		const openedAtMs = performance.now();
		return createLocalDispatch({
			owner,
			leaseSeconds,
			kinds,
			reserve: (tenantId) => !stopping && slots.reserve(tenantId),
			release: slots.release,
			// What is taken while stopping is given back with all else that this owner holds.
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
			if (!stopping && pauseMs > 0) await bell.wait(pauseMs);
		}
	}

	async function rescue(): Promise<void> {
		if ((await rescueMessages(sql)) > 0) bell.ring();
	}

	const keeper = setInterval(() => {
		// In this order: one that was stopped for longer than its leases keeps what nobody has taken meanwhile.
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
	const listening = listen(sql, bell.ring, (error) =>
		log.warn({ event: "outbox.listen_failed", err: error }, "cannot listen for wake signals; polling only"),
	);
	const looping = loop();

	return {
		openLocalDispatch,
		ring: () => {
			bell.ring();
			return attempts.count() < options.slots;
		},
		async stop(graceMs) {
			stopping = true;
			bell.ring();
			await looping;
			hasEnded = true;
			await withTimeout(attempts.whenEnded(), graceMs, () => undefined);
			failpoint("drain-messages");
			clearInterval(keeper);
			bell.silence();
			// Nobody waits for it: on a connection that has died without a word it would keep the leases from being given back.
			void listening.then((heard) => heard?.unlisten()).catch(() => undefined);
			failures.finish();
			await release();
		},
	};
}

async function listen(sql: Sql, heard: () => void, failed: (error: unknown) => void) {
	try {
		return await sql.listen(CHANNELS.outbox, heard);
	} catch (error) {
		failed(error);
		return undefined;
	}
}
