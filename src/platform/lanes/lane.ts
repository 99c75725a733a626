/**
 * A lane: the one that runs the messages of its shards.
 *
 *   register ──▶ look, renew ──▶ take free shards, give surplus ones up, take over dead lanes ──▶ look again …
 *                    │
 *                    └─ the epoch was raised: forget everything, register under a new id
 *
 * Model: every tenant belongs to one of 64 shards, and a shard has one lane at most. Living lanes share the shards evenly, by the order of
 * their ids. Every look sees all lanes and all shards, so each lane decides alone what it takes and gives up. It gives a shard up when
 * nothing runs in it any more, or after a while.
 *
 * Trust: a lane's lease is by the database's clock, counted here from before it was requested. Its writes take `held_terms`, which is null once
 * another lane has raised the epoch, and has no term for a shard that was given up. Raising the epoch and giving shards up
 * wait for the writes that are open. A shard that comes back has another term, so what was begun before writes nothing.
 *
 * Failures: while the database is away, looks fail and the lease runs out here first. A look without an answer is left behind. A lane that was
 * paused finds its epoch raised, or renews.
 */
import { hostname } from "node:os";
import { createWakeSignal, withTimeout } from "../concurrency";
import type { Sql } from "../database";
import type { Log, Metrics } from "../telemetry";
import { newId } from "../values";
import { SHARD_COUNT, shardOf } from "./shard";
import {
	insertLane,
	isFenced,
	type LaneToken,
	leaveLane,
	listLanes,
	type Place,
	releaseShards,
	removeLane,
	renewAndLook,
	takeOver,
	takeShards,
	type View,
} from "./store";

/** Another node takes what is free within this time. At most a fifteenth of the lease, so that two thirds of it are always left. */
const LOOK_EVERY_MS = 1_000;
/** A shard that was given up stays where it is for this long. */
const REST_SECONDS = 30;
/** How often the end of the last writes is waited for. */
const REMOVALS_MAX = 3;
/** A database that is slow to answer delays a start for as long; below the time that a worker thread may take to be ready. */
const STARTING_MAX_MS = 20_000;

export type LaneOptions = Place & {
	readonly sql: Sql;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "shardsOwned" | "lanesFenced">;
	readonly leaseSeconds: number;
	/** Called when the lane has got shards, and when it has lost some. */
	readonly changed: (gained: readonly number[]) => void;
	/** Called when shards are given up: resolves once nothing runs in them, or after a while. Nothing more may start in them. */
	readonly drain: (shards: readonly number[]) => Promise<unknown>;
	/** Default: 1 s. */
	readonly lookEveryMs?: number;
	/** Default: 30 s. */
	readonly restSeconds?: number;
};

/** What a write for a tenant presents. */
export type Hold = LaneToken & { readonly term: number };
/** `sinceMs`: when the lane got the shard, by the steady clock. */
export type OwnHold = Hold & { readonly shard: number; readonly sinceMs: number };

export type Lane = {
	/** Resolves once it has its first shards; rejects if the database refuses it. */
	readonly ready: Promise<void>;
	/** The shards in which messages may be started, in order; none after the lease has expired. */
	readonly listShards: () => number[];
	/** The holds on them. */
	readonly listHolds: () => OwnHold[];
	readonly ownsAll: () => boolean;
	/** The hold on a tenant's messages; undefined if none may be started. */
	readonly findHold: (tenantId: string) => OwnHold | undefined;
	/** Milliseconds until another lane may take the shard, by the steady clock; negative for a hold that is lost. */
	readonly leaseLeftMs: (hold: OwnHold) => number;
	/** After a write was refused. */
	readonly lookNow: () => void;
	/** Takes nothing more, and gives all other shards than these up at once. */
	readonly leave: (busy: ReadonlySet<number>) => Promise<void>;
	/** Gives everything up. */
	readonly stop: () => Promise<void>;
};

type Owned = { readonly term: number; readonly sinceMs: number };

