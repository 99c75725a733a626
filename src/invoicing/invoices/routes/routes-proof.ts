/** The proof that a document is in the archive, and all evidence of it as one file. */

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
import { type Message, msg, Problem } from "../../../platform/problem";
import type { Log } from "../../../platform/telemetry";
import type { ShownInvoice } from "../model/store";
import { conditionalParameter, docIdParameter, findOwnInvoice, type InvoiceDeps, TAG } from "../view/own-invoice";

/** Packing holds a document in memory several times. */
const PACKED_AT_ONCE_MAX = 4;
const NOT_YET =
	"404 with `Retry-After` while the document has no final status or is not archived yet. If no checkpoint covers it, one is signed, at most 60 an " +
	"hour. Beyond that, and while the archive accepts none, 503 with `Retry-After`.";

/** Added to the problem of the same status. */
const LATER = {
	description: "The document exists and is not archived yet.",
	headers: { "Retry-After": "Seconds, while the document is being archived." },
};

export function getInvoiceProofOperation(
	deps: Pick<InvoiceDeps, "sql" | "archive" | "checkpoints" | "log">,
): Operation {
	return {
		id: "getInvoiceProof",
		sdk: "invoices.getProof",
		method: "GET",
		path: "/v1/invoices/{docId}/proof",
		tag: TAG,
		summary: "Prove that a document is in the archive",
		description: `The position in the archive's Merkle tree, the path from there to the root, and the signed checkpoint of the root. ${NOT_YET}`,
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
		sdk: "invoices.evidence",
		method: "GET",
		path: "/v1/invoices/{docId}/evidence",
		tag: TAG,
		summary: "Download a document's evidence",
		description:
			"A ZIP that can be verified without this service: the sealed object and its parts, the signer's certificate, the proof of its position in the archive with the " +
			`signed checkpoint, and the archive's receipt. The bytes stay the same unless retention is extended or the key changes. ${NOT_YET}`,
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
	const proof = await explainFailure(deps.log, call, async () => {
		const checkpoint = await deps.checkpoints.covering(object);
		return retryOnFailure(() => proveDocument(deps.sql, object, checkpoint));
	});
	return json(200, proof, PRIVATE_NO_STORE);
}

async function getEvidence(
	deps: Pick<InvoiceDeps, "sql" | "archive" | "checkpoints" | "log">,
	call: Call,
): Promise<Response> {
	const { row, object } = await findOwnArchived(deps.sql, call);
	const bytes = await explainFailure(deps.log, call, async () =>
		packEvidence(deps, object, await deps.checkpoints.covering(object)),
	);
	const etag = `"${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}"`;
	const head = {
		name: `${row.encf}-evidence.zip`,
		mediaType: "application/zip",
		headers: { etag, ...PRIVATE_NO_CACHE },
	};
	return answerFile(call, head, () => bytes);
}

/** Reports a failure of the archive to the caller, and logs the object or leaf. Throws: internal-error, service-unavailable. */
async function explainFailure<T>(log: Log, { requestId }: Call, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof EvidenceLostError || error instanceof ArchiveContradictionError)) throw error;
		log.error({ event: "archive.no_proof", err: error, requestId }, "the archive cannot give a proof");
		if (error instanceof EvidenceLostError && error.fault === "unreadable")
			throw new Problem("service-unavailable", {
				...{ detail: msg`The archive cannot be read at present.`, headers: { "retry-after": "30" }, cause: error },
			});
		const detail = msg`The archive does not hold what was written. No evidence is given. The failure was logged with \`requestId\`.`;
		throw new Problem("internal-error", { detail, cause: error });
	}
}

/** A decided document is archived within seconds. A pending one waits for the authority. */
const RETRY_SECONDS = { decided: "2", pending: "30" } as const;

/** The caller's document as archived at its latest decision. Throws: not-found, with `Retry-After` while it is not archived yet. */
export async function findOwnArchived(
	sql: Sql,
	call: Call,
): Promise<{ readonly row: ShownInvoice; readonly object: ArchivedObject }> {
	const row = await findOwnInvoice(sql, call, call.params.docId);
	const { decidedAt } = row;
	if (!decidedAt) throw notYet(msg`The document has no final status yet. It is archived when it has one.`, "pending");
	const object = await retryOnFailure(() => getArchiveObject(sql, row.tenantId, row.docId));
	// A document that was retried and decided again has an older object.
	if (object && object.decidedAt >= decidedAt) return { row, object };
	if (await retryOnFailure(() => isArchiveObjectRemoved(sql, row.tenantId, row.docId)))
		throw new Problem("not-found", {
			detail: msg`The document's retention is over, and it was removed from the archive.`,
		});
	throw notYet(msg`The document is decided but not archived yet.`, "decided");
}

function notYet(detail: Message, state: keyof typeof RETRY_SECONDS): Problem {
	return new Problem("not-found", { detail, headers: { "retry-after": RETRY_SECONDS[state] } });
}
