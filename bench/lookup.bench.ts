/**
 * What does a registry look-up cost beyond what HTTP costs anyway?
 *
 * The peer is one route of the same framework in a process of its own that answers the bytes and headers of one look-up, whoever
 * asks for whatever. Ours authenticates the key, finds the operation and the entry, logs and counts. Both get the same requests,
 * for different numbers in turn. The processor time per request stands beside the throughput: other work on the machine
 * disturbs it less, and it also holds where the load, not the server, is the limit.
 */
import { join } from "node:path";
import { unzipSync } from "fflate";
import { generateRegistry } from "../scripts/generate-registry";
import { type BenchOptions, type Figure, newRounds, toCostFigure, toFigure } from "./bench";
import { makeFolder, startChild } from "./child";
import type { ConstantRoute } from "./constant-route.process";
import { measureCpu } from "./cpu-time";
import { type Load, type LoadResult, type RequestTemplate, startLoad } from "./load";
import { createKey, startService } from "./service";

export const question = "How close does a registry look-up come to a route that answers a constant?";
export const peer = "a route of the same framework that answers the same bytes and headers";

const CONNECTIONS = 32;
const NUMBERS_MAX = 2_000;
const SAMPLE = join(import.meta.dir, "../data/registry/sample.zip");
const FULL_RECORDS = 760_000;
const MEASURES = ["perSecond", "cpuMicros", "p99Ms", "generatorBusy"] as const;
const CONSTANT = "constant route";
const PATH = "/v1/authority/document";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	const figures = await compare("sample", SAMPLE, smoke);
	if (smoke) return figures;
	await using stack = new AsyncDisposableStack();
	const generated = join(makeFolder(stack), "registry.zip");
	generateRegistry({ records: FULL_RECORDS, seed: 1, out: generated });
	return [...figures, ...(await compare(`${FULL_RECORDS / 1_000}k records`, generated, smoke))];
}

async function compare(size: string, source: string, smoke: boolean): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const service = await startService(stack, { ROLE: "registry", REGISTRY_SOURCE: source });
	const apiKey = await createKey(service);
	const requests = readNumbers(source).map(
		(document): RequestTemplate => ({ method: "GET", path: `${PATH}/${document}`, headers: { "x-api-key": apiKey } }),
	);
	const route = startChild<ConstantRoute, string>(stack, "constant-route.process.ts");
	const routeUrl = await route.ask(await copyAnswer(service.url, requests));
	const sides = {
		ours: { url: service.url, pid: service.pid, ...newRounds(...MEASURES) },
		constant: { url: routeUrl, pid: route.pid, ...newRounds(...MEASURES) },
	};
	const load = startLoad(stack);

	const seconds = smoke ? 0.3 : 3;
	for (const { url } of Object.values(sides)) await askClosed(load, url, requests, seconds);
	for (let round = 0; round < (smoke ? 1 : 7); round++) {
		for (const side of round % 2 === 0 ? [sides.ours, sides.constant] : [sides.constant, sides.ours]) {
			const { result, micros } = await measureCpu(
				{ server: side.pid },
				() => askClosed(load, side.url, requests, seconds),
				({ startedAtMs }) => startedAtMs.length,
			);
			side.perSecond.push(result.perSecond);
			side.cpuMicros.push(micros.server);
			side.generatorBusy.push(result.generatorBusy);
			const plan = toPlan(side.url, requests);
			const ratePerSecond = result.perSecond / 2;
			side.p99Ms.push((await load.ask({ kind: "open", plan, ratePerSecond, seconds: seconds / 2 })).p99Ms);
		}
	}
	const { ours, constant } = sides;
	return [
		toFigure(`${CONSTANT}, ${size}`, "requests/s", constant.perSecond),
		toFigure(`look-up, ${size}`, "requests/s", ours.perSecond, {
			against: { peer: CONSTANT, rounds: constant.perSecond },
			target: "≥ 0.9",
		}),
		...toCostFigure(`look-up, processor time, ${size}`, ours.cpuMicros, { peer: CONSTANT, rounds: constant.cpuMicros }),
		toFigure(`look-up, p99 at half that rate, ${size}`, "ms", ours.p99Ms, { target: "< 50" }),
		toFigure(`${CONSTANT}, p99 at half that rate, ${size}`, "ms", constant.p99Ms),
		toFigure(`load's share of a core, look-up, ${size}`, "cores", ours.generatorBusy),
		toFigure(`load's share of a core, ${CONSTANT}, ${size}`, "cores", constant.generatorBusy),
	];
}

const toPlan = (url: string, requests: readonly RequestTemplate[]) => ({
	url,
	requests,
	expectedStatus: 200,
	connections: CONNECTIONS,
});

function askClosed(
	load: Load,
	url: string,
	requests: readonly RequestTemplate[],
	seconds: number,
): Promise<LoadResult> {
	return load.ask({ kind: "closed", plan: toPlan(url, requests), until: { seconds } });
}

/** Numbers of good records, spread over the whole file. */
function readNumbers(source: string): string[] {
	const [bytes] = Object.values(unzipSync(new Uint8Array(Bun.mmap(source))));
	const numbers: string[] = [];
	for (const line of new TextDecoder("latin1").decode(bytes).split("\r\n")) {
		const cells = line.split("|");
		if (cells.length === 11 && /^(\d{9}|\d{11})$/.test(cells[0] ?? "")) numbers.push(cells[0] ?? "");
	}
	const step = Math.max(1, Math.floor(numbers.length / NUMBERS_MAX));
	return numbers.filter((_, i) => i % step === 0).slice(0, NUMBERS_MAX);
}

/** What the service answers, taken from the look-up of middle size. */
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
	return { path: `${PATH}/:document`, ...middle };
}

/** Without those that the server writes itself. */
function keptHeaders(headers: Headers): Record<string, string> {
	const own = new Set(["date", "content-length", "connection", "keep-alive"]);
	return Object.fromEntries([...headers].filter(([name]) => !own.has(name)));
}
