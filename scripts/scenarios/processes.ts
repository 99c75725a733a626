/**
 * Two processes on one port map one snapshot; the second needs little memory of its own, and a swap and an erasure in one reach the other.
 * Which one answers is random, so every check opens enough connections to reach both.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { listChildren, readOwnMiB, readTicks } from "../../test/support/process-memory";
import { FIRST_DOCUMENT, lookUp, numberedText, openEnvironment, waitFor } from "./environment";
import type { ScenarioContext } from "./run-scenarios";

const CONNECTIONS = 48;
const OWN_MIB_MAX = 60;
/** The promise is a second; a busy machine may take longer. */
const REACHES_WITHIN_MS = 30_000;
const GIVEN_BACK_WITHIN_MS = 45_000;

export async function processesScenario(context: ScenarioContext, records: number) {
	const { violate, small } = context;
	const count = small ? 20_000 : records;
	const path = join(context.folder, "processes.txt");
	writeFileSync(path, numberedText(count, "V0"));
	const environment = await openEnvironment(context, { REGISTRY_SOURCE: path, PROCESSES: "2" });
	const { url } = environment;
	const officer = await environment.keys.createOfficer();
	const key = officer["x-api-key"] ?? "";
	const [child, ...more] = listChildren(environment.service().pid);
	if (child === undefined || more.length > 0) throw new Error("expected one child of the service");

	const document = String(FIRST_DOCUMENT + 7);
	const onNewConnections = () =>
		Promise.all(Array.from({ length: CONNECTIONS }, () => lookUp(url, key, document, { connection: "close" })));
	const reach = async (what: string, isNew: (found: Awaited<ReturnType<typeof lookUp>>) => boolean) => {
		const since = performance.now();
		let reachedMs = 0;
		const isReached = await waitFor(async () => {
			const sentMs = Math.round(performance.now() - since);
			const all = (await onNewConnections()).every(isNew);
			reachedMs = sentMs;
			return all;
		}, REACHES_WITHIN_MS);
		if (!isReached) violate(`${what} did not reach both processes within ${REACHES_WITHIN_MS} ms`);
		return reachedMs;
	};

	const before = readTicks(child);
	for (let i = 0; i < (small ? 4 : 40); i++) await onNewConnections();
	for (let i = 0; i < (small ? 4 : 40); i++) {
		const search = `${url}/v1/authority/document:search?field=name&q=comercial+numero+${i}`;
		const headers = { "x-api-key": key, connection: "close" };
		await Promise.all(Array.from({ length: 4 }, () => fetch(search, { headers }).then((answer) => answer.text())));
	}
	if (readTicks(child) <= before) violate("the second process answered nothing");
	// Garbage of requests is collected in idle time, and its pages are returned later.
	let ownMiB = readOwnMiB(child);
	const isSmall = await waitFor(() => {
		ownMiB = Math.min(ownMiB, readOwnMiB(child));
		return ownMiB <= OWN_MIB_MAX;
	}, GIVEN_BACK_WITHIN_MS);
	if (!isSmall) violate(`the second process has ${ownMiB} MiB of its own, more than ${OWN_MIB_MAX}`);

	writeFileSync(path, numberedText(count + 1, "V1"));
	const run = await environment.ingest(path);
	const swapMs = await reach(
		"a swap",
		(found) => typeof found !== "string" && found.runId === run.runId && found.entry.trade_name === "V1",
	);
	const purged = await fetch(`${url}/v1/authority/document/${document}:purge`, {
		method: "POST",
		headers: { ...officer, "content-type": "application/json" },
		body: JSON.stringify({
			legal_basis: "data-error",
			request_reference: "DRILL",
			requested_by: "scenario",
			reason: "Scenario",
		}),
	});
	if (purged.status !== 200) violate(`the erasure was answered ${purged.status}`);
	const purgeMs = await reach("an erasure", (found) => typeof found === "string" && found.startsWith("404"));
	await environment.end();
	return { records: count, childOwnMiB: ownMiB, swapReachedMs: swapMs, purgeReachedMs: purgeMs };
}
