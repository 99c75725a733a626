/**
 * What does an ingest cost concurrent look-ups in the same process?
 *
 * The service alternately ingests two sources that differ in one entry of a thousand, with at most a second between ingests. Meanwhile a
 * separate
 * process looks up numbers at a steady, moderate rate; a delay counts from when the look-up was due. The peer is the same load on the same
 * service without an ingest.
 */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { generateRegistry } from "../scripts/generate-registry";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeFolder } from "./child";
import { type LoadPlan, startLoad } from "./load";
import { createKey, startService } from "./service";

export const question = "How long do look-ups take while the process that serves them ingests 760,000 entries?";
export const peer = "the same look-ups while nothing is ingested";

const RATE_PER_SECOND = 500;
const CONNECTIONS = 16;
const NUMBERS_MAX = 2_000;
const PATH = "/v1/authority/document";
const LOOK_EVERY_MS = 50;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const folder = makeFolder(stack);
	const source = join(folder, "registry.zip");
	generateRegistry({ records: smoke ? 5_000 : 760_000, seed: 1, out: source });
	const { zips, numbers } = makeTwo(source);
	const service = await startService(stack, {
		ROLE: "registry",
		REGISTRY_SOURCE: source,
		REGISTRY_SCHEDULE: "* * * * * *",
	});
	const headers = { "x-api-key": await createKey(service) };
	const plan: LoadPlan = {
		url: service.url,
		requests: numbers.map((number) => ({ method: "GET", path: `${PATH}/${number}`, headers })),
		expectedStatus: 200,
		connections: CONNECTIONS,
	};
	const load = startLoad(stack);
	// Shorter than the server's time-out for idle connections.
	const seconds = smoke ? 1 : 6;
	const look = () => load.ask({ kind: "open", plan, ratePerSecond: RATE_PER_SECOND, seconds });
	const runId = async () => {
		const answer = await fetch(`${service.url}${plan.requests[0]?.path}`, { headers });
		return answer.headers.get("x-registry-run-id");
	};
	let turn = 0;
	/** Replaces the source and waits until the new one is served. */
	const ingest = async () => {
		const before = await runId();
		writeFileSync(`${source}.next`, zips[turn++ % 2] ?? "");
		renameSync(`${source}.next`, source);
		while ((await runId()) === before) await Bun.sleep(LOOK_EVERY_MS);
	};
	await ingest();
	await look();

	const rounds = newRounds("quiet", "quietMax", "ingesting", "ingestingMax", "ingests");
	for (let round = 0; round < (smoke ? 1 : 5); round++) {
		const quiet = await look();
		let isOver = false;
		let ingests = 0;
		const loaded = look().finally(() => {
			isOver = true;
		});
		for (; !isOver; ingests++) await ingest();
		const ingesting = await loaded;
		rounds.quiet.push(quiet.p99Ms);
		rounds.quietMax.push(quiet.maxMs);
		rounds.ingesting.push(ingesting.p99Ms);
		rounds.ingestingMax.push(ingesting.maxMs);
		rounds.ingests.push(ingests);
	}
	const against = { peer: "no ingest", rounds: rounds.quiet, lessIsFaster: true };
	const againstMax = { peer: "no ingest", rounds: rounds.quietMax, lessIsFaster: true };
	return [
		toFigure("look-up without an ingest, p99", "ms", rounds.quiet),
		toFigure("look-up during ingests, p99", "ms", rounds.ingesting, { against, target: "≤ 5 ms" }),
		toFigure("look-up during ingests, slowest", "ms", rounds.ingestingMax, { against: againstMax }),
		toFigure(`ingests in ${seconds} s`, "", rounds.ingests),
	];
}

/** The source and a copy with every thousandth status changed, and some numbers in both. */
function makeTwo(source: string): { readonly zips: readonly [Uint8Array, Uint8Array]; readonly numbers: string[] } {
	const first = new Uint8Array(Bun.mmap(source));
	const [[name, bytes] = ["", new Uint8Array()]] = Object.entries(unzipSync(first));
	const lines = Buffer.from(bytes.buffer).toString("latin1").split("\r\n");
	const numbers = lines.map((line) => line.slice(0, line.indexOf("|"))).filter((text) => /^(\d{9}|\d{11})$/.test(text));
	const changed = lines.map((line, i) => (i % 1_000 === 0 ? line.replace("|ACTIVO|", "|SUSPENDIDO|") : line));
	const second = zipSync({ [name]: Buffer.from(changed.join("\r\n"), "latin1") });
	const step = Math.max(1, Math.floor(numbers.length / NUMBERS_MAX));
	return { zips: [second, first.slice()], numbers: numbers.filter((_, i) => i % step === 0).slice(0, NUMBERS_MAX) };
}
