/**
 * A lane: the one that runs the messages of its shards.
 *
 *   register ──▶ look, renew ──▶ take free shards, give surplus ones up, take over dead lanes ──▶ look again …
 *                    │
 *                    └─ the epoch was raised: forget everything, register under a new id
 *
 * Model: every tenant belongs to one of 64 shards, and a shard has one lane at most. Living lanes share the shards evenly, by the order of
 * their ids. Every look sees all lanes and all shards, so each lane decides alone what it takes and gives up.
 *
 * Trust: a lane's lease is by the database's clock, counted here from before it was requested. Its writes take `hold_lane`, which fails once
 * another lane has raised the epoch. That lane waits for the writes that are open, and only then gives the shards away.
 *
 * Failures: while the database is away, looks fail and the lease runs out here first. A paused lane finds its epoch raised, or renews.
 */
import { hostname } from "node:os";
import type { Sql } from "../database";
import type { Log, Metrics } from "../telemetry";
import { newId } from "../values";
import { SHARD_COUNT } from "./shard";
import {
	insertLane,
	isFenced,
	type LaneToken,
	type Place,
	releaseShards,
	removeLane,
	renewAndLook,
	takeOver,
	takeShards,
	type View,
} from "./store";

/** Another node takes what is free within this time. */
const LOOK_EVERY_MS = 1_000;
/** A shard that was given up stays where it is for this long. */
const REST_SECONDS = 30;

export type LaneOptions = Place & {
	readonly sql: Sql;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "shardsOwned" | "lanesFenced">;
	readonly leaseSeconds: number;
	/** Called when the lane has got shards. */
	readonly gained: () => void;
	/** Default: 1 s. */
	readonly lookEveryMs?: number;
	/** Default: 30 s. */
	readonly restSeconds?: number;
};

export type Lane = {
	/** The shards whose messages this lane may run now, in order; none after its lease has expired. */
	readonly listShards: () => number[];
	/** Gives everything up at once. */
	readonly stop: () => Promise<void>;
};

/** Registers a lane and takes its first shards. */
export async function startLane(options: LaneOptions): Promise<Lane> {
	const { sql, log, metrics, leaseSeconds } = options;
	let token: LaneToken = { lane: newId(), epoch: 1 };
	/** By the steady clock. */
	let leasedUntilMs = Number.NEGATIVE_INFINITY;
	/** The term in which each shard is owned. */
	let terms = new Map<number, number>();
	let stopping = false;

	const keep = (owned: Map<number, number>) => {
		const isMore = [...owned.keys()].some((shard) => !terms.has(shard));
		terms = owned;
		metrics.shardsOwned.set(terms.size);
		if (isMore) options.gained();
	};

	async function register(): Promise<void> {
		token = { lane: newId(), epoch: 1 };
		const requestedAtMs = performance.now();
		await insertLane(sql, token, options, leaseSeconds);
		leasedUntilMs = requestedAtMs + leaseSeconds * 1000;
	}

	async function look(): Promise<void> {
		const requestedAtMs = performance.now();
		const view = await renewAndLook(sql, token, leaseSeconds);
		if (!view.lanes.some(({ lane, epoch }) => lane === token.lane && epoch === token.epoch)) return startAgain();
		if (view.isRenewed) leasedUntilMs = requestedAtMs + leaseSeconds * 1000;
		const own = view.shards.filter(({ lane }) => lane === token.lane);
		keep(new Map(own.map(({ shard, term }) => [shard, term])));
		const dead = view.lanes.filter(({ lane, isLive }) => !isLive && lane !== token.lane);
		if (dead.length > 0)
			await takeOver(
				sql,
				dead.map(({ lane }) => lane),
				"expired",
			);
		const { take, giveUp } = planShards(view, token.lane, options.restSeconds ?? REST_SECONDS);
		if (take > 0) {
			const taken = await takeShards(sql, token, take);
			keep(new Map([...terms, ...taken.map(({ shard, term }) => [shard, term] as const)]));
		}
		if (giveUp.length > 0) {
			keep(new Map([...terms].filter(([shard]) => !giveUp.includes(shard))));
			await releaseShards(sql, token, giveUp);
		}
	}

	async function startAgain(): Promise<void> {
		leasedUntilMs = Number.NEGATIVE_INFINITY;
		keep(new Map());
		metrics.lanesFenced.inc();
		log.warn({ event: "lane.fenced", lane: token.lane }, "lane taken over; starting another");
		await register();
	}

	async function tryLook(): Promise<void> {
		try {
			await look();
		} catch (error) {
			if (isFenced(error)) await startAgain().catch(() => undefined);
			else log.warn({ event: "lane.look_failed", err: error }, "cannot renew the lease of shards");
		}
	}

	await register();
	const { lanes } = await renewAndLook(sql, token, leaseSeconds);
	const ended = lanes.filter(({ lane, ...place }) => lane !== token.lane && hasEnded(place, options));
	if (ended.length > 0)
		await takeOver(
			sql,
			ended.map(({ lane }) => lane),
			"known",
		);
	await look();
	const every = Math.min(options.lookEveryMs ?? LOOK_EVERY_MS, (leaseSeconds * 1000) / 5);
	const stopped = Promise.withResolvers<void>();
	const looking = (async () => {
		for (;;) {
			await Promise.race([Bun.sleep(every), stopped.promise]);
			if (stopping) return;
			await tryLook();
		}
	})();
	return {
		listShards: () => (performance.now() < leasedUntilMs ? [...terms.keys()] : []),
		async stop() {
			stopping = true;
			stopped.resolve();
			await looking;
			keep(new Map());
			leasedUntilMs = Number.NEGATIVE_INFINITY;
			await removeLane(sql, token.lane).catch((error) =>
				log.warn({ event: "lane.release_failed", err: error }, "cannot give shards up"),
			);
		},
	};
}

/** How many shards a lane takes, and which it gives up. */
export function planShards(
	{ lanes, shards }: View,
	lane: string,
	restSeconds: number,
): { readonly take: number; readonly giveUp: readonly number[] } {
	const live = lanes.filter((one) => one.isLive || one.lane === lane);
	const rank = live.findIndex((one) => one.lane === lane);
	const share = Math.floor(SHARD_COUNT / live.length) + (rank < SHARD_COUNT % live.length ? 1 : 0);
	const own = shards.filter((one) => one.lane === lane);
	const free = shards.filter((one) => one.lane === null).length;
	const rested = own.filter(
		({ releasedSecondsAgo }) => releasedSecondsAgo === null || releasedSecondsAgo >= restSeconds,
	);
	return {
		take: Math.max(0, Math.min(share - own.length, free)),
		giveUp: rested
			.slice(rested.length - Math.max(0, Math.min(own.length - share, rested.length)))
			.map(({ shard }) => shard),
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
function hasEnded(other: Place, own: Place): boolean {
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
