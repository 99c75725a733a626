/**
 * Corrupt sources through a running service, whose schedule polls our server every second. The server answers with each kind in turn. None
 * is
 * swapped in, look-ups continue from the previous run, each run records a reason, and no files are left behind.
 */
import { readdirSync } from "node:fs";
import { readPeakMiB, resetPeak } from "../../test/support/process-memory";
import { corruptFiles, misbehaviours, packZip } from "./corrupt-sources";
import {
	FIRST_DOCUMENT,
	lookUp,
	numberedText,
	openEnvironment,
	readStatus,
	temporaryFiles,
	waitFor,
} from "./environment";
import type { ScenarioContext } from "./run-scenarios";
import { serveSource } from "./source-server";

/** Time between polls of a service that is busy with a corrupt source. */
const LOOK_EVERY_MS = 5;
/** The largest kind has four times the records; memory may grow in proportion, and no further. */
const PEAK_FACTOR_MAX = 4.5;

export async function corruptScenario(context: ScenarioContext, records: number) {
	const { violate, small } = context;
	const count = small ? 2_000 : records;
	const text = numberedText(count, "GOOD");
	const source = await serveSource();
	source.offerFile(packZip({}, text));
	const environment = await openEnvironment(context, { REGISTRY_SOURCE: source.url, REGISTRY_SCHEDULE: "* * * * * *" });
	const { url, sql } = environment;
	const key = await environment.keys.createKey(["registry:read"]);
	if (!(await waitFor(async () => (await readStatus(url, key)).run_id !== null, 120_000)))
		throw new Error("no first run");
	const good = await readStatus(url, key);
	const pid = environment.service().pid;
	const goodPeakMiB = readPeakMiB(pid);
	resetPeak(pid);

	let lookups = 0;
	let failures = 0;
	let isDone = false;
	const look = async () => {
		for (let i = 0; !isDone; i += 7_919) {
			const document = String(FIRST_DOCUMENT + (i % count));
			const found = await lookUp(url, key, document);
			const isRight =
				typeof found !== "string" &&
				found.runId === good.run_id &&
				found.entry.rnc === document &&
				found.entry.trade_name === "GOOD";
			lookups++;
			if (!isRight && failures++ < 5) violate(`a look-up during a corrupt source: ${JSON.stringify(found)}`);
			await Bun.sleep(LOOK_EVERY_MS);
		}
	};
	const looking = look();
	const results: Record<string, number> = { refused: 0, failed: 0 };
	const tryKind = async (name: string, offer: () => void) => {
		const [before] = await sql<{ n: number }[]>`select count(*)::int as n from registry_runs`;
		offer();
		const isNotified = await waitFor(async () => {
			const [now] = await sql<{ n: number }[]>`select count(*)::int as n from registry_runs`;
			return (now?.n ?? 0) > (before?.n ?? 0);
		}, 180_000);
		const [run] = await sql<{ id: string; result: string; reason: string | null }[]>`
			select id, result, reason from registry_runs order by attempt desc limit 1`;
		if (!isNotified || !run) return violate(`${name}: no run reports it`);
		results[run.result] = (results[run.result] ?? 0) + 1;
		if (!["refused", "failed"].includes(run.result)) violate(`${name}: the run is ${run.result}`);
		if (!run.reason || run.reason.length < 10) violate(`${name}: the run has no reason`);
		const isLogged = await waitFor(() => environment.readLog().includes(run.id), 5_000);
		const line = environment
			.readLog()
			.split("\n")
			.find((one) => one.includes(run.id));
		if (!isLogged || !line?.includes('"level":"error"')) violate(`${name}: the log has no error: ${line}`);
		const served = await readStatus(url, key);
		if (served.run_id !== good.run_id) violate(`${name}: was swapped in as ${served.run_id}`);
	};
	const files = corruptFiles(text).filter((_, at) => !small || at % 8 === 0);
	const servers = misbehaviours(packZip({}, text.subarray(0, text.length / 2))).filter(
		(_, at) => !small || at % 7 === 0,
	);
	for (const [name, make] of files) {
		const bytes = make();
		await tryKind(name, () => source.offerFile(bytes));
	}
	for (const { name, answer, requests } of servers) await tryKind(name, () => source.offer(answer, requests));
	isDone = true;
	await looking;
	const peakMiB = readPeakMiB(pid);
	if (peakMiB > goodPeakMiB * PEAK_FACTOR_MAX)
		violate(`the service took ${peakMiB} MiB, ${goodPeakMiB} for a good source`);
	// The next ingest may have started and hold its own file.
	const isTidy = await waitFor(() => temporaryFiles(environment.directory).length <= 1, 10_000);
	const snapshots = readdirSync(environment.directory).filter((name) => name.endsWith(".snapshot"));
	if (!isTidy || snapshots.length !== 1) violate(`left behind: ${readdirSync(environment.directory).join(", ")}`);
	await source.close();
	await environment.end();
	if (temporaryFiles(environment.directory).length > 0)
		violate(`left after the end: ${temporaryFiles(environment.directory)}`);
	const kinds = files.length + servers.length;
	return { kinds, ...results, swaps: 0, records: count, lookups, failures, goodPeakMiB, peakMiB };
}
