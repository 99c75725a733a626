/**
 * Attempts to overwrite, shorten or delete archived objects, and to shorten their retention, through the API, operator commands, the
 * store's
 * driver and the database. The whole archive is compared after each attempt.
 */

import { readPapers, standings } from "../../../test/support/documents";
import type { HarnessTenant } from "../../../test/support/tenants";
import { fetchDescription } from "../api/description";
import type { ScenarioContext } from "../run-scenarios";
import { listApiAttempts, listClosingAttempts } from "./api-attempts";
import { listDriverAttempts } from "./driver-attempts";
import { type Environment, untilArchived, untilQuiet } from "./environment";
import { findChanges, readHoldings } from "./holdings";
import { listServiceAttempts } from "./service-attempts";
import { TARGETS } from "./sql-attempts";
import { listTriggerAttempts } from "./trigger-attempts";

/** One attempt. It may throw, which is a refusal. */
export type Attempt = {
	readonly name: string;
	readonly way: "API" | "operator" | "driver" | "SQL" | "SQL as the service" | "S3";
	/** What it tries: to change or remove archived objects, or to shorten retention. */
	readonly aim: "change" | "retention";
	/** Returns the answer it got. */
	readonly carryOut: () => Promise<string>;
};

/** The archived document under attack. */
export type Target = {
	readonly docId: string;
	readonly tenant: HarnessTenant;
	readonly encf: string;
	readonly objectKey: string;
	/** The request that created it. */
	readonly request: Readonly<Record<string, unknown>>;
};

const CHANGES_AT_LEAST = 100;
const RETENTIONS_AT_LEAST = 20;

export async function attemptsScenario(context: ScenarioContext, environment: Environment) {
	const { violate, small } = context;
	await environment.wakeUp();
	const tenant = await environment.register();
	// Enough for a subtree to be stored.
	await environment.issue(tenant, 30);
	await environment.issue(tenant, 3, { "x-sandbox-scenario": "reject" });
	await untilArchived(environment);
	await untilQuiet(environment);
	const targets = await readTargets(environment, tenant, small ? 1 : 4);
	const api = await fetchDescription(environment.url);
	const attempts = [
		...targets.flatMap((target) => listApiAttempts(environment, api, target)),
		...targets.flatMap((target) => listDriverAttempts(environment, target)),
		...targets.flatMap((target) => listTriggerAttempts(environment, target)),
		...listServiceAttempts(environment),
		// These end the company's credentials, so they come last.
		...listClosingAttempts(environment, tenant).slice(small ? -1 : 0),
	];
	const before = await readHoldings(environment);
	const succeeded: string[] = [];
	const answers: Record<string, number> = {};
	for (const { way, name, aim, carryOut } of attempts) {
		const answer = await carryOut().catch((error: unknown) => `refused: ${error instanceof Error ? error.name : "?"}`);
		answers[`${way} ${answer}`] = (answers[`${way} ${answer}`] ?? 0) + 1;
		if (/^5\d\d/.test(answer)) violate(`${way}: ${name} was answered with ${answer}`);
		const changes = findChanges(before, await readHoldings(environment));
		if (changes.length === 0) continue;
		succeeded.push(name);
		violate(`${way}: ${name} (${aim}) was answered with ${answer}, and ${changes.slice(0, 3).join("; ")}`);
	}
	await untilQuiet(environment);
	for (const change of findChanges(before, await readHoldings(environment))) violate(`after all attempts ${change}`);
	for (const right of await readRights(environment)) violate(`the service's login has got the right to ${right}`);

	const count = (aim: Attempt["aim"]) => attempts.filter((one) => one.aim === aim).length;
	if (count("change") < CHANGES_AT_LEAST) violate(`only ${count("change")} attempts to change something`);
	if (count("retention") < RETENTIONS_AT_LEAST) violate(`only ${count("retention")} attempts to shorten retention`);
	return {
		"attempts to change": count("change"),
		"attempts to shorten retention": count("retention"),
		"by way": countBy(attempts, ({ way }) => way),
		succeeded: succeeded.length,
		"compared each time": before.size,
		answers,
	};
}

/** Rights that the service's login must not have or acquire. */
async function readRights({ sql, serviceUrl }: Environment): Promise<string[]> {
	const rows = await sql<{ right: string }[]>`
		select p || ' ' || t as right
		from unnest(${Object.keys(TARGETS)}::text[]) t, unnest(array['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) p
		where to_regclass(t) is not null and has_table_privilege(${new URL(serviceUrl).username}, t, p)`;
	return rows.map(({ right }) => right);
}

async function readTargets({ sql }: Environment, tenant: HarnessTenant, count: number): Promise<Target[]> {
	const rows = await sql<Omit<Target, "tenant" | "request">[]>`
		select i.doc_id as "docId", i.encf, sealed_object_key(o.tenant_id, o.doc_id, o.decided_at, o.sha256) as "objectKey" from ${standings(sql)} i join seals o using (doc_id)
		where i.tenant_id = ${tenant.tenantId} order by row_number() over (partition by i.type, i.status order by i.doc_id) limit ${count}`;
	const papers = await readPapers(
		sql,
		rows.map(({ docId }) => docId),
	);
	return rows.map((row) => ({ ...row, tenant, request: JSON.parse(papers.get(row.docId)?.request ?? "{}") }));
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Record<string, number> {
	return Object.fromEntries([...Map.groupBy(items, nameOf)].map(([name, group]) => [name, group.length]));
}
