/**
 * What do look-up, search and suggestions cost over HTTP?
 *
 * The look-up's peer is one route of the same framework in a separate process that returns the bytes and headers of one look-up to every
 * request. Ours authenticates the key, finds the operation and the entry, and counts usage. Both get the same requests with varying
 * numbers. An edge, which has no database, has the same requests too.
 *
 * Processor time per request accompanies the throughput: other load disturbs it less, and it is valid even if the load is the limit. A
 * search
 * has no peer here; `registry-search` compares it in process.
 *
 * Rounds are many and short, and compared sides are adjacent: the throughputs of all sides, then the delays of all. Disturbances of a
 * virtual
 * machine last seconds, so they affect both sides of a ratio or spoil few rounds. Shorter rounds would shift one side's garbage collection
 * into another's time.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { generateRegistry } from "../scripts/generate-registry";
import { digitsOf } from "../src/registry/index/document-key";
import { openSnapshot, type Snapshot } from "../src/registry/index/open";
import { type BenchOptions, type Figure, newRounds, toCostFigure, toFigure } from "./bench";
import { makeFolder, startChild } from "./child";
import type { ConstantRoute } from "./constant-route.process";
import { measureCpu } from "./cpu-time";
import { type Load, type LoadResult, type RequestTemplate, startLoad } from "./load";
import { makeQueries, makeRandom } from "./registry-queries";
import { createKey, type Service, startService } from "./service";

export const question =
	"What does a registry look-up cost beyond a route that answers a constant, and how long do search and suggestions take?";
export const peer = "a route of the same framework that answers the same bytes and headers";

const CONNECTIONS = 32;
const REQUESTS = 2_000;
const ROUNDS = 16;
const WARM_UP_SECONDS = 2;
const CLOSED_SECONDS = 0.7;
const OPEN_SECONDS = 1;
const SMOKE_SECONDS = 0.3;
const SAMPLE = join(import.meta.dir, "../data/registry/sample.zip");
const FULL_RECORDS = 760_000;
const MEASURES = ["perSecond", "cpuMicros", "p50Ms", "p99Ms", "generatorBusy"] as const;
const CONSTANT = "constant route";
const DOCUMENT = "/v1/authority/document";

type Side = { readonly url: string; readonly pid: number; readonly requests: readonly RequestTemplate[] };
type Rounds = Record<(typeof MEASURES)[number], number[]>;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const store = { REGISTRY_STORE: join(makeFolder(stack), "store") };
	const settings = { ROLE: "registry", REGISTRY_SOURCE: makeSource(stack, smoke) };
	const service = await startService(stack, { ...settings, ...store });
	const headers = { "x-api-key": await createKey(service) };
	const edge = await startService(stack, { ROLE: "edge", ...store, KEK_FILE: join(service.dataDir, "kek") });
	const snapshot = openServed(service);
	const ask = (path: string): RequestTemplate => ({ method: "GET", path, headers });
	const lookUps = pickNumbers(snapshot).map((document) => ask(`${DOCUMENT}/${document}`));
	const searches = makeQueries(snapshot, REQUESTS).map((text) =>
		ask(`${DOCUMENT}:search?field=name&q=${encodeURIComponent(text)}`),
	);
	const suggestions = makeQueries(snapshot, REQUESTS).map((text) =>
		ask(`${DOCUMENT}:suggest?q=${encodeURIComponent(text)}`),
	);
	const route = startChild<ConstantRoute, string>(stack, "constant-route.process.ts");
	const routeUrl = await route.ask(await copyAnswer(service.url, lookUps));
	const sides = {
		constant: { url: routeUrl, pid: route.pid, requests: lookUps, ...newRounds(...MEASURES) },
		lookUp: { url: service.url, pid: service.pid, requests: lookUps, ...newRounds(...MEASURES) },
		edge: { url: edge.url, pid: edge.pid, requests: lookUps, ...newRounds(...MEASURES) },
		search: { url: service.url, pid: service.pid, requests: searches, ...newRounds(...MEASURES) },
		suggest: { url: service.url, pid: service.pid, requests: suggestions, ...newRounds(...MEASURES) },
	};
	await untilKnown(edge.url, lookUps);
	const load = startLoad(stack);
	const spans = smoke
		? { warmUp: SMOKE_SECONDS, closed: SMOKE_SECONDS, open: SMOKE_SECONDS }
		: { warmUp: WARM_UP_SECONDS, closed: CLOSED_SECONDS, open: OPEN_SECONDS };
	const all = Object.values(sides);
	for (const side of all) await askClosed(load, side, spans.warmUp);
	for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) {
		const order = round % 2 === 0 ? all : all.toReversed();
		for (const side of order) await measureThroughput(load, side, side, spans.closed);
		for (const side of order) await measureDelays(load, side, side, spans.open);
	}
	const { constant, lookUp, edge: onEdge, search, suggest } = sides;
	return [
		toFigure(CONSTANT, "requests/s", constant.perSecond),
		toFigure("look-up", "requests/s", lookUp.perSecond, {
			against: { peer: CONSTANT, rounds: constant.perSecond },
			target: "≥ 0.9",
		}),
		...toCostFigure("look-up, processor time", lookUp.cpuMicros, { peer: CONSTANT, rounds: constant.cpuMicros }),
		toFigure("look-up, p50 at half that rate", "ms", lookUp.p50Ms),
		toFigure("look-up, p99 at half that rate", "ms", lookUp.p99Ms, { target: "< 50" }),
		toFigure(`${CONSTANT}, p99 at half that rate`, "ms", constant.p99Ms),
		toFigure("look-up on an edge", "requests/s", onEdge.perSecond, {
			against: { peer: "look-up", rounds: lookUp.perSecond },
			target: "≥ 0.95",
		}),
		...toCostFigure("look-up on an edge, processor time", onEdge.cpuMicros, {
			peer: "look-up",
			rounds: lookUp.cpuMicros,
		}),
		toFigure("search", "requests/s", search.perSecond),
		...toCostFigure("search, processor time", search.cpuMicros, { peer: CONSTANT, rounds: constant.cpuMicros }),
		toFigure("search, p50 at half that rate", "ms", search.p50Ms),
		toFigure("search, p99 at half that rate", "ms", search.p99Ms, { target: "≤ 5" }),
		toFigure("suggestions", "requests/s", suggest.perSecond),
		...toCostFigure("suggestions, processor time", suggest.cpuMicros, { peer: CONSTANT, rounds: constant.cpuMicros }),
		toFigure("suggestions, p50 at half that rate", "ms", suggest.p50Ms),
		toFigure("suggestions, p99 at half that rate", "ms", suggest.p99Ms, { target: "≤ 5" }),
		toFigure("load's share of a core, look-up", "cores", lookUp.generatorBusy),
		toFigure(`load's share of a core, ${CONSTANT}`, "cores", constant.generatorBusy),
	];
}

/** The maximum of a side. */
async function measureThroughput(load: Load, side: Side, rounds: Rounds, seconds: number): Promise<void> {
	const { result, micros } = await measureCpu(
		{ server: side.pid },
		() => askClosed(load, side, seconds),
		({ startedAtMs }) => startedAtMs.length,
	);
	rounds.perSecond.push(result.perSecond);
	rounds.cpuMicros.push(micros.server);
	rounds.generatorBusy.push(result.generatorBusy);
}

