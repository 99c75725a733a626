/**
 * The demo key and the demo client of the two sandboxes, which are constants of the documentation. They have no owner, so they reach only
 * what the demo key itself has created.
 */
import type { Sql } from "../../platform/database";
import type { Plan } from "../../platform/operation";
import { type Environment, isSandbox } from "../../platform/values";
import { DEFAULT_SCOPES } from "./scope";
import { digestOf } from "./secret";
import { isKeyRevoked, saveDemoClient, saveDemoKey } from "./store";

export const DEMO_KEY = "ak_demo_public0000000000000000";
/** Also named by a constraint of the table: the only key without an owner. */
export const DEMO_KEY_ID = "00000000-0000-7000-8000-00000000de01";
export const DEMO_CLIENT_ID = "demo";
export const DEMO_CLIENT_SECRET = "demo";
/** The demo client's company: an RNC of the authority's test range that the sample registry leaves free. */
export const DEMO_RNC = "990000131";
export const DEMO_TENANT_ID = "00000000-0000-7000-8000-00000000de02";

/** A local sandbox gets the free plan; the public one is shared by everyone. */
function demoPlan(environment: Environment): Plan {
	return environment === "sandbox" ? "free" : "demo";
}

/** Ensures that the demo key and client exist in sandboxes and nowhere else. A revoked one stays revoked. */
export async function ensureDemo(deps: { sql: Sql; environment: Environment; now: Date }): Promise<void> {
	const { sql, environment, now } = deps;
	if (!isSandbox(environment)) return;
	const plan = demoPlan(environment);
	const scopes = DEFAULT_SCOPES;
	await saveDemoKey(sql, {
		id: DEMO_KEY_ID,
		digest: digestOf(DEMO_KEY),
		prefix: DEMO_KEY.slice(0, 14),
		label: "Demo key",
		plan,
		scopes,
		environment,
		now,
	});
	const secretDigest = digestOf(DEMO_CLIENT_SECRET);
	await saveDemoClient(sql, {
		clientId: DEMO_CLIENT_ID,
		tenantId: DEMO_TENANT_ID,
		plan,
		scopes,
		environment,
		secretDigest,
		now,
	});
}

/** The demo key, while it can be used. */
export async function findDemoKey(sql: Sql, environment: Environment): Promise<string | undefined> {
	if (!isSandbox(environment)) return undefined;
	return (await isKeyRevoked(sql, DEMO_KEY_ID)) ? undefined : DEMO_KEY;
}
