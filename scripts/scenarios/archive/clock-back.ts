/** Sets the clock of every service thread back by most of a year and archives everything again: no retention gets shorter. */

import { standings } from "../../../test/support/documents";
import { createShiftedClock } from "../../harness/shifted-clock";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, untilArchived, untilQuiet } from "./environment";
import { findChanges, readHoldings } from "./holdings";

/** Shorter than the life of a sandbox certificate, which must stay valid. */
const BACK_DAYS = 300;

export async function clockBackScenario({ violate, small }: ScenarioContext, environment: Environment) {
	await environment.wakeUp();
	const since = await environment.register();
	await untilArchived(environment, await environment.issue(since, small ? 10 : 300));
	await untilQuiet(environment);
	const before = await readHoldings(environment);
	await environment.stop();
	await environment.start(createShiftedClock(environment.folder, -BACK_DAYS * 86_400_000).settings).ready;
	const tenant = await environment.register();
	const behindDays = (Date.now() / 1_000 - readIssuedAt(tenant.headers.authorization ?? "")) / 86_400;
	if (!(behindDays > BACK_DAYS - 1)) violate(`the service's clock is only ${behindDays} days behind`);
	const docIds = await environment.issue(tenant, 3);
	await untilArchived(environment, docIds);
	const again = await environment.sql`
		insert into outbox (id, kind, tenant_id, subject)
		select gen_random_uuid(), 'invoice.archive', tenant_id, doc_id from seals returning 1`;
	await untilQuiet(environment);
	const changes = findChanges(before, await readHoldings(environment));
	for (const change of changes) violate(`with the clock ${BACK_DAYS} days back ${change}`);
	const [undecided] = await environment.sql<{ count: number }[]>`
		select count(*)::int as count from ${standings(environment.sql)} i where status <> 'accepted' and doc_id = any(${docIds}::uuid[])`;
	if (undecided?.count !== 0) violate(`${undecided?.count} documents issued under the wrong clock were not accepted`);
	const [shortened] = await environment.sql<{ count: number }[]>`
		select count(*)::int as count from seals
		where retain_until < decided_at + interval '10 years' and doc_id = any(${docIds}::uuid[])`;
	if (shortened?.count !== 0)
		violate(`${shortened?.count} documents issued under the wrong clock are kept for less than ten years`);
	await environment.stop();
	return { "archived again under it": again.length, "issued under it": docIds.length };
}

/** From one of the service's tokens. Units: epoch seconds. */
function readIssuedAt(authorization: string): number {
	const claims = Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString();
	return (JSON.parse(claims) as { iat: number }).iat;
}