/** At half of the side's maximum in the same round. */
async function measureDelays(load: Load, side: Side, rounds: Rounds, seconds: number): Promise<void> {
	const ratePerSecond = (rounds.perSecond.at(-1) ?? Number.NaN) / 2;
	const open = await load.ask({ kind: "open", plan: toPlan(side), ratePerSecond, seconds });
	rounds.p50Ms.push(open.p50Ms);
	rounds.p99Ms.push(open.p99Ms);
}

const toPlan = ({ url, requests }: Side) => ({ url, requests, expectedStatus: 200, connections: CONNECTIONS });

function askClosed(load: Load, side: Side, seconds: number): Promise<LoadResult> {
	return load.ask({ kind: "closed", plan: toPlan(side), until: { seconds } });
}

function makeSource(stack: AsyncDisposableStack, smoke: boolean): string {
	if (smoke) return SAMPLE;
	const generated = join(makeFolder(stack), "registry.zip");
	generateRegistry({ records: FULL_RECORDS, seed: 1, out: generated });
	return generated;
}

/** Waits until an edge has learned of the key and has the run. */
async function untilKnown(url: string, requests: readonly RequestTemplate[]): Promise<void> {
	const [one] = requests;
	if (!one) throw new Error("the registry has no record to ask for");
	while ((await fetch(`${url}${one.path}`, { headers: one.headers })).status !== 200) await Bun.sleep(50);
}

/** The snapshot that the service has built and mapped. */
function openServed(service: Service): Snapshot {
	const folder = join(service.dataDir, "registry");
	const file = readdirSync(folder).find((name) => name.endsWith(".snapshot"));
	if (file === undefined) throw new Error(`there is no snapshot in ${folder}`);
	return openSnapshot(join(folder, file));
}

/** Numbers from all over the registry, in random order. */
function pickNumbers({ keys, entryCount }: Snapshot): string[] {
	const random = makeRandom(7);
	return Array.from({ length: REQUESTS }, () => digitsOf(keys[random(entryCount)] ?? 0));
}

/** The service's answer to the look-up of median size. */
async function copyAnswer(url: string, requests: readonly RequestTemplate[]): Promise<ConstantRoute> {
	const answers: { body: string; headers: Record<string, string> }[] = [];
	for (const { path, headers } of requests.slice(0, 101)) {
		const response = await fetch(`${url}${path}`, { headers });
		if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
		answers.push({ body: await response.text(), headers: keptHeaders(response.headers) });
	}
	answers.sort((a, b) => a.body.length - b.body.length);
	const middle = answers[Math.floor(answers.length / 2)];
	if (!middle) throw new Error("the registry has no record to ask for");
	return { path: `${DOCUMENT}/:document`, ...middle };
}

/** Without headers that the server writes itself. */
function keptHeaders(headers: Headers): Record<string, string> {
	const own = new Set(["date", "content-length", "connection", "keep-alive"]);
	return Object.fromEntries([...headers].filter(([name]) => !own.has(name)));
}
