/** Whether a request repeats an earlier one or collides with it. Checked before signing, and again when a unique key was taken meanwhile. */
import type { Sql, Tx } from "../../../platform/database";
import { findKey, hashPayload, type IdempotencyKey, listDifferences } from "../../../platform/idempotency";
import { msg, Problem } from "../../../platform/problem";
import { isVoided, toNumber } from "../../sequences";
import type { InvoiceRow } from "../model/invoice-row";
import { findByClientRequestId, findHolderOfEncf } from "../model/store";
import type { Sources } from "../model/stored-document";
import { AUTO } from "./document-number";
import type { ItemRequest } from "./issuer";

/** The document that was stored for the same `client_request_id` and content. */
export type RepeatOfClientRequest = {
	readonly kind: "repeat-of-client-request";
	readonly docId: string;
	readonly acknowledgement: string;
};
export type Repeat = { readonly kind: "repeat-of-key" } | RepeatOfClientRequest;

/**
 * The earlier request that this one repeats. If another process has stored this very request meanwhile, that is a repeat of its key.
 * Throws: client-request-id-conflict, encf-already-used.
 */
export async function findEarlier(
	sources: Sources,
	request: ItemRequest,
	place: IdempotencyKey,
): Promise<Repeat | undefined> {
	const { sql } = sources;
	try {
		const earlier = await findSame(sources, request);
		if (!earlier) return undefined;
		return (await findKey(sql, place)) ? { kind: "repeat-of-key" } : earlier;
	} catch (error) {
		if (error instanceof Problem && (await findKey(sql, place))) return { kind: "repeat-of-key" };
		throw error;
	}
}

/** The same without an idempotency key. Throws: client-request-id-conflict, encf-already-used. */
export async function findSame(sources: Sources, request: ItemRequest): Promise<RepeatOfClientRequest | undefined> {
	const { tenantId, invoice } = request;
	const { sql } = sources;
	const repeated = await findRepeated(sources, request);
	if (repeated) return repeated;
	const holder = await findHolderOfEncf(sql, tenantId, invoice.encf);
	if (!holder) return refuseVoided(sql, request);
	// Stored between the two queries, the holder may be the document of this very client_request_id.
	const raced = await findRepeated(sources, request);
	if (raced) return raced;
	throw encfUsed(invoice.encf, holder);
}

async function refuseVoided(sql: Sql | Tx, { tenantId, invoice }: ItemRequest): Promise<undefined> {
	if (invoice.encf === AUTO) return;
	const number = toNumber(invoice.encf);
	if (!(await isVoided(sql, { tenantId, type: invoice.type }, { first: number, last: number }))) return;
	const fault = { pointer: "/encf", code: "encf-voided", detail: msg`${invoice.encf} has been voided.` };
	throw new Problem("encf-already-used", { detail: fault.detail, faults: [fault] });
}

async function findRepeated(sources: Sources, request: ItemRequest) {
	const { tenantId, invoice } = request;
	if (invoice.client_request_id === undefined) return undefined;
	const same = await findByClientRequestId(sources, tenantId, invoice.client_request_id);
	return same && compareWith(same, request);
}

/** Compares a request with the document of its `client_request_id`. Throws: client-request-id-conflict when the content differs. */
export function compareWith(
	earlier: Pick<InvoiceRow, "docId" | "acknowledgement" | "request" | "receivedAt">,
	request: ItemRequest,
): RepeatOfClientRequest {
	const earlierRequest: unknown = JSON.parse(earlier.request);
	if (hashPayload(earlierRequest).equals(hashPayload(request.invoice))) {
		return { kind: "repeat-of-client-request", docId: earlier.docId, acknowledgement: earlier.acknowledgement };
	}
	throw new Problem("client-request-id-conflict", {
		detail: msg`client_request_id ${request.invoice.client_request_id ?? ""} belongs to a document with different content.`,
		extensions: {
			docId: earlier.docId,
			firstSeenAt: earlier.receivedAt.toISOString(),
			differs: listDifferences(earlierRequest, request.invoice),
		},
	});
}

export function encfUsed(encf: string, docId: string): Problem {
	const fault = { pointer: "/encf", code: "encf-already-used", detail: msg`${encf} belongs to another document.` };
	return new Problem("encf-already-used", { detail: fault.detail, faults: [fault], extensions: { docId } });
}
