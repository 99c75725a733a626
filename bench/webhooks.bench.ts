/**
 * How many webhook deliveries per second does the dispatcher make, and how long after its event does one arrive?
 *
 * Three receivers of ten fail: half of those answer 503, the other half are closed ports. Their retries happen during other deliveries, and
 * count
 * as attempts. Sustained: a batch of events commits at once; it ends when the last first attempt is recorded. Delay: at a steady rate, from
 * before the event's transaction to the arrival of its first attempt.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { BarePosted, BarePosts } from "./bare-posts.process";
import { type BenchOptions, type Figure, newRounds, toCostFigure, toFigure } from "./bench";
import { type Child, startChild } from "./child";
import { measureCpu } from "./cpu-time";
import { openDatabase } from "./fill-invoices";
import { type Service, startService } from "./service";
import { addTenant, countAttempts, enqueueAccepted, type Place, toBarePost, withdrawAll } from "./webhook-events";
import type { Manner, ReceiversAnswer, ReceiversQuestion } from "./webhook-receivers.process";

export const question = "How many webhooks per second are delivered, and how long after its event does one arrive?";
export const peer = "one thread that posts the same signed bodies to the same receivers and does nothing else";

/** The dispatcher's number of slots. */
const BARE_IN_FLIGHT = 64;
const BARE_POSTS = 3_000;
const STEADY_PER_SECOND = 100;
const BATCH_SECONDS = 5;
const HEAR_TIMEOUT_MS = 180_000;
/** A closed port. */
const DEAF_HOST = "127.0.0.1:1";

type Scene = { readonly name: string; readonly tenants: number; readonly endpoints: number; readonly silent?: true };

const SCENES: readonly Scene[] = [
	{ name: "1 tenant", tenants: 1, endpoints: 10 },
	{ name: "200 tenants", tenants: 200, endpoints: 1 },
	{ name: "200 tenants, 20 silent", tenants: 200, endpoints: 1, silent: true },
];
const SMOKE_SCENES: readonly Scene[] = [
	{ name: "1 tenant", tenants: 1, endpoints: 10 },
	{ name: "10 tenants", tenants: 10, endpoints: 1 },
];

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const receivers = startChild<ReceiversQuestion, ReceiversAnswer>(stack, "webhook-receivers.process.ts");
	const bare = startChild<BarePosts, BarePosted>(stack, "bare-posts.process.ts");
	const stages = await Promise.all((smoke ? SMOKE_SCENES : SCENES).map((scene) => plan(receivers, scene)));
	const hosts = [...stages.flatMap(({ answering }) => answering), DEAF_HOST];
	const service = await startService(stack, { ROLE: "worker", WEBHOOK_ALLOW: hosts.join(",") });
	const sql = openDatabase(stack, service);
	const figures: Figure[] = [];
	for (const stage of stages) {
		const places = await build(sql, service, receivers, stage);
		const road = openPipeline({ service, sql, receivers, bare, stage, places });
		figures.push(...(await measure(road, stage.scene, smoke)));
	}
	return figures;
}

type Receivers = Child<ReceiversQuestion, ReceiversAnswer>;
type Database = ReturnType<typeof openDatabase>;

type Stage = {
	readonly scene: Scene;
	/** Destination of each endpoint, tenant by tenant. */
	readonly hosts: readonly string[];
	/** Hosts that answer. */
	readonly answering: readonly string[];
	/** Endpoints that record a first attempt. */
	readonly heard: number;
};

/** Three endpoints of ten fail. */
async function plan(receivers: Receivers, scene: Scene): Promise<Stage> {
	const kinds = Array.from({ length: scene.tenants * scene.endpoints }, (_, i): Manner | "deaf" => {
		if (scene.silent && i % 10 === 0) return "silent";
		if (i % 10 === 3) return "fails";
		if (i % 10 === 6) return i % 20 === 6 ? "fails" : "deaf";
		return i % 10 === 9 && !scene.silent ? "deaf" : "accepts";
	});
	const manners = kinds.filter((kind) => kind !== "deaf");
	const listening = await receivers.ask({ kind: "listen", manners });
	if (listening.kind !== "listening") throw new Error("the receivers answered another question");
	const free = [...listening.hosts];
	const hosts = kinds.map((kind) => (kind === "deaf" ? DEAF_HOST : (free.shift() ?? DEAF_HOST)));
	const heard = kinds.filter((kind) => kind === "accepts" || kind === "fails").length;
	return { scene, hosts, answering: listening.hosts, heard };
}

async function build(sql: Database, service: Service, receivers: Receivers, stage: Stage): Promise<Place[]> {
	const { tenants, endpoints } = stage.scene;
	const places: Place[] = [];
	for (let i = 0; i < tenants; i++) {
		const own = stage.hosts.slice(i * endpoints, (i + 1) * endpoints);
		places.push(...(await addTenant(sql, service, own.map(toUrl))));
	}
	const secrets = Object.fromEntries(places.map(({ url, secret }) => [new URL(url).host, secret]));
	await receivers.ask({ kind: "expect", secrets });
	return places;
}

const toUrl = (host: string) => `http://${host}/hooks`;

