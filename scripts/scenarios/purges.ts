/**
 * Erasures over HTTP, ingests of sources that contain the erased records, a rollback, a restart: none returns in any kind of answer, and no
 * snapshot file, table or log contains one. A few are reversed: only these return with the next ingest.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findAddress, openSnapshot } from "../../src/registry/index/index";
import { type Environment, numberedText, openEnvironment, temporaryFiles, waitFor } from "./environment";
import type { ScenarioContext } from "./run-scenarios";

const FIRST_PERSON = 99_900_000_000;
/** Their numbers in any text. */
const PERSON = /9990000\d{4}/;
const REVERSED = 10;

type Officer = Readonly<Record<string, string>>;

export async function purgesScenario(context: ScenarioContext) {
	const { violate, small } = context;
	const erasures = small ? 50 : 1_000;
	const people = Array.from({ length: erasures }, (_, i) => String(FIRST_PERSON + i));
	const path = join(context.folder, "purges.txt");
	const write = (version: number) => {
		const lines = people.map(
			(rnc, i) => `${rnc}|QUERELIA${i}X FULANA|ZUTANA V${version}|ACARREO| | | | |03/02/2014|ACTIVO|NORMAL`,
		);
		writeFileSync(path, numberedText((small ? 1_000 : 50_000) + version, "OTRO", lines));
	};
	write(0);
	const environment = await openEnvironment(context, { REGISTRY_SOURCE: path, LOG_LEVEL: "info" });
	const officer = await environment.keys.createOfficer();
	// Changes all records, so that the feed names each before its erasure.
	for (let version = 1; version <= 2; version++) {
		write(version);
		await environment.ingest(path);
	}
	const announced = await countInTables(environment);
	if (announced < erasures) violate(`the change feed names ${announced} of ${erasures} before the erasures`);

	const purgeIds: string[] = [];
	for (const rnc of people) purgeIds.push(await purge(environment, officer, rnc));
	const clearedAt = performance.now();
	const isCleared = await waitFor(
		async () => (await findSnapshots(environment, officer, purgeIds.at(-1) ?? "")) === "cleared",
		120_000,
	);
	if (!isCleared) violate("the files were not cleared");
	const clearMs = Math.round(performance.now() - clearedAt);

	let checks = 0;
	const check = async (when: string, allowed: ReadonlySet<string> = new Set()) => {
		const erased = people.filter((rnc) => !allowed.has(rnc));
		const back = {
			served: await countServed(environment, officer, erased, allowed.size),
			inFiles: allowed.size > 0 ? 0 : countInFiles(environment, people),
			inTables: allowed.size > 0 ? 0 : await countInTables(environment),
			inLog: PERSON.test(environment.readLog()) || environment.readLog().includes("QUERELIA") ? 1 : 0,
		};
		checks++;
		if (Object.values(back).some((n) => n > 0)) violate(`${when}: ${JSON.stringify(back)} erased are back`);
	};
	await check("after the erasures");
	const runs: string[] = [];
	for (let version = 3; version <= 7; version++) {
		write(version);
		const run = await environment.ingest(path);
		runs.push(run.runId);
		if (run.result !== "ok") violate(`ingest ${version} is ${run.result}: ${run.reason}`);
		await untilServed(environment, officer, run.runId);
		await check(`after ingest ${version}`);
	}
	const target = runs.at(-2) ?? "";
	await environment.rollback(target);
	await untilServed(environment, officer, target);
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
	write(8);
	const run = await environment.ingest(path);
	await untilServed(environment, officer, run.runId);
	await check("after the ingest that follows the reversals", chosen);
	const returned = await countServed(environment, officer, [...chosen], undefined);
	if (returned !== REVERSED) violate(`${returned} of ${REVERSED} reversed came back`);
	await environment.end();
	if (temporaryFiles(environment.directory).length > 0)
		violate(`left behind: ${temporaryFiles(environment.directory)}`);
	return { erasures, ingests: 5, rollbacks: 1, restarts: 1, checks, reversed: REVERSED, returned, clearMs };
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
	const changes = await fetch(`${environment.url}/v1/authority/registry/changes?limit=1000`, { headers });
	if (others === 0 && PERSON.test(await changes.text())) found++;
	return found;
}

/** Searches for the number as text and as the binary key of a snapshot. A source copy being read is not a snapshot. */
function countInFiles(environment: Environment, people: readonly string[]): number {
	const files = readdirSync(environment.directory, { recursive: true, withFileTypes: true }).filter((one) =>
		one.isFile(),
	);
	const paths = files.map((one) => join(one.parentPath, one.name)).filter((path) => !path.endsWith(".tmp"));
	const snapshots = paths.filter((path) => path.endsWith(".snapshot")).map(openSnapshot);
	const keys = people.filter((rnc) => snapshots.some((one) => findAddress(one, rnc) !== undefined)).length;
	const texts = paths.filter((path) => {
		const bytes = readFileSync(path);
		return ["QUERELIA", "FULANA", "ZUTANA", "ACARREO", "9990000"].some((word) => bytes.includes(word));
	});
	return keys + texts.length;
}

/** Rows of any table that name one of them. */
async function countInTables({ sql }: Environment): Promise<number> {
	const tables = await sql<{ name: string }[]>`
		select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`;
	let found = 0;
	for (const { name } of tables) {
		const [row] = await sql.unsafe<{ n: number }[]>(
			`select count(*)::int as n from ${name} t where t::text ~ '9990000[0-9]{4}|QUERELIA'`,
		);
		found += row?.n ?? 0;
	}
	return found;
}
