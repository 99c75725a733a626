/**
 * SIGKILL at each point of an ingest, repeatedly. In each life the service starts, serves the last good run from its file at once, gets a
 * source with new data, and dies at its point. The next life shows what the kill left.
 */
import { readdirSync } from "node:fs";
import { REGISTRY_FAILPOINTS } from "../../src/platform/failpoints";
import { packZip } from "./corrupt-sources";
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

/** A small run may share its machine. */
const SERVES_WITHIN_MS = { full: 10_000, small: 60_000 };
const DIES_WITHIN_MS = 120_000;
/** Progress is reported often, so the deaths at these points are spread over the step. */
const OFTEN_PASSED: readonly string[] = ["registry-fetch", "registry-parse"];

export async function killsScenario(context: ScenarioContext, records: number) {
	const { violate, small } = context;
	const count = small ? 2_000 : records;
	const times = small ? 1 : 5;
	const points = small
		? (["registry-parse", "registry-published", "registry-committed"] as const)
		: REGISTRY_FAILPOINTS;
	const source = await serveSource();
	const zipOf = (version: number) => packZip({}, numberedText(count + version, `V${version}`));
	source.offerFile(zipOf(0));
	const environment = await openEnvironment(context, { REGISTRY_SOURCE: source.url, REGISTRY_SCHEDULE: "* * * * * *" });
	const key = await environment.keys.createKey(["registry:read"]);
	if (!(await waitFor(async () => (await readStatus(environment.url, key)).run_id !== null, 120_000)))
		throw new Error("no first run");
	environment.service().kill("SIGKILL");
	await environment.service().ended;

	let version = 0;
	let kills = 0;
	let newRuns = 0;
	let slowestMs = 0;
	/** The last good run before the kill, and its data. */
	let last = { runId: await findGoodRun(environment.sql), version: 0 };

	/** Starts the service and checks what it serves. */
	const live = async (when: string, more: Readonly<Record<string, string>>) => {
		const startedAt = performance.now();
		const service = environment.start(more);
		await service.ready;
		const found = await lookUp(environment.url, key, String(FIRST_DOCUMENT));
		const ms = Math.round(performance.now() - startedAt);
		slowestMs = Math.max(slowestMs, ms);
		if (ms > SERVES_WITHIN_MS[small ? "small" : "full"]) violate(`${when}: it took ${ms} ms to serve again`);
		const good = await findGoodRun(environment.sql);
		// A run recorded before the kill must be served with the offered data.
		const expected = good === last.runId ? last : { runId: good, version };
		if (good !== last.runId) newRuns++;
		const served = typeof found === "string" ? found : `${found.runId} ${found.entry.trade_name}`;
		if (served !== `${expected.runId} V${expected.version}`)
			violate(`${when}: serves ${served} instead of ${JSON.stringify(expected)}`);
		last = expected;
		return service;
	};
	for (let round = 0; round < times; round++) {
		for (const point of points) {
			const nth = OFTEN_PASSED.includes(point) && !small ? 1 + Math.floor(Math.random() * 5) : 1;
			const service = await live(`before ${point}`, { NODE_ENV: "test", FAULT_POINT: `${point}:${nth}` });
			version++;
			source.offerFile(zipOf(version));
			const timer = setTimeout(() => service.kill("SIGTERM"), DIES_WITHIN_MS);
			const ending = await service.ended;
			clearTimeout(timer);
			kills++;
			if (ending !== "SIGKILL") violate(`the service was to die at ${point} and ended with ${ending}`);
		}
	}
	await live("after the last kill", {});
	version++;
	source.offerFile(zipOf(version));
	const isNew = await waitFor(async () => {
		const found = await lookUp(environment.url, key, String(FIRST_DOCUMENT));
		return typeof found !== "string" && found.entry.trade_name === `V${version}`;
	}, 120_000);
	if (!isNew) violate("after the kills no ingest succeeds any more");
	await source.close();
	await environment.end();
	const left = readdirSync(environment.directory);
	const snapshots = left.filter((name) => name.endsWith(".snapshot")).length;
	if (temporaryFiles(environment.directory).length > 0 || snapshots > 3) violate(`left behind: ${left.join(", ")}`);
	return { kills, points: points.length, records: count, newRuns, slowestRestartMs: slowestMs, snapshots };
}

async function findGoodRun(sql: Awaited<ReturnType<typeof openEnvironment>>["sql"]): Promise<string> {
	const [row] = await sql<{ id: string }[]>`
		select id from registry_runs where result = 'ok' order by attempt desc limit 1`;
	return row?.id ?? "none";
}
