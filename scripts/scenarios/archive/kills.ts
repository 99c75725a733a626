/**
 * SIGKILL at each point of archiving. A kill may leave a draft, or an object without its row, but never a partial object under its name or
 * a row
 * without its object. After the messages run again, each document has one object and one row.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openSealed } from "../../../src/archive";
import type { Failpoint } from "../../../src/platform/failpoints";
import type { HarnessTenant } from "../../../test/support/tenants";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, untilArchived, untilQuiet } from "./environment";
import { listDrafts, listSealed } from "./holdings";
import { verify } from "./verify";

export const KILLED_SETTINGS = { SHARD_LEASE_SECONDS: "2" };

const POINTS = [
	"archive-written",
	"archive-linked",
	"archive-synced",
	"archive-indexed",
] as const satisfies readonly Failpoint[];
const EACH = { full: 20, small: 1 };
/** Documents in flight at the kill. */
const UNDER_WAY = 12;
const STRIKE_TIMEOUT_MS = 120_000;

export async function killsScenario(context: ScenarioContext, environment: Environment) {
	const { violate, small } = context;
	const tenant = await environment.register();
	const issued: string[] = [];
	const found = { "objects without a row": 0, drafts: 0 };
	let kills = 0;
	await environment.stop();
	for (let round = 0; round < EACH[small ? "small" : "full"]; round++) {
		for (const point of POINTS) {
			issued.push(...(await strike(context, environment, tenant, point, round)));
			kills++;
			const { rows, objects } = await compare(context, environment, `after a kill at ${point}`);
			found["objects without a row"] += objects.size - rows.size;
			found.drafts += listDrafts(environment.archiveFolder).length;
		}
		await environment.start().ready;
		await untilArchived(environment);
		await untilQuiet(environment);
		const { rows, objects } = await compare(context, environment, "after the next start");
		for (const key of objects) if (!rows.has(key)) violate(`${key} has no row when all is archived`);
		const drafts = listDrafts(environment.archiveFolder);
		if (drafts.length > 0) violate(`drafts are left: ${drafts.join(", ")}`);
		await environment.stop();
	}
	const rows = await environment.sql<{ docId: string }[]>`select doc_id as "docId" from seals`;
	const archived = Map.groupBy(rows, ({ docId }) => docId);
	for (const docId of issued) {
		const count = archived.get(docId)?.length ?? 0;
		if (count !== 1) violate(`document ${docId} is archived ${count} times`);
	}
	const { exitCode, report } = await verify(environment);
	if (exitCode !== 0) violate(`verify ended with ${exitCode}: ${JSON.stringify(report).slice(0, 500)}`);
	return { points: POINTS.length, kills, documents: issued.length, ...found, verified: report.verified };
}

/** A life of the service that ends at the failpoint with documents in flight; returns the acknowledged ones. */
async function strike(
	{ violate }: ScenarioContext,
	environment: Environment,
	tenant: HarnessTenant,
	point: Failpoint,
	round: number,
) {
	const service = environment.start({ NODE_ENV: "test", FAULT_POINT: `${point}:${1 + (round % UNDER_WAY)}` });
	const timer = setTimeout(() => {
		violate(`${point} was not passed`);
		service.kill("SIGKILL");
	}, STRIKE_TIMEOUT_MS);
	// Work left from the previous life may hit the failpoint before the service is ready.
	const docIds = await service.ready.then(
		() => environment.issue(tenant, UNDER_WAY).catch(() => []),
		() => [],
	);
	const ending = await service.ended;
	clearTimeout(timer);
	if (ending !== "SIGKILL") violate(`the service was to die at ${point} and ended with ${ending}`);
	return docIds;
}

/** Checks the current rows and objects: each object intact, each row with its object. */
async function compare({ violate }: ScenarioContext, { sql, archiveFolder }: Environment, when: string) {
	const objects = new Map(listSealed(archiveFolder).map((key) => [key, readFileSync(join(archiveFolder, key))]));
	for (const [key, bytes] of objects) {
		try {
			openSealed(bytes);
		} catch (error) {
			violate(`${when} ${key} is half an object: ${error}`);
		}
	}
	const rows = await sql<{ key: string; sha256: string; hasLeaf: boolean }[]>`
		select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key, encode(sha256, 'hex') as sha256, leaf < tree_size(anchor) as "hasLeaf"
		from seals join shards using (shard)`;
	for (const { key, sha256, hasLeaf } of rows) {
		const bytes = objects.get(key);
		if (!bytes) violate(`${when} the row of ${key} has no object`);
		else if (createHash("sha256").update(bytes).digest("hex") !== sha256) violate(`${when} ${key} holds other bytes`);
		if (!hasLeaf) violate(`${when} the row of ${key} has no leaf`);
	}
	return { rows: new Set(rows.map(({ key }) => key)), objects: new Set(objects.keys()) };
}
