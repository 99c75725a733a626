/**
 * The breaker at the door: how the authority's services have answered lately, shared by all processes. Each service has its own count, for one that
 * answers says nothing of another that does not: a row is named by its segment and its service, with a space between them.
 */

import type { Sql, Tx } from "../../platform/database";
import type { Segment, ServiceName } from "../client";

/** Hosts have different names and different days: the one of all services, and the one of summaries. */
export type Channel = "main" | "fc";

/** What stands between a document and its reception: the service that takes it, and the one that is asked where that left it in doubt. */
const IN_THE_WAY: Readonly<Record<Channel, readonly ServiceName[]>> = {
	main: ["reception", "track-ids"],
	fc: ["summary-reception", "summary"],
};

const FORGOTTEN_SECONDS = 600;

/** Counts a failure of one of the authority's services, or forgets its failures after an answer; opens the breaker at the threshold. */
export async function recordReachability(
	sql: Sql,
	of: { readonly segment: Segment; readonly service: ServiceName },
	reached: boolean,
	threshold: number,
	openSeconds: number,
): Promise<void> {
	const name = nameOf(of.segment, of.service);
	if (reached) {
		await sql`update authority_breaker set failures = 0, open_until = null where segment = ${name} and failures > 0`;
		return;
	}
	// Failures that lie far apart are no outage, and those of one that is long over count no more: of a service that is seldom called nobody else would
	// forget them.
	const failures = sql`case when authority_breaker.failed_at < now() - make_interval(secs => ${FORGOTTEN_SECONDS}) then 1
		else authority_breaker.failures + 1 end`;
	await sql`
		insert into authority_breaker (segment, failures) values (${name}, 1)
		on conflict (segment) do update set failures = ${failures}, failed_at = now(),
			open_until = case when ${failures} >= ${threshold} then now() + make_interval(secs => ${openSeconds}) end`;
}

/** True while a service is known to be down that documents of the road need; without a road, of either. */
export async function isBreakerOpen(sql: Sql, segment: string, road?: Channel): Promise<boolean> {
	const rows = await sql`
		select 1 from authority_breaker where segment = any(${rowsOf(segment, road)}::text[]) and open_until > now()`;
	return rows.length > 0;
}

/** The services whose rows tell of a road; none, for rows in which a version before has counted all services together. */
export function servicesOf(road?: Channel): string[] {
	return ["", ...(road === undefined ? [...IN_THE_WAY.main, ...IN_THE_WAY.fc] : IN_THE_WAY[road])];
}

function rowsOf(segment: string, road?: Channel): string[] {
	return servicesOf(road).map((service) => nameOf(segment, service));
}

/** Another service's failures keep no document from being brought in. */
export function isNeededToSubmit(service: ServiceName): boolean {
	return Object.values(IN_THE_WAY).some((services) => services.includes(service));
}

function nameOf(segment: string, service: string): string {
	return `${segment} ${service}`.trimEnd();
}

/** The authority is known to be back: nobody is refused for what was before. */
export async function closeBreaker(tx: Tx, segment: string): Promise<void> {
	await tx`update authority_breaker set failures = 0, open_until = null where segment = any(${rowsOf(segment)}::text[])`;
}
