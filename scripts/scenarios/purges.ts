/**
 * Erasures over HTTP, ingests of sources that contain the erased records, a rollback, a restart: none returns in any kind of answer, and no
 * snapshot, history, file for download, result of a list, watchlist, object of the store, table or log contains one. A few are reversed:
 * only these return with the next ingest.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, numberedText, openEnvironment, temporaryFiles, waitFor } from "./environment";
import type { ScenarioContext } from "./run-scenarios";
import { findTraces, type Traces } from "./traces";

const FIRST_PERSON = 99_900_000_000;
/** Their numbers in any text. */
const PERSON = /9990000\d{4}/;
/** Words that only they have. */
const WORDS = ["QUERELIA", "FULANA", "ZUTANA", "ACARREO"];
const REVERSED = 10;
/** So many are also asked for their history. */
const HISTORIES = 20;
const CLEARED_WITHIN_MS = 120_000;
/** Searching everything takes processor time that the service needs. */
const SEARCHED_EVERY_MS = 200;

type Officer = Readonly<Record<string, string>>;

export async function purgesScenario(context: ScenarioContext) {
	const { violate, small } = context;
	const erasures = small ? 20 : 1_000;
	const ingests = small ? 2 : 5;
	/** Version of the first ingest behind the erasures. */
	const first = small ? 2 : 3;
	const people = Array.from({ length: erasures }, (_, i) => String(FIRST_PERSON + i));
	const path = join(context.folder, "purges.txt");
	const store = join(context.folder, "purges-store");
	const write = (version: number) => {
		const lines = people.map(
			(rnc, i) => `${rnc}|QUERELIA${i}X FULANA|ZUTANA V${version}|ACARREO| | | | |03/02/2014|ACTIVO|NORMAL`,
		);
		// Refused as a duplicate, and kept among the refused lines.
		lines.push(lines[1] ?? "");
		writeFileSync(path, numberedText((small ? 1_000 : 50_000) + version, "OTRO", lines));
	};
	write(0);
	const settings = { REGISTRY_SOURCE: path, REGISTRY_STORE: store, LOG_LEVEL: "info" };
	const environment = await openEnvironment(context, settings);
	const officer = await environment.keys.createOfficer();
	const customer = await becomeCustomer(environment, people);
	const trace = () => findTraces(environment, store, { numbers: people, numberPattern: PERSON, words: WORDS });
	/** What still has a trace; empty if nothing does. */
	const left = (traces: Traces) => Object.entries(traces).filter(([, count]) => count > 0);
	// Changes all records, so that the feed names each before its erasure.
	for (let version = 1; version < first; version++) {
		write(version);
		const { runId } = await environment.ingest(path);
		await untilServed(environment, officer, runId);
		await customer.download(runId);
	}
	let before = await trace();
	const isEverywhere = async () => {
		before = await trace();
		return Object.values(before).every((count) => count > 0) && before.tables >= erasures;
	};
	if (!(await waitFor(isEverywhere, CLEARED_WITHIN_MS, SEARCHED_EVERY_MS)))
		violate(`before the erasures: ${JSON.stringify(before)}`);

	const purgeIds: string[] = [];
	for (const rnc of people) purgeIds.push(await purge(environment, officer, rnc));
	const clearedAt = performance.now();
	const isCleared = async () => (await findSnapshots(environment, officer, purgeIds.at(-1) ?? "")) === "cleared";
	if (!(await waitFor(isCleared, CLEARED_WITHIN_MS))) violate("the files were not cleared");
	await customer.readResults();
	// The store follows the files, and results that no caller reads follow within seconds.
	await waitFor(async () => left(await trace()).length === 0, CLEARED_WITHIN_MS, SEARCHED_EVERY_MS);
	const clearMs = Math.round(performance.now() - clearedAt);

	let checks = 0;
	const check = async (when: string, allowed: ReadonlySet<string> = new Set()) => {
		const erased = people.filter((rnc) => !allowed.has(rnc));
		const served = await countServed(environment, officer, erased, allowed.size);
		const kept = allowed.size > 0 ? [] : left(await trace());
		const inLog = PERSON.test(environment.readLog()) || environment.readLog().includes("QUERELIA");
		checks++;
		if (served > 0 || inLog || kept.length > 0)
			violate(`${when}: erased are back: ${JSON.stringify({ served, inLog, kept })}`);
	};
	await check("after the erasures");
	const runs: string[] = [];
	for (let version = first; version < first + ingests; version++) {
		write(version);
		const run = await environment.ingest(path);
		runs.push(run.runId);
		if (run.result !== "ok") violate(`ingest ${version} is ${run.result}: ${run.reason}`);
		await untilServed(environment, officer, run.runId);
		await customer.download(run.runId);
		await check(`after ingest ${version}`);
	}
	const target = runs.at(-2) ?? "";
	await environment.rollback(target);
	await untilServed(environment, officer, target);
	await customer.download(target);
	await check("after the rollback");
	environment.service().kill("SIGKILL");
	await environment.service().ended;
	await environment.start().ready;
	await check("after a kill and a restart");

	const chosen = new Set(people.slice(0, REVERSED));
	const keys = [await environment.keys.createKey(["admin"]), await environment.keys.createKey(["admin"])];
	for (const id of purgeIds.slice(0, REVERSED)) {
		const statuses = [];
		for (const key of keys) {
			const answer = await fetch(`${environment.url}/v1/authority/purges/${id}`, {
				method: "DELETE",
				headers: { "x-api-key": key },
			});
			statuses.push(answer.status);
		}
		if (statuses.join() !== "202,200") violate(`a reversal by two was answered ${statuses}`);
	}
	await check("after the reversals, before an ingest");
	write(first + ingests);
	const run = await environment.ingest(path);
	await untilServed(environment, officer, run.runId);
	await check("after the ingest that follows the reversals", chosen);
	const returned = await countServed(environment, officer, [...chosen], undefined);
	if (returned !== REVERSED) violate(`${returned} of ${REVERSED} reversed came back`);
	await environment.end();
	if (temporaryFiles(environment.directory).length > 0)
		violate(`left behind: ${temporaryFiles(environment.directory)}`);
	return { erasures, ingests, rollbacks: 1, restarts: 1, checks, reversed: REVERSED, returned, before, clearMs };
}

