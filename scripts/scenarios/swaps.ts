/** Look-ups over HTTP across swaps between runs whose every entry names its run: no error, no answer that mixes two runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_DOCUMENT, lookUp, numberedText, openEnvironment, readStatus, waitFor } from "./environment";
import type { ScenarioContext } from "./run-scenarios";

const READERS = 8;

export async function swapsScenario(context: ScenarioContext) {
	const { violate, small } = context;
	const count = small ? 500 : 20_000;
	const swaps = small ? 3 : 20;
	const lookupsWanted = small ? 4_000 : 1_000_000;
	const path = join(context.folder, "swaps.txt");
	const write = (version: number) => writeFileSync(path, numberedText(count + version, `V${version}`));
	write(0);
	const environment = await openEnvironment(context, { REGISTRY_SOURCE: path });
	const { url } = environment;
	const key = await environment.keys.createKey(["registry:read"]);
	const nameOf = new Map([[(await readStatus(url, key)).run_id ?? "", "V0"]]);
	const seen = new Map<string, number>();
	const delays: number[] = [];
	let lookups = 0;
	let errors = 0;
	let isDone = false;
	const read = async (reader: number) => {
		for (let i = reader * 997; lookups < lookupsWanted || !isDone; i += 13) {
			const document = String(FIRST_DOCUMENT + (i % count));
			const sentAt = performance.now();
			const found = await lookUp(url, key, document);
			delays.push(performance.now() - sentAt);
			lookups++;
			if (typeof found === "string" || found.entry.rnc !== document) {
				if (errors++ < 5) violate(`a look-up during a swap: ${JSON.stringify(found)}`);
				continue;
			}
			const pair = `${found.runId} ${found.entry.trade_name}`;
			seen.set(pair, (seen.get(pair) ?? 0) + 1);
		}
	};
	const readers = Array.from({ length: READERS }, (_, i) => read(i));
	for (let version = 1; version <= swaps; version++) {
		// Spreads the swaps over the look-ups.
		await waitFor(() => lookups >= ((version - 0.5) * lookupsWanted) / swaps, 600_000);
		write(version);
		const run = await environment.ingest(path);
		nameOf.set(run.runId, `V${version}`);
		const isSeen = () => seen.has(`${run.runId} V${version}`);
		if (!(await waitFor(isSeen, 10_000))) violate(`no look-up was answered from run ${version}`);
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
	return { lookups, swaps, runsSeen: seen.size, errors, mixed, delayMs: { p50: at(0.5), p99: at(0.99), max: at(1) } };
}
