/** An erasure as the operation does it: once for each idempotency key, beside which the number is not kept either. */
import { answerOnce } from "../../platform/idempotency";
import type { Call } from "../../platform/operation";
import type { TaxpayerDocument } from "../../platform/values";
import { type PurgeDeps, type Requester, spreadErasure, writeErasure } from "./purge-document";
import type { PurgeAnswer } from "./record";
import { checkPurgeRequest, type PurgeRequest } from "./request";

const NO_STORE = { "cache-control": "no-store" };

/** What is answered, and the erasure that was written for it; none for the repeat of a key. */
export type PurgedOnce = { readonly answer: Response; readonly purgeId: string | undefined };

/** Erases a document unless the request repeats one under its key. Throws: as `answerOnce`; rate-limit-exceeded. */
export async function purgeOnce(
	deps: PurgeDeps,
	call: Call,
	document: TaxpayerDocument,
	requester: Requester,
): Promise<PurgedOnce> {
	let purgeId: string | undefined;
	const answer = await answerOnce<PurgeRequest>(
		deps.sql,
		call,
		async (tx, request) => {
			const body = await writeErasure(tx, deps, document, request, requester);
			purgeId = body.purge_id;
			return { status: 200, body, headers: NO_STORE };
		},
		{ path: pathWithoutNumber(deps, document), check: async (value) => checkPurgeRequest(value, document) },
	);
	if (purgeId !== undefined) await spreadErasure(deps, document, purgeId);
	// The first one may have failed behind its commit: nobody is told of an erasure that is not kept beside the database.
	else await deps.keepErasure(((await answer.clone().json()) as PurgeAnswer).purge_id);
	return { answer, purgeId };
}

/** Names the document by its tombstone's digest. */
function pathWithoutNumber({ tombstones }: PurgeDeps, { digits }: TaxpayerDocument): string {
	return `/v1/authority/document/${tombstones.digestOf(digits).toString("hex")}:purge`;
}
