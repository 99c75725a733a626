/** Handler of `invoice.archive`: seals a decided document into one object of the write-once store. */
import {
	type Archive,
	findEarlierSealing,
	type HeldObject,
	insertHeldObjects,
	nameSealed,
	sealDocument,
} from "../archive";
import { createGather, gatherWrites, type Sql } from "../database";
import { faultPoint } from "../fault-points";
import { done, type Handler, LeaseLostError, mustHaveLease } from "../outbox";
import type { Environment } from "../values";
import { findClosedFiles } from "./file-store";

/** How long documents are kept. Source: the specification, Limits. */
export const RETENTION_YEARS = 10;

const READS = { itemsMax: 64, runsMax: 2 };
const WRITES = { itemsMax: 64, runsMax: 2 };

export function createArchiveInvoice(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const findClosedFile = createGather((docIds: readonly string[]) => findClosedFiles(deps.sql, docIds), READS);
	const insertObject = gatherWrites(
		(all: readonly HeldObject[]) => insertHeldObjects(deps.sql, all),
		({ object }) => object.objectKey,
		WRITES,
	);
	return async (message) => {
		const file = await findClosedFile(message.subject);
		// A failed document that was brought back is archived when it is decided again.
		if (!file?.invoice.decidedAt) return done;
		const { invoice, ecf, summary, answers, history } = file;
		const { decidedAt } = file.invoice;
		if (!ecf) throw new Error(`document ${invoice.docId} has no signed bytes`);
		const retainUntil = new Date(decidedAt);
		retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + RETENTION_YEARS);
		const sealedNow = sealDocument({
			docId: invoice.docId,
			tenantId: invoice.tenantId,
			environment: deps.environment,
			encf: invoice.encf,
			type: invoice.type,
			status: invoice.status,
			decidedAt,
			retainUntil,
			ecf,
			...(summary ? { summary } : {}),
			request: invoice.request,
			answers,
			events: history,
		});
		const place = `${invoice.tenantId}/${decidedAt.getUTCFullYear()}/${invoice.docId}-`;
		const before = message.attempt > 1 ? await findEarlierSealing(deps.archive, place, sealedNow) : undefined;
		const { objectKey, sealed } = before ?? { objectKey: nameSealed(place, sealedNow), sealed: sealedNow };
		mustHaveLease(message);
		const put = await deps.archive.putOnce(objectKey, sealed, { retainUntil });
		const { docId, tenantId } = invoice;
		const { sha256: digest, bytes, versionId = null } = put;
		const object = { docId, tenantId, objectKey, sha256: digest, bytes, decidedAt, retainUntil, versionId };
		if (!(await insertObject({ message, object }))) throw new LeaseLostError(message);
		faultPoint("archive-indexed");
		return done;
	};
}
