/** How documents of the work log are carried: submitted, then archived and delivered. */
import { findArchived } from "../../../archive";
import { findUndelivered as findDeliveries } from "../../../events/webhooks";
import type { Sql, Tx } from "../../../platform/database";
import {
	appendOnce,
	type LoggedKey,
	type LoggedWork,
	loggedDocuments,
	type NewMessage,
	OUTBOX_KINDS,
	withoutRows,
} from "../../../platform/outbox";
import { findUndelivered as findParcels } from "../../buyer-delivery";
import { documentsOf, nearTo, stateJoins } from "../model/stored-document";

export const SUBMISSION_WORK: LoggedWork = {
	first: OUTBOX_KINDS.submitInvoice,
	last: OUTBOX_KINDS.archiveInvoice,
	besides: [OUTBOX_KINDS.deliverWebhook, OUTBOX_KINDS.deliverToBuyer],
	findLeft: findLeftWork,
};

/**
 * The messages that these documents need: those without a decision are submitted, where an intent without a result leads to a query, and those
 * whose decision is not archived are archived; events and accepted documents that have not arrived are delivered. What has a message's row
 * needs none.
 */
export async function findLeftWork(sql: Sql | Tx, documents: readonly LoggedKey[]): Promise<NewMessage[]> {
	if (documents.length === 0) return [];
	const isNear = nearTo(sql, documents);
	const rows = await sql<(LoggedKey & { decidedAt: Date | null })[]>`
		select d.tenant_id as "tenantId", d.doc_id as "docId",
			coalesce(v.decided_at, case when o.status = 'f' then o.updated_at end) as "decidedAt"
		from ${documentsOf(sql, documents, isNear)} ${stateJoins(sql, isNear)}`;
	const decided = rows.flatMap(({ decidedAt, ...key }) => (decidedAt ? [{ ...key, decidedAt }] : []));
	const [archived, events, parcels] = await Promise.all([
		findArchived(sql, decided),
		findDeliveries(sql, documents),
		findParcels(sql, decided),
	]);
	const own = rows.flatMap(({ tenantId, docId: subject, decidedAt }): NewMessage[] => {
		if (!decidedAt) return [{ kind: OUTBOX_KINDS.submitInvoice, tenantId, subject }];
		return archived.has(subject) ? [] : [{ kind: OUTBOX_KINDS.archiveInvoice, tenantId, subject }];
	});
	return withoutRows(sql, [...own, ...events, ...parcels]);
}

/** The documents of a tenant that are carried without a message of their own, by what the database knows. */
export async function findCarried(sql: Sql | Tx, tenantId: string): Promise<string[]> {
	return (await findCarriedWork(sql, tenantId)).map(({ docId, subject }) => docId ?? subject);
}

/** Gives a message to each of a tenant's undecided documents that have none, so that it can be aged like others. It may run beside the lane's own. */
export async function storeCarried(tx: Tx, tenantId: string): Promise<void> {
	const left = await findCarriedWork(tx, tenantId);
	await appendOnce(
		tx,
		left.filter(({ kind }) => kind === SUBMISSION_WORK.first),
	);
}

async function findCarriedWork(sql: Sql | Tx, tenantId: string): Promise<readonly NewMessage[]> {
	const rows = await sql<{ docId: string }[]>`select doc_id as "docId" from (${loggedDocuments(sql, tenantId)}) l`;
	return findLeftWork(
		sql,
		rows.map(({ docId }) => ({ tenantId, docId })),
	);
}
