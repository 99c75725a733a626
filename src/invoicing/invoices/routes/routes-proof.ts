import { conditionalParameter, docIdParameter, findOwnInvoice, type InvoiceDeps, TAG } from "../view/own-invoice";
/** That a document stands in the archive: the proof of it, and all that proves it as one file. */

import {
	ArchiveContradictionError,
	type ArchivedObject,
	DocumentProof,
	EvidenceLostError,
	getArchiveObject,
	isArchiveObjectRemoved,
	packEvidence,
	proveDocument,
} from "../../../archive";
import { createSemaphore } from "../../../platform/concurrency";
import { retryOnFailure, type Sql } from "../../../platform/database";
import {
	answerFile,
	type Call,
	json,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_CACHE,
	PRIVATE_NO_STORE,
} from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import type { Log } from "../../../platform/telemetry";
import type { InvoiceRow } from "../model/invoice-row";

/** Each holds its document a few times over while it is packed. */
const PACKED_AT_ONCE_MAX = 4;
const NOT_YET =
	"404 with `Retry-After` while the document has no final status or is not archived yet. When no checkpoint covers it, one is signed; 60 an hour at " +
	"most, beyond that, and while the archive takes none, 503 with `Retry-After`.";

/** Beside the problem of the same status. */
const LATER = {
	description: "The document exists and is not archived yet.",
	headers: { "Retry-After": "Seconds, while the document is being archived." },
};

export function getInvoiceProofOperation(
	deps: Pick<InvoiceDeps, "sql" | "archive" | "checkpoints" | "log">,
): Operation {
	return {
		id: "getInvoiceProof",
		method: "GET",
		path: "/v1/invoices/{docId}/proof",
		tag: TAG,
		summary: "Get the proof that a document is in the archive",
		description: `Its place in the archive's Merkle tree, the way from there to the root, and the signed checkpoint that tells the root. ${NOT_YET}`,
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [docIdParameter],
		answers: { 200: { description: "The proof.", schema: DocumentProof }, 404: LATER },
		problems: ["not-found", "internal-error", "service-unavailable"],
		handle: (call) => getProof(deps, call),
	};
}

export function getInvoiceEvidenceOperation(
	deps: Pick<InvoiceDeps, "sql" | "archive" | "checkpoints" | "log">,
): Operation {
	const packing = createSemaphore(PACKED_AT_ONCE_MAX);
	return {
		id: "getInvoiceEvidence",
		method: "GET",
		path: "/v1/invoices/{docId}/evidence",
		tag: TAG,
		summary: "Download a document's evidence",
		description:
			"A ZIP that is verified without us: the sealed object and its parts, the signer's certificate, the proof of its place in the archive with the " +
			`signed checkpoint, and the archive's receipt. The same bytes each time while retention is not extended and the key stays. ${NOT_YET}`,
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [docIdParameter, conditionalParameter],
		answers: {
			200: {
				description: "The ZIP.",
				mediaType: "application/zip",
				headers: { ETag: "SHA-256 of the bytes.", "Content-Disposition": "Suggested file name." },
			},
			304: { description: "Not modified." },
			404: LATER,
		},
		problems: ["not-found", "internal-error", "service-unavailable"],
		handle: (call) => packing.run(() => getEvidence(deps, call)),
	};
}

async function getProof(
	deps: Pick<InvoiceDeps, "sql" | "archive" | "checkpoints" | "log">,
	call: Call,
): Promise<Response> {
	const { object } = await findOwnArchived(deps.sql, call);
	const proof = await told(deps.log, call, async () => {
		const checkpoint = await deps.checkpoints.covering(object.leafIndex);
		return retryOnFailure(() => proveDocument(deps.sql, object, checkpoint));
	});
	return json(200, proof, PRIVATE_NO_STORE);
}

async function getEvidence(
	deps: Pick<InvoiceDeps, "sql" | "archive" | "checkpoints" | "log">,
	call: Call,
): Promise<Response> {
	const { row, object } = await findOwnArchived(deps.sql, call);
	const bytes = await told(deps.log, call, async () =>
		packEvidence(deps, object, await deps.checkpoints.covering(object.leafIndex)),
	);
	const etag = `"${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}"`;
	const head = {
		name: `${row.encf}-evidence.zip`,
		mediaType: "application/zip",
		headers: { etag, ...PRIVATE_NO_CACHE },
	};
	return answerFile(call, head, () => bytes);
}

/** The caller hears that it is the archive's fault, the log which object or which leaf. Throws: internal-error, service-unavailable. */
async function told<T>(log: Log, { requestId }: Call, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof EvidenceLostError || error instanceof ArchiveContradictionError)) throw error;
		log.error({ err: error, requestId }, "the archive gives no proof");
		if (error instanceof EvidenceLostError && error.fault === "unreadable")
			throw new Problem("service-unavailable", {
				...{ detail: "The archive cannot be read now.", headers: { "retry-after": "30" }, cause: error },
			});
		const detail =
			"What the archive holds is not what was written. No evidence is given; it was logged with `requestId`.";
		throw new Problem("internal-error", { detail, cause: error });
	}
}

/** A tenant's own document as it was archived at its latest decision. */

/** A decided document is archived within seconds; one that waits for the authority is asked for its status instead. */
const RETRY_SECONDS = { decided: "2", pending: "30" } as const;

/** Throws: not-found, for strangers without a word, for the owner of a document that is not archived yet with `Retry-After`. */
export async function findOwnArchived(
	sql: Sql,
	call: Call,
): Promise<{ readonly row: InvoiceRow; readonly object: ArchivedObject }> {
	const row = await findOwnInvoice(sql, call, call.params.docId);
	const { decidedAt } = row;
	if (!decidedAt) throw notYet("The document has no final status yet, and is archived when it has.", "pending");
	const object = await retryOnFailure(() => getArchiveObject(sql, row.docId));
	// One that was brought back and decided again has an older object.
	if (object && object.decidedAt >= decidedAt) return { row, object };
	if (await retryOnFailure(() => isArchiveObjectRemoved(sql, row.docId)))
		throw new Problem("not-found", { detail: "The document's time in the archive is over, and it was removed." });
	throw notYet("The document is decided and not archived yet.", "decided");
}

function notYet(detail: string, state: keyof typeof RETRY_SECONDS): Problem {
	return new Problem("not-found", { detail, headers: { "retry-after": RETRY_SECONDS[state] } });
}
