/** The operations on a document's delivery to its buyer: read, read the acknowledgement, retry. */

import { retryOnFailure, type Sql, type Tx } from "../../../platform/database";
import { answerOnce, idempotencyKeyParameter } from "../../../platform/idempotency";
import {
	answerFile,
	type Call,
	digestHeaders,
	json,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_CACHE,
	PRIVATE_NO_STORE,
	SIGNED_XML,
	XML_TYPE,
} from "../../../platform/operation";
import { append, OUTBOX_KINDS, reviveMessages } from "../../../platform/outbox";
import { Problem } from "../../../platform/problem";
import { findAcknowledgement, findDelivery, reopenDelivery } from "../../buyer-delivery";
import { DeliveryRecord, toDeliveryRecord } from "../model/delivery-record";
import type { ShownInvoice } from "../model/store";
import { conditionalParameter, docIdParameter, findOwnInvoice, type InvoiceDeps, TAG } from "../view/own-invoice";

const WHICH =
	"Accepted documents of types 31, 33, 34 and 44 are delivered to buyers that the authority's directory lists as electronic receivers. " +
	"Other documents, and documents not yet accepted, get 404.";

export function getInvoiceDeliveryOperation(deps: Pick<InvoiceDeps, "sql" | "wake">): Operation {
	return {
		id: "getInvoiceDelivery",
		sdk: "invoices.getDelivery",
		method: "GET",
		path: "/v1/invoices/{docId}/delivery",
		tag: TAG,
		summary: "Read an invoice's delivery to its buyer",
		description: `${WHICH} \`pending\` is tried for 72 hours; \`not-listed\` is a buyer that wants paper or mail.`,
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [docIdParameter],
		answers: { 200: { description: "The delivery with its attempts.", schema: DeliveryRecord } },
		problems: ["not-found"],
		handle: async (call) => {
			const row = await findOwnInvoice(deps.sql, call, call.params.docId);
			return json(200, await retryOnFailure(() => readRecord(deps.sql, row)), PRIVATE_NO_STORE);
		},
	};
}

export function getInvoiceAcknowledgementOperation(deps: Pick<InvoiceDeps, "sql" | "wake">): Operation {
	return {
		id: "getInvoiceAcknowledgement",
		sdk: "invoices.acknowledgement",
		method: "GET",
		path: "/v1/invoices/{docId}/delivery/arecf",
		tag: TAG,
		summary: "Read the buyer's acknowledgement of receipt",
		description:
			"The exact bytes of the last ARECF that the buyer sent. Its signature was verified before it was stored.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [docIdParameter, conditionalParameter],
		answers: {
			200: SIGNED_XML,
			304: { description: "Not modified." },
		},
		problems: ["not-found"],
		handle: (call) => getAcknowledgement(deps, call),
	};
}

const LOCATION = { Location: "The delivery." };

export function retryInvoiceDeliveryOperation(deps: Pick<InvoiceDeps, "sql" | "wake">): Operation {
	return {
		id: "retryInvoiceDelivery",
		sdk: "invoices.retryDelivery",
		method: "POST",
		path: "/v1/invoices/{docId}/delivery/retry",
		tag: TAG,
		summary: "Deliver a document to its buyer again",
		description:
			"For `not-listed`, `refused` and `undelivered`: the directory is queried again and the same bytes are sent. Any other delivery " +
			"stays as it is.",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		parameters: [docIdParameter, idempotencyKeyParameter()],
		answers: {
			202: { description: "The delivery is pending again.", schema: DeliveryRecord, headers: LOCATION },
			200: {
				description:
					"There was nothing to retry: the current state. Or the first answer again if an idempotency key is repeated.",
				schema: DeliveryRecord,
				headers: LOCATION,
			},
		},
		problems: ["validation-error", "not-found", "idempotency-in-progress"],
		handle: (call) => retryDelivery(deps, call),
	};
}

async function getAcknowledgement({ sql }: Pick<InvoiceDeps, "sql" | "wake">, call: Call): Promise<Response> {
	const row = await findOwnInvoice(sql, call, call.params.docId);
	const found = await retryOnFailure(() => findAcknowledgement(sql, row.tenantId, row.docId));
	if (!found) throw new Problem("not-found");
	const { bytes, sha256 } = found;
	// A later attempt may bring another acknowledgement.
	const headers = { ...digestHeaders(sha256), ...PRIVATE_NO_CACHE };
	return answerFile(call, { name: `${row.encf}-arecf.xml`, mediaType: XML_TYPE, headers }, () => bytes);
}

async function retryDelivery({ sql, wake }: Pick<InvoiceDeps, "sql" | "wake">, call: Call): Promise<Response> {
	const row = await findOwnInvoice(sql, call, call.params.docId);
	const { tenantId, docId } = row;
	const answer = await answerOnce(sql, call, async (tx) => {
		const isReopened = await reopenDelivery(tx, tenantId, docId);
		if (isReopened && (await reviveMessages(tx, OUTBOX_KINDS.deliverToBuyer, tenantId, [docId])).length === 0)
			await append(tx, { kind: OUTBOX_KINDS.deliverToBuyer, tenantId, subject: docId });
		const headers = { location: `/v1/invoices/${docId}/delivery`, ...PRIVATE_NO_STORE };
		return { status: isReopened ? 202 : 200, body: await readRecord(tx, row), headers };
	});
	wake();
	return answer;
}

/** Throws: not-found. */
async function readRecord(sql: Sql | Tx, { tenantId, docId, encf }: ShownInvoice): Promise<DeliveryRecord> {
	const [found, acknowledgement] = await Promise.all([
		findDelivery(sql, tenantId, docId),
		findAcknowledgement(sql, tenantId, docId),
	]);
	if (!found) throw new Problem("not-found");
	return toDeliveryRecord(encf, found.delivery, found.attempts, acknowledgement);
}
