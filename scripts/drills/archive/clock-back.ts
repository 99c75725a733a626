/** The clock of every thread of a service set back by a year, and what is archived done once more under it: nothing is kept for less long. */
import { join } from "node:path";
import type { Theatre } from "../theatre";
import { findChanges, readHoldings } from "./holdings";
import { type Stage, untilArchived, untilQuiet } from "./stage";

const PRELOAD = join(import.meta.dir, "clock-back.preload.ts");

export async function drillClockBack({ violate, small }: Theatre, stage: Stage) {
	await stage.wakeUp();
	const since = await stage.register();
	await untilArchived(stage, await stage.issue(since, small ? 10 : 300));
	await untilQuiet(stage);
	const before = await readHoldings(stage);
	await stage.stop();
	await stage.start({ BUN_OPTIONS: `--preload=${PRELOAD}` }).ready;
	const tenant = await stage.register();
	const behindDays = (Date.now() / 1_000 - readIssuedAt(tenant.headers.authorization ?? "")) / 86_400;
	if (!(behindDays > 364)) violate(`the service's clock is only ${behindDays} days behind`);
	const docIds = await stage.issue(tenant, 3);
	await untilArchived(stage, docIds);
	const again = await stage.sql`
		insert into outbox (id, kind, tenant_id, subject)
		select gen_random_uuid(), 'invoice.archive', tenant_id, doc_id from archive_objects returning 1`;
	await untilQuiet(stage);
	const changes = findChanges(before, await readHoldings(stage));
	for (const change of changes) violate(`with the clock a year back ${change}`);
	const [shortened] = await stage.sql<{ count: number }[]>`
		select count(*)::int as count from archive_objects
		where retain_until < decided_at + interval '10 years' and doc_id = any(${docIds}::uuid[])`;
	if (shortened?.count !== 0)
		violate(`${shortened?.count} documents decided a year back are kept for less than ten years`);
	await stage.stop();
	return { "archived again a year back": again.length, "issued a year back": docIds.length };
}

/** From a token of the service's own. Units: epoch seconds. */
function readIssuedAt(authorization: string): number {
	const claims = Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString();
	return (JSON.parse(claims) as { iat: number }).iat;
}