/** Registers a lane in the background and keeps it until `stop`. */
export function openLane(options: LaneOptions): Lane {
	const { sql, log, metrics, leaseSeconds } = options;
	const everyMs = Math.min(options.lookEveryMs ?? LOOK_EVERY_MS, leaseSeconds * 66);
	const ready = Promise.withResolvers<void>();
	ready.promise.catch(() => undefined);
	const signal = createWakeSignal();
	let token: LaneToken | undefined;
	/** Own ones that were fenced: what was begun in them may go on until their lease ends. */
	const former = new Set<string>();
	/** By the steady clock. */
	let leasedUntilMs = Number.NEGATIVE_INFINITY;
	let owned = new Map<number, Owned>();
	/** Shards that are being given up, and whether nothing runs in them. */
	let draining = new Set<number>();
	let isDrained = false;
	let isLeaving = false;
	let stopping = false;
	/** The look under way: one that was left behind must change nothing. */
	let current = 0;

	function keep(shards: readonly { readonly shard: number; readonly term: number }[]): void {
		const before = owned;
		const nowMs = performance.now();
		owned = new Map(
			shards.map(({ shard, term }) => {
				const known = before.get(shard);
				return [shard, known?.term === term ? known : { term, sinceMs: nowMs }];
			}),
		);
		const gained = [...owned].filter(([shard, one]) => before.get(shard) !== one).map(([shard]) => shard);
		const isLess = [...before].some(([shard, one]) => owned.get(shard) !== one);
		metrics.shardsOwned.set(owned.size);
		if (gained.length > 0 || isLess) options.changed(gained);
	}

	async function register(): Promise<LaneToken> {
		const known = await listLanes(sql);
		const ended = known.filter((place) => !former.has(place.lane) && hasEnded(place, options)).map(({ lane }) => lane);
		if (ended.length > 0) await takeOver(sql, ended, "known");
		const made = { lane: newId(), epoch: 1 };
		const requestedAtMs = performance.now();
		await insertLane(sql, made, options, leaseSeconds);
		leasedUntilMs = requestedAtMs + leaseSeconds * 1000;
		token = made;
		return made;
	}

	function forget(): void {
		leasedUntilMs = Number.NEGATIVE_INFINITY;
		draining = new Set();
		keep([]);
		metrics.lanesFenced.inc();
		log.warn({ event: "lane.fenced", lane: token?.lane }, "lane taken over; starting another");
		if (token) former.add(token.lane);
		token = undefined;
		signal.wake();
	}

	async function look(): Promise<void> {
		const mine = ++current;
		const isLate = () => mine !== current;
		const lane = token ?? (await register());
		const requestedAtMs = performance.now();
		const view = await renewAndLook(sql, lane, leaseSeconds);
		if (isLate()) return;
		if (!view.lanes.some((one) => one.lane === lane.lane && one.epoch === lane.epoch)) return forget();
		if (view.isRenewed) leasedUntilMs = requestedAtMs + leaseSeconds * 1000;
		keep(view.shards.filter((one) => one.lane === lane.lane));
		const dead = view.lanes.filter((one) => !one.isLive && one.lane !== lane.lane).map((one) => one.lane);
		if (dead.length > 0) await takeOver(sql, dead, "expired");
		if (isLate() || isLeaving) return;
		const { take, giveUp } = planShards(view, lane.lane, options.restSeconds ?? REST_SECONDS);
		if (take > 0 || dead.length > 0) await takeMore(lane, take, isLate);
		if (isLate()) return;
		if (giveUp.length > 0 && draining.size === 0) drain(giveUp);
		else if (isDrained && (await releaseShards(sql, lane, [...draining])) && !isLate()) {
			keep([...owned].filter(([shard]) => !draining.has(shard)).map(([shard, { term }]) => ({ shard, term })));
			draining = new Set();
			isDrained = false;
		}
	}

	async function takeMore(lane: LaneToken, count: number, isLate: () => boolean): Promise<void> {
		// What was taken over is free only after the view: the next look takes it.
		if (count === 0) return signal.wake();
		const taken = await takeShards(sql, lane, count);
		if (!isLate()) keep([...[...owned].map(([shard, { term }]) => ({ shard, term })), ...taken]);
	}

	function drain(shards: readonly number[]): void {
		const given = new Set(shards);
		draining = given;
		isDrained = false;
		void options.drain(shards).then(() => {
			isDrained = draining === given;
			signal.wake();
		});
	}

	async function loop(): Promise<void> {
		const startedAtMs = performance.now();
		while (!stopping) {
			try {
				await withTimeout(look(), leaseSeconds * 200, () => {
					throw new Error("the database does not answer");
				});
				ready.resolve();
			} catch (error) {
				current++;
				if (isFenced(error)) forget();
				else log.warn({ event: "lane.look_failed", err: error }, "cannot renew the lease of shards");
				if (performance.now() - startedAtMs > STARTING_MAX_MS) ready.reject(error);
			}
			if (!stopping) await signal.wait(everyMs);
		}
	}

	const looping = loop();
	const hasLease = () => performance.now() < leasedUntilMs;
	const listOpen = () => (hasLease() ? [...owned].filter(([shard]) => !draining.has(shard)) : []);
	return {
		ready: ready.promise,
		listShards: () => listOpen().map(([shard]) => shard),
		listHolds: () => {
			const own = token;
			return own ? listOpen().map(([shard, one]) => ({ ...own, shard, ...one })) : [];
		},
		ownsAll: () => owned.size === SHARD_COUNT && draining.size === 0,
		findHold(tenantId) {
			const shard = shardOf(tenantId);
			const one = owned.get(shard);
			return token && one && hasLease() && !draining.has(shard) ? { ...token, shard, ...one } : undefined;
		},
		leaseLeftMs: ({ lane, shard, term }) =>
			lane === token?.lane && owned.get(shard)?.term === term
				? Math.floor(leasedUntilMs - performance.now())
				: Number.NEGATIVE_INFINITY,
		lookNow: signal.wake,
		async leave(busy) {
			isLeaving = true;
			current++;
			const idle = [...owned.keys()].filter((shard) => !busy.has(shard));
			if (!token) return;
			const hasLeft = await leaveLane(sql, token, idle).catch(() => false);
			if (hasLeft) keep([...owned].filter(([shard]) => busy.has(shard)).map(([shard, { term }]) => ({ shard, term })));
		},
		async stop() {
			stopping = true;
			current++;
			signal.wake();
			await looping;
			leasedUntilMs = Number.NEGATIVE_INFINITY;
			keep([]);
			if (token) await remove(token.lane);
		},
	};

	async function remove(lane: string): Promise<void> {
		try {
			for (let n = 1; n <= REMOVALS_MAX; n++) if (await removeLane(sql, lane)) return;
		} catch (error) {
			log.warn({ event: "lane.release_failed", err: error }, "cannot give shards up");
		}
	}
}

