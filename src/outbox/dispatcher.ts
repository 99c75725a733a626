/**
 * The loop that carries messages out.
 *
 *   ready ──claim──▶ working ──settle──▶ done | dead
 *     ▲                 │
 *     └─retry, snooze───┤
 *     └─rescue──────────┘   (the holder's lease ran out)
 *
 * Model: a dispatcher claims as many due messages as it has free slots, runs each through its handler and settles it. It
 * looks again when a slot frees that a message waits for, when a wake-up comes (LISTEN, a hint), when the next message is due,
 * and every POLL_MAX_MS at the latest. Several dispatchers may run, in threads, processes and machines: SKIP LOCKED keeps
 * them apart. Tenants are served in turn, and none fills all slots (fair-share.ts).
 *
 * Trust: a claim is a lease by the database's clock. It is extended while the handler runs. Every write of a holder carries
 * (id, attempt, owner); a holder that lost its lease finds no row and changes nothing. `owner` is fresh for every start, so a
 * restarted process is never taken for its predecessor. A message that was lost and comes back while the lost attempt is still under way
 * here begins when that one has ended: its lease is kept meanwhile, and is no business of the lost one.
 *
 * What fails: a handler that throws is a retry; a process that dies is rescued after its lease; a database that goes away
 * makes the loop wait and go on. A kind without a handler here (written by newer code) is not claimed at all.
 */
import { createGather, type Sql } from "../database";
import { faultPoint } from "../fault-points";
import { newId } from "../values";
import { WAKE_CHANNEL } from "./append";
import { createBell } from "./bell";
import { type Execution, execute } from "./execute";
import { roomOf } from "./fair-share";
import { createHandover, type Handover } from "./handover";
import { extensionEveryMs } from "./lease";
import type { Outcome } from "./outcome";
import {
	type ClaimedRow,
	claimMessages,
	extendLeases,
	releaseMessages,
	rescueMessages,
	type Settlement,
	settleMessages,
} from "./store";

const POLL_MAX_MS = 5_000;
const FAILURE_PAUSE_MS = 250;
/** Slots that free, and messages that become due, within so long are served by one claim. */
const GATHER_MS = 4;
/** Of one claim: what is claimed waits until all of it is. */
const CLAIM_MAX = 256;
const LOST_AWAITED_MS = 20_000;
/** A claim that takes longer is not waited for: its connection may have died without a word. */
const CLAIM_LATE_MS = 3_000;
/** While so many are late nothing more is claimed: the database may be slow and not gone. */
const LATE_CLAIMS_MAX = 3;
/** What is claimed beside a late claim, of what is free: both may take what they asked for. */
const SHARE_BESIDE_LATE = 0.25;
const SETTLING = { itemsMax: 200, runsMax: 2 };

export type DispatcherOptions = Execution & {
	/** Messages carried out at once. */
	readonly slots: number;
	/** Kinds of which no more are claimed while so many are held or more: the others of them are left to other dispatchers. */
	readonly heldMax?: Readonly<Record<string, number>>;
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
	readonly openHandover: () => Handover;
	/** Stops claiming, waits for what is running up to `graceMs`, then gives back the rest. */
	readonly stop: (graceMs: number) => Promise<void>;
};

/** One claim of one message: what is known of its lease is of no other. */
type Attempt = {
	readonly id: string;
	readonly number: number;
	/** Until when nobody else may take the message: by the steady clock, from before the lease was asked for. */
	leasedUntilMs: number;
	/** Ends when the attempt has; absent for the moment in which it begins. */
	work: Promise<void> | undefined;
};

