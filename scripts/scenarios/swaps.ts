/** Calls of every kind over HTTP across swaps between runs whose every entry names its run: no error, no answer that mixes two runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_DOCUMENT, numberedText, openEnvironment, readStatus, waitFor } from "./environment";
import type { ScenarioContext } from "./run-scenarios";

const READERS = 8;

export async function swapsScenario(context: ScenarioContext) {
	const { violate, small } = context;
	const count = small ? 500 : 20_000;
	const swaps = small ? 3 : 20;
	const callsWanted = small ? 4_000 : 1_000_000;
	const path = join(context.folder, "swaps.txt");
	const write = (version: number) => writeFileSync(path, numberedText(count + version, `V${version}`));
	write(0);
	const environment = await openEnvironment(context, { REGISTRY_SOURCE: path });
	const { url } = environment;
	const key = await environment.keys.createKey(["registry:read"]);
	const nameOf = new Map([[(await readStatus(url, key)).run_id ?? "", "V0"]]);
	const seen = new Map<string, number>();
	const delays: number[] = [];
	let calls = 0;
	let errors = 0;
	let isDone = false;
	const read = async (reader: number) => {
		for (let i = reader * 997; calls < callsWanted || !isDone; i += 13) {
			const kind = KINDS[calls % KINDS.length] ?? "lookup";
			const sentAt = performance.now();
			const found = await send(kind, url, key, i % count);
			delays.push(performance.now() - sentAt);
			calls++;
			if (typeof found === "string") {
				if (errors++ < 5) violate(`a ${kind} during a swap: ${found}`);
				continue;
			}
			for (const version of found.versions) {
				const pair = `${found.runId} ${version}`;
				seen.set(pair, (seen.get(pair) ?? 0) + 1);
			}
		}
	};
	const readers = Array.from({ length: READERS }, (_, i) => read(i));
	for (let version = 1; version <= swaps; version++) {
		// Spreads the swaps over the calls.
		await waitFor(() => calls >= ((version - 0.5) * callsWanted) / swaps, 600_000);
		write(version);
		const run = await environment.ingest(path);
		nameOf.set(run.runId, `V${version}`);
		const isSeen = () => seen.has(`${run.runId} V${version}`);
		if (!(await waitFor(isSeen, 10_000))) violate(`nothing was answered from run ${version}`);
	}
	isDone = true;
	await Promise.all(readers);
	await environment.end();
	let mixed = 0;
	for (const [pair, times] of seen) {
		const [runId = "", name] = pair.split(" ");
		if (nameOf.get(runId) !== name) mixed += times;
	}
	if (mixed > 0) violate(`${mixed} answers mixed two runs`);
	if (seen.size !== swaps + 1) violate(`${seen.size} runs were seen instead of ${swaps + 1}`);
	delays.sort((a, b) => a - b);
	const at = (share: number) => Math.round((delays[Math.floor((delays.length - 1) * share)] ?? 0) * 100) / 100;
	return { calls, swaps, runsSeen: seen.size, errors, mixed, delayMs: { p50: at(0.5), p99: at(0.99), max: at(1) } };
}

/** Of ten calls, five are look-ups. */
const KINDS = [
	...(["lookup", "search", "lookup", "search", "lookup"] as const),
	...(["batch", "lookup", "suggest", "lookup", "smart"] as const),
];

type Found = { readonly runId: string; readonly versions: readonly string[] };
type Named = { readonly trade_name: string };

/** Sends one call about the n-th entry; a sentence if the answer is not what every run gives. */
async function send(kind: (typeof KINDS)[number], url: string, key: string, n: number): Promise<Found | string> {
	const document = String(FIRST_DOCUMENT + n);
	const base = `${url}/v1/authority/document`;
	const name = `comercial numero ${n}`;
	const init = { headers: { "x-api-key": key } };
	const paths = {
		lookup: `${base}/${document}`,
		search: `${base}:search?${new URLSearchParams({ field: "name", q: name, limit: "3" })}`,
		smart: `${base}:search?${new URLSearchParams({ field: "any", q: name, limit: "3", mode: "smart" })}`,
		suggest: `${base}:suggest?${new URLSearchParams({ q: name, limit: "3" })}`,
		batch: `${base}:batch`,
	};
	const answer = await fetch(
		paths[kind],
		kind !== "batch"
			? init
			: {
					method: "POST",
					headers: { ...init.headers, "content-type": "application/json" },
					body: JSON.stringify({ documents: [document, String(FIRST_DOCUMENT)] }),
				},
	);
	const text = await answer.text();
	if (answer.status !== 200) return `${answer.status} ${text}`;
	const body = JSON.parse(text) as Named & {
		readonly rnc?: string;
		readonly items?: readonly Named[];
		readonly suggestions?: readonly Named[];
		readonly results?: readonly { readonly entry?: Named }[];
	};
	const found = body.items ?? body.suggestions ?? body.results?.map(({ entry }) => entry) ?? [body];
	if (kind === "lookup" && body.rnc !== document) return text;
	const versions = new Set(found.map((one) => one?.trade_name ?? ""));
	if (versions.size !== 1) return `${versions.size} versions in one answer: ${text.slice(0, 300)}`;
	return { runId: answer.headers.get("x-registry-run-id") ?? "", versions: [...versions] };
}