type RoadParts = {
	readonly service: Service;
	readonly sql: Database;
	readonly receivers: Receivers;
	readonly bare: Child<BarePosts, BarePosted>;
	readonly stage: Stage;
	readonly places: readonly Place[];
};

type Road = ReturnType<typeof openPipeline>;

function openPipeline({ service, sql, receivers, bare, stage, places }: RoadParts) {
	const tenantIds = [...new Set(places.map(({ tenantId }) => tenantId))];
	const pick = (events: number) => Array.from({ length: events }, (_, i) => tenantIds[i % tenantIds.length] ?? "");
	const { endpoints, tenants } = stage.scene;
	/** For that many events, with tenants in turn. Whole turns only. */
	const heardOf = (events: number) => (events / tenants) * stage.heard;
	async function hear(count: number) {
		const heard = await receivers.ask({ kind: "hear", count, timeoutMs: HEAR_TIMEOUT_MS });
		if (heard.kind !== "heard") throw new Error("the receivers answered another question");
		return heard;
	}
	return {
		/** Rounded so that every tenant has the same number of events. */
		eventsFor: (deliveries: number) => Math.max(1, Math.round(deliveries / endpoints / tenants)) * tenants,
		async bare(posts: number) {
			const all = Array.from({ length: posts }, (_, i) => places[i % places.length]).flatMap((place) => place ?? []);
			return bare.ask({ posts: all.map(toBarePost), inFlight: BARE_IN_FLIGHT });
		},
		/** All at once; resolves when every delivery was attempted. */
		async batch(events: number) {
			await receivers.ask({ kind: "forget" });
			const since = new Date();
			const work = async () => {
				await enqueueAccepted(sql, pick(events));
				const startedAt = performance.now();
				await hear(heardOf(events));
				let count = await countAttempts(sql, since);
				// Attempts at closed ports are only in the log.
				while (count.first < events * endpoints) {
					await sleep(20);
					count = await countAttempts(sql, since);
				}
				return { attempts: count.all, perSecond: (count.all * 1_000) / (performance.now() - startedAt) };
			};
			const { result, micros } = await measureCpu({ service: service.pid }, work, ({ attempts }) => attempts);
			await withdrawAll(sql);
			return { ...result, cpuMicros: micros.service };
		},
		/** At a fixed rate, a few events at a time. */
		async steady(seconds: number) {
			await receivers.ask({ kind: "forget" });
			const perTurn = Math.max(1, Math.round(STEADY_PER_SECOND / 50 / endpoints));
			const gapMs = (perTurn * endpoints * 1_000) / STEADY_PER_SECOND;
			const turns = Math.max(1, Math.ceil((seconds * 1_000) / gapMs / tenants)) * tenants;
			const startedAt = performance.now();
			const all = pick(turns * perTurn);
			for (let turn = 0; turn < turns; turn++) {
				await sleep(Math.max(0, startedAt + turn * gapMs - performance.now()));
				await enqueueAccepted(sql, all.slice(turn * perTurn, (turn + 1) * perTurn));
			}
			const { delaysMs } = await hear(heardOf(turns * perTurn));
			await withdrawAll(sql);
			const sorted = [...delaysMs].sort((a, b) => a - b);
			const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
			return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
		},
	};
}

async function measure(road: Road, { name, silent }: Scene, smoke: boolean): Promise<Figure[]> {
	const noted = newRounds("perSecond", "cpuMicros", "barePerSecond", "bareCpuMicros", "p50", "p95", "p99");
	const warm = silent ? undefined : await road.batch(road.eventsFor(smoke ? 20 : 2_000));
	const events = road.eventsFor(smoke || !warm ? 20 : warm.perSecond * BATCH_SECONDS);
	for (let round = 0; round < (smoke ? 1 : silent ? 3 : 5); round++) {
		if (!silent) {
			const bare = await road.bare(smoke ? 40 : BARE_POSTS);
			noted.barePerSecond.push(bare.perSecond);
			noted.bareCpuMicros.push(bare.cpuMicros);
			const own = await road.batch(events);
			noted.perSecond.push(own.perSecond);
			noted.cpuMicros.push(own.cpuMicros);
		}
		const { p50, p95, p99 } = await road.steady(smoke ? 0.2 : 6);
		noted.p50.push(p50);
		noted.p95.push(p95);
		noted.p99.push(p99);
	}
	const delay = `${name}: event to receipt at ${STEADY_PER_SECOND}/s`;
	const delays = [
		toFigure(`${delay}, median`, "ms", noted.p50),
		toFigure(`${delay}, p95`, "ms", noted.p95),
		toFigure(`${delay}, p99`, "ms", noted.p99),
	];
	if (silent) return delays;
	const bare = "bare posts";
	return [
		toFigure(`${name}: ${bare}`, "attempts/s", noted.barePerSecond),
		toFigure(`${name}: sustained`, "attempts/s", noted.perSecond, {
			against: { peer: bare, rounds: noted.barePerSecond },
		}),
		...toCostFigure(`${name}: processor time, service and PostgreSQL`, noted.cpuMicros, {
			peer: bare,
			rounds: noted.bareCpuMicros,
		}),
		...delays,
	];
}