/** A customer with all files for download, a watchlist of all people, and a checked list of their numbers and misspelt names. */
async function becomeCustomer(environment: Environment, people: readonly string[]) {
	const { url, sql, keys } = environment;
	const key = await keys.createKey(["registry:read", "watchlists:read", "watchlists:write"]);
	await sql`insert into registry_download_grants (owner_id, terms, granted_at) select id, 'Scenario', now() from owners`;
	const send = async (path: string, method = "GET", type = "text/csv", body?: string): Promise<Response> => {
		const headers = { "x-api-key": key, ...(body === undefined ? {} : { "content-type": type }) };
		const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
		if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
		return answer;
	};
	const list = await send("/v1/watchlists", "POST", "application/json", JSON.stringify({ name: "Scenario" }));
	const { id } = (await list.json()) as { id: string };
	await send(`/v1/watchlists/${id}/documents`, "PUT", "text/csv", people.map((rnc) => `${rnc},R-${rnc}\n`).join(""));
	const rows = people.map((rnc, i) => {
		return i % 2 === 0 ? `${rnc.slice(0, 3)}-${rnc.slice(3, 10)}-${rnc.slice(10)},` : `,QUERELLIA${i}X FULANNA`;
	});
	const sent = await send("/v1/authority/checks", "POST", "text/csv", ["RNC,NOMBRE", ...rows].join("\n"));
	const { check_id } = (await sent.json()) as { check_id: string };
	const check = `/v1/authority/checks/${check_id}`;
	const isDone = async () => ((await (await send(check)).json()) as { status: string }).status === "done";
	if (!(await waitFor(isDone))) throw new Error("the list was not checked");
	const readResults = async () => {
		for (const format of ["csv", "xlsx", "ndjson"]) {
			const answer = await fetch(`${url}${check}/result?format=${format}`, { headers: { "x-api-key": key } });
			if (!answer.ok) throw new Error(`a result was answered ${answer.status}`);
			await answer.arrayBuffer();
		}
	};
	await readResults();
	return {
		readResults,
		/** Waits for the files of a run. */
		download: (runId: string) =>
			waitFor(async () => {
				const answer = await fetch(`${url}/v1/authority/registry/downloads`, { headers: { "x-api-key": key } });
				return answer.ok && ((await answer.json()) as { run_id: string }).run_id === runId;
			}),
	};
}

