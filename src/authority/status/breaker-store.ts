/**
 * The breaker that all processes share: how the authority's services have answered lately. Each service has its own count, since one that
 * answers says nothing about another that does not. A row is named by its segment and its service, separated by a space.
 */

import type { Sql, Tx } from "../../platform/database";
import type { Segment, ServiceName } from "../client";

/** The authority's two hosts: one for all services, one for summaries. They fail independently. */
export type Channel = "main" | "fc";

/** The services on a document's way to its reception: the one that takes it, and the one that resolves an ambiguous outcome. */
const NEEDED_TO_SUBMIT: Readonly<Record<Channel, readonly ServiceName[]>> = {
	main: ["reception", "track-ids"],
	fc: ["summary-reception", "summary"],
};

const FORGOTTEN_SECONDS = 600;

/** Counts a failure of a service, or clears its failures after an answer. Opens the breaker at the threshold. */
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
	// Failures that lie far apart are no outage. Old ones expire here, since a service that is seldom called has no answer to clear them.
	const failures = sql`case when authority_breaker.failed_at < now() - make_interval(secs => ${FORGOTTEN_SECONDS}) then 1
		else authority_breaker.failures + 1 end`;
	await sql`
		insert into authority_breaker (segment, failures) values (${name}, 1)
		on conflict (segment) do update set failures = ${failures}, failed_at = now(),
			open_until = case when ${failures} >= ${threshold} then now() + make_interval(secs => ${openSeconds}) end`;
}

/** True while a service that the channel's documents need is known to be down; without a channel, a service of either. */
export async function isBreakerOpen(sql: Sql, segment: string, channel?: Channel): Promise<boolean> {
	const rows = await sql`
		select 1 from authority_breaker where segment = any(${rowsOf(segment, channel)}::text[]) and open_until > now()`;
	return rows.length > 0;
}

/** The services whose rows decide about a channel. */
export function servicesOf(channel?: Channel): readonly string[] {
	return channel === undefined ? [...NEEDED_TO_SUBMIT.main, ...NEEDED_TO_SUBMIT.fc] : NEEDED_TO_SUBMIT[channel];
}

function rowsOf(segment: string, channel?: Channel): string[] {
	return servicesOf(channel).map((service) => nameOf(segment, service));
}

/** False for services whose failures do not keep documents from being submitted. */
export function isNeededToSubmit(service: ServiceName): boolean {
	return Object.values(NEEDED_TO_SUBMIT).some((services) => services.includes(service));
}

function nameOf(segment: string, service: string): string {
	return `${segment} ${service}`;
}

/** The authority has recovered: earlier failures no longer cause refusals. */
export async function closeBreaker(tx: Tx, segment: string): Promise<void> {
	await tx`update authority_breaker set failures = 0, open_until = null where segment = any(${rowsOf(segment)}::text[])`;
}
