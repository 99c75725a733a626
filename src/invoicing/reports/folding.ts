/**
 * Folding: what was decided since is added to a tenant's sums, in a transaction of its own. Reports read the sums and what is not folded yet, so it
 * only bounds how much that is.
 */
import type { Sql, Tx } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Clock, firstIdAt } from "../../platform/values";
import type { VerdictReaction } from "../verdicts";

/** As many events of a tenant, or verdicts that a thread has seen. */
const FOLD_AT = 1_000;
const DAY_MS = 86_400_000;

/** Folds what a tenant's sums lack. Returns the count of documents. */
export async function foldSums(sql: Sql, tenantId: string): Promise<number> {
	const [row] = await sql<{ documents: number }[]>`select fold_sums(${tenantId}, false) as documents`;
	return row?.documents ?? 0;
}

/** Makes a tenant's sums afresh from its documents. Its verdicts wait until the transaction ends. Returns the count of documents. */
export async function sumAfresh(tx: Tx, tenantId: string): Promise<number> {
	const [row] = await tx<{ documents: number }[]>`select fold_sums(${tenantId}, true) as documents`;
	return row?.documents ?? 0;
}

/** Folds tenants that have many events, or one for a day. Returns the count of documents. */
export async function foldDue(sql: Sql, clock: Clock): Promise<number> {
	const yesterday = firstIdAt(new Date(clock.now().getTime() - DAY_MS));
	const due = await sql<{ tenantId: string }[]>`
		select c.tenant_id as "tenantId" from heads c
		where c.last_sequence >= c.folded_sequence + ${FOLD_AT} or exists (
			select from events e where e.tenant_id = c.tenant_id and e.sequence > c.folded_sequence and e.id < ${yesterday}
		)`;
	let documents = 0;
	for (const { tenantId } of due) documents += await foldSums(sql, tenantId);
	return documents;
}

/** All recipients of events, and so all tenants with verdicts. */
export async function findFeeds(sql: Sql): Promise<string[]> {
	const rows = await sql<{ tenantId: string }[]>`select tenant_id as "tenantId" from heads order by tenant_id`;
	return rows.map(({ tenantId }) => tenantId);
}

/** Counts verdicts and folds a tenant's sums now and then, beside the transactions that write them. Housekeeping does what fails. */
export function createFolding(sql: Sql, log: Pick<Log, "warn">): VerdictReaction {
	const counts = new Map<string, number>();
	return {
		note: (conclusions) => {
			for (const { invoice, decision } of conclusions) {
				if (!decision) continue;
				const count = (counts.get(invoice.tenantId) ?? 0) + 1;
				counts.set(invoice.tenantId, count % FOLD_AT);
				if (count < FOLD_AT) continue;
				foldSums(sql, invoice.tenantId).catch((err) =>
					log.warn({ event: "report.not_folded", err, tenantId: invoice.tenantId }, "sums were not folded"),
				);
			}
		},
	};
}