/** How many shards a lane takes, and which it gives up. */
export function planShards(
	{ lanes, shards }: View,
	lane: string,
	restSeconds: number,
): { readonly take: number; readonly giveUp: readonly number[] } {
	const live = lanes.filter((one) => (one.isLive && !one.isLeaving) || one.lane === lane);
	const rank = live.findIndex((one) => one.lane === lane);
	const share = Math.floor(SHARD_COUNT / live.length) + (rank < SHARD_COUNT % live.length ? 1 : 0);
	const own = shards.filter((one) => one.lane === lane);
	const free = shards.filter((one) => one.lane === null).length;
	const rested = own.filter(
		({ releasedSecondsAgo }) => releasedSecondsAgo === null || releasedSecondsAgo >= restSeconds,
	);
	const surplus = Math.max(0, own.length - share);
	return {
		take: Math.max(0, Math.min(share - own.length, free)),
		giveUp: surplus === 0 ? [] : rested.slice(-surplus).map(({ shard }) => shard),
	};
}

/** A name for this process, which no other one has: host, process id and start. */
export function nameNode(): string {
	return `${hostname()}/${process.pid}/${Math.round(performance.timeOrigin).toString(36)}`;
}

/**
 * True for a lane that must have ended: an earlier one of the same thread, or one of a process on this host that is gone. So a service that
 * was killed goes on as soon as it is started again. A wrong guess costs the other lane its shards for a moment, no more.
 */
export function hasEnded(other: Place, own: Place): boolean {
	if (other.node === own.node) return other.thread === own.thread;
	const [host, pid] = other.node.split("/");
	const [ownHost, ownPid] = own.node.split("/");
	if (host !== ownHost) return false;
	if (pid === ownPid) return true;
	try {
		process.kill(Number(pid), 0);
		return false;
	} catch (error) {
		return (error as { code?: unknown }).code === "ESRCH";
	}
}