async function purge(environment: Environment, officer: Officer, rnc: string): Promise<string> {
	const answer = await fetch(`${environment.url}/v1/authority/document/${rnc}:purge`, {
		method: "POST",
		headers: { ...officer, "content-type": "application/json" },
		body: JSON.stringify({
			...{
				legal_basis: "arco-cancellation",
				request_reference: "DRILL",
				requested_by: "scenario@example.do",
				reason: "Scenario",
			},
		}),
	});
	if (answer.status !== 200) throw new Error(`an erasure was answered ${answer.status}: ${await answer.text()}`);
	return ((await answer.json()) as { purge_id: string }).purge_id;
}

async function findSnapshots(environment: Environment, officer: Officer, purgeId: string): Promise<string> {
	const answer = await fetch(`${environment.url}/v1/authority/purges/${purgeId}`, { headers: officer });
	return ((await answer.json()) as { effects: { snapshots: string } }).effects.snapshots;
}

async function untilServed(environment: Environment, officer: Officer, runId: string): Promise<void> {
	await waitFor(async () => {
		const answer = await fetch(`${environment.url}/v1/authority/registry/status`, { headers: officer });
		return ((await answer.json()) as { run_id: string }).run_id === runId;
	}, 10_000);
}

/** How many documents some answer shows. `others` found by words are not counted; undefined skips searches by words. */
async function countServed(
	environment: Environment,
	headers: Officer,
	documents: readonly string[],
	others = Number.NaN,
): Promise<number> {
	let found = 0;
	for (let at = 0; at < documents.length; at += 1_000) {
		const answer = await fetch(`${environment.url}/v1/authority/document:batch`, {
			method: "POST",
			headers: { ...headers, "content-type": "application/json" },
			body: JSON.stringify({ documents: documents.slice(at, at + 1_000) }),
		});
		const { results } = (await answer.json()) as { results: { outcome: string }[] };
		found += results.filter(({ outcome }) => outcome !== "not_found").length;
	}
	if (Number.isNaN(others)) return found;
	const words = { document: "999000", name: "FULANA", trade_name: "ZUTANA", economic_activity: "ACARREO" };
	for (const [field, q] of Object.entries(words)) {
		for (const mode of ["exact", "smart"]) {
			if (field === "document" && mode === "smart") continue;
			const query = new URLSearchParams({ field, q, limit: "100", mode });
			const answer = await fetch(`${environment.url}/v1/authority/document:search?${query}`, { headers });
			const { count, didYouMean } = (await answer.json()) as { count: number; didYouMean?: string };
			found += Math.max(0, count - others) + (didYouMean === undefined ? 0 : 1);
		}
	}
	for (const q of [...WORDS, "999000"]) {
		const answer = await fetch(`${environment.url}/v1/authority/document:suggest?q=${q}&limit=10`, { headers });
		found += Math.max(0, ((await answer.json()) as { count: number }).count - others);
	}
	for (const document of documents.slice(0, HISTORIES)) {
		const answer = await fetch(`${environment.url}/v1/authority/document/${document}/history`, { headers });
		if (answer.status !== 404) found++;
		await answer.arrayBuffer();
	}
	const changes = await fetch(`${environment.url}/v1/authority/registry/changes?limit=1000`, { headers });
	if (others === 0 && PERSON.test(await changes.text())) found++;
	return found;
}