/** Starts the loop; it runs until `stop`. */
export function runDispatcher(options: DispatcherOptions): Dispatcher {
	const { sql, log, leaseSeconds } = options;
	const owner = newId();
	const kinds = Object.keys(options.handlers);
	const running = new Set<Attempt>();
	/** By message: an attempt that was lost may still be under way when the message comes back. */
	const lastAttemptAt = new Map<string, Attempt>();
	/** Slots that each tenant holds, those included that are reserved for messages of transactions that have not committed yet. */
	const shares = new Map<string, number>();
	let reserved = 0;
	const heldOf = new Map<string, number>();
	const settle = createGather((settlements: readonly Settlement[]) => settleMessages(sql, settlements), SETTLING);
	const bell = createBell();
	let stopping = false;
	/** Nothing is begun any more. */
	let hasEnded = false;
	/** Claims that were asked for and are not waited for. */
	let lateClaims = 0;
	/** Messages that are due wait for slots. */
	let isShort = false;
	let afterTenant: string | null = null;
	/** What the claims of one walk through all tenants have met; a walk of more tenants than one claim looks at takes several. */
	let walk = { hasTaken: false, hasMore: false, nextDueAtMs: Number.POSITIVE_INFINITY };

	/** Claims once; answers how long the loop may rest. */
	async function fill(): Promise<number> {
		const free = options.slots - running.size - reserved;
		isShort = free <= 0 || lateClaims >= LATE_CLAIMS_MAX;
		if (isShort) return POLL_MAX_MS;
		const open = kinds.filter((kind) => (heldOf.get(kind) ?? 0) < (options.heldMax?.[kind] ?? options.slots));
		if (open.length === 0) {
			isShort = true;
			return POLL_MAX_MS;
		}
		const limit = Math.min(lateClaims > 0 ? Math.ceil(free * SHARE_BESIDE_LATE) : free, CLAIM_MAX);
		const busy = [...shares].map(([tenantId, held]) => ({ tenantId, held, room: roomOf(held, free) }));
		const roomOfOthers = roomOf(0, free);
		const askedAtMs = performance.now();
		const claiming = claimMessages(sql, {
			owner,
			kinds: open,
			limit,
			leaseSeconds,
			busy,
			roomOfOthers,
			afterTenant,
		}).then((claim) => {
			// What a late one has taken is carried out all the same, as far as nobody else has it by then.
			for (const message of claim.messages) if (!hasEnded) start(message, askedAtMs);
			if (hasEnded && claim.messages.length > 0) void release();
			return claim;
		});
		const claim = await inTime(claiming, options.claimLateMs ?? CLAIM_LATE_MS).catch((error: unknown) => {
			lateClaims++;
			const settled = () => {
				lateClaims--;
				if (isShort) bell.ringIn(GATHER_MS);
			};
			claiming.then(settled, settled);
			throw error;
		});
		const isBeginning = afterTenant === null;
		walk = {
			hasTaken: claim.messages.length > 0 || (!isBeginning && walk.hasTaken),
			hasMore: claim.hasMore || (!isBeginning && walk.hasMore),
			nextDueAtMs: Math.min(
				claim.nextDueSeconds === null ? Number.POSITIVE_INFINITY : askedAtMs + claim.nextDueSeconds * 1000,
				isBeginning ? Number.POSITIVE_INFINITY : walk.nextDueAtMs,
			),
		};
		afterTenant = claim.lastTenant;
		isShort = walk.hasMore || open.length < kinds.length;
		if (claim.messages.length === limit && limit < free) return GATHER_MS;
		if (claim.isContested || claim.lastTenant !== null) return GATHER_MS;
		// Slots that were taken at its beginning may be free at its end, for those who came too late then.
		if (!isBeginning && walk.hasMore && walk.hasTaken) return GATHER_MS;
		return Math.min(POLL_MAX_MS, Math.max(1, walk.nextDueAtMs - performance.now()));
	}

	function start(row: ClaimedRow, askedAtMs: number): void {
		const { id, tenantId, kind } = row;
		const before = lastAttemptAt.get(id)?.work;
		const attempt: Attempt = {
			id,
			number: row.attempt,
			leasedUntilMs: askedAtMs + leaseSeconds * 1000,
			work: undefined,
		};
		running.add(attempt);
		lastAttemptAt.set(id, attempt);
		changeShare(tenantId, 1);
		heldOf.set(kind, (heldOf.get(kind) ?? 0) + 1);
		attempt.work = carryOut(row, attempt, before).then((outcome) => {
			running.delete(attempt);
			if (lastAttemptAt.get(id) === attempt) lastAttemptAt.delete(id);
			attempt.leasedUntilMs = Number.NEGATIVE_INFINITY;
			changeShare(tenantId, -1);
			heldOf.set(kind, (heldOf.get(kind) ?? 1) - 1);
			// A freed slot matters only while messages wait for one; what this one is to do later is known without asking.
			if (isShort) bell.ringIn(GATHER_MS);
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
			await Promise.race([before, Bun.sleep(options.lostAwaitedMs ?? LOST_AWAITED_MS)]);
			if (stopping || leaseLeftMs() <= 0) return undefined;
		}
		return execute(options, settle, { ...row, leaseLeftMs });
	}

	function changeShare(tenantId: string, by: 1 | -1): void {
		const held = (shares.get(tenantId) ?? 0) + by;
		if (held > 0) shares.set(tenantId, held);
		else shares.delete(tenantId);
	}

	function openHandover(): Handover {
		// The transaction that writes the claims begins later, and so do their leases.
		const openedAtMs = performance.now();
		return createHandover({
			owner,
			leaseSeconds,
			kinds,
			reserve(tenantId) {
				const free = options.slots - running.size - reserved;
				if (stopping || roomOf(shares.get(tenantId) ?? 0, free) <= 0) return false;
				reserved++;
				changeShare(tenantId, 1);
				return true;
			},
			release(tenantId) {
				reserved--;
				changeShare(tenantId, -1);
			},
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
				log.warn({ err: error }, "the outbox cannot be read");
				pauseMs = FAILURE_PAUSE_MS;
			}
			if (!stopping && pauseMs > 0) await bell.wait(pauseMs);
		}
	}

	async function keepLeases(): Promise<void> {
		if (running.size === 0) return;
		const askedAtMs = performance.now();
		for (const attempt of await extendLeases(sql, owner, [...running], leaseSeconds))
			if (running.has(attempt)) attempt.leasedUntilMs = askedAtMs + leaseSeconds * 1000;
	}

	async function rescue(): Promise<void> {
		if ((await rescueMessages(sql)) > 0) bell.ring();
	}

	const keeper = setInterval(() => {
		// In this order: one that was stopped for longer than its leases keeps what nobody has taken meanwhile.
		keepLeases()
			.catch((error) => log.warn({ err: error }, "leases could not be kept"))
			.then(rescue)
			.catch((error) => log.warn({ err: error }, "lost messages could not be looked for"));
	}, extensionEveryMs(leaseSeconds));
	const release = () =>
		releaseMessages(sql, owner).catch((error) => log.warn({ err: error }, "leases could not be given back"));
	const listening = listen(sql, bell.ring, (error) =>
		log.warn({ err: error }, "wake-ups are not heard; polling goes on"),
	);
	const looping = loop();

	return {
		openHandover,
		ring: () => {
			bell.ring();
			return running.size < options.slots;
		},
		async stop(graceMs) {
			stopping = true;
			bell.ring();
			await looping;
			hasEnded = true;
			await Promise.race([Promise.allSettled([...running].map(({ work }) => work)), Bun.sleep(graceMs)]);
			faultPoint("drain-messages");
			clearInterval(keeper);
			bell.silence();
			await (await listening)?.unlisten().catch(() => undefined);
			await release();
		},
	};
}

/** Throws when the answer is late; what it fails with after that is nobody's. */
async function inTime<T>(answer: Promise<T>, limitMs: number): Promise<T> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error("the database does not answer")), limitMs);
	try {
		return await Promise.race([answer, late.promise]);
	} finally {
		clearTimeout(timer);
	}
}

async function listen(sql: Sql, heard: () => void, failed: (error: unknown) => void) {
	try {
		return await sql.listen(WAKE_CHANNEL, heard);
	} catch (error) {
		failed(error);
		return undefined;
	}
}
