/** The tenant's operations on words: say one, list and read them, their signed documents, and send again what did not arrive. */
import { Type } from "@sinclair/typebox";
import { actorOf, recordAudit } from "../../identity/audit-log";
import type { FindInvoiceApproval } from "../../invoicing/invoices";
import { retryOnFailure, type Sql } from "../../platform/database";
import { answerOnce, idempotencyKeyParameter } from "../../platform/idempotency";
import {
	answerFile,
	type Call,
	cutPage,
	dayParameters,
	digestHeaders,
	headerParameter,
	idFrom,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	type Parameter,
	PRIVATE_NO_STORE,
	PUBLIC,
	pageParameters,
	pageSchema,
	pathParameter,
	queryParameter,
	readPageQuery,
	SIGNED_XML,
	tenantOf,
	UNCHANGING,
	XML_TYPE,
} from "../../platform/operation";
import { append, OUTBOX_KINDS, reviveMessages } from "../../platform/outbox";
import { msg, Problem } from "../../platform/problem";
import { ID_PATTERN } from "../../platform/values";
import {
	type ApprovalSummary,
	checkCounterpartyIsSigner,
	checkCounterpartyToken,
	type FindApprovals,
	RECEIVER_TAG,
	readXmlPart,
	xmlPartBody,
} from "../reception";
import { ApprovalRecord, ApprovalRequest, type ApprovalRow, type Receiver, toApprovalRecord } from "./approval";
import { postDecision } from "./decide";
import type { ApprovalDeps } from "./deps";
import { orderOperations } from "./orders";
import { receiveApproval } from "./receive-approval";
import {
	findApproval,
	findApprovals,
	findByInvoice,
	findByReceivedMany,
	findDocument,
	reopenDeliveries,
} from "./store";

const TAG = "Approvals";

const idParameter = (what: string, example: string): Parameter => pathParameter("id", `The ${what}'s id.`, example);
const approvalId = idParameter("approval", "0192f150-7a00-7b11-9c22-334455667788");

export function approvalOperations(deps: ApprovalDeps): Operation[] {
	return [
		receiveApprovalOperation(deps),
		...orderOperations(deps),
		{
			id: "decideApproval",
			sdk: "approvals.decide",
			method: "POST",
			path: "/v1/received-documents/{id}/approval",
			tag: TAG,
			summary: "Approve or reject a received document",
			description:
				"The decision is final. It is signed (ACECF) and sent to the issuer, at the address in the authority's directory, and to the " +
				"authority; read the result at `_links.self`. The same decision again returns the record; a different one is refused. Refused " +
				"with 409: approving a document that the authority has rejected, and any decision on a document whose `proof` is `contested` or " +
				"`superseded`.",
			credentials: NEEDS_BOTH,
			scope: "approvals:write",
			parameters: [idParameter("received document", "0192f140-7a00-7b11-9c22-334455667788"), idempotencyKeyParameter()],
			body: jsonBody(ApprovalRequest, { decision: "rejected", reason: "Cantidad no corresponde a la orden 5521" }),
			answers: {
				202: {
					description: "The decision is stored and will be sent.",
					schema: ApprovalRecord,
					headers: { Location: "The approval.", "Retry-After": "When to poll." },
				},
				200: { description: "The same decision was made before.", schema: ApprovalRecord },
			},
			problems: [
				...([
					"malformed-json",
					"validation-error",
					"not-found",
					"approval-not-required",
					"tenant-config-missing",
				] as const),
				...([
					"approval-already-decided",
					"duplicate-document",
					"idempotency-key-reused",
					"idempotency-in-progress",
				] as const),
			],
			handle: (call) => postDecision(deps, call),
		},
		{
			id: "listApprovals",
			sdk: "approvals.list",
			method: "GET",
			path: "/v1/approvals",
			tag: TAG,
			summary: "List approvals, newest first",
			description: "`out`: the company's own decisions as a buyer. `in`: its buyers' decisions on its invoices.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [
				queryParameter("direction", "`in` or `out`.", oneOf("in", "out")),
				queryParameter(
					"docId",
					"Approvals of one invoice or one received document.",
					Type.String({ pattern: ID_PATTERN, faultCode: "invalid-id", faultDetail: msg`Is not an id.` }),
				),
				queryParameter("decision", "`approved` or `rejected`.", oneOf("approved", "rejected")),
				queryParameter(
					"delivery",
					"`undelivered`: with a delivery that was refused, failed or is unconfirmed; `…/retry` sends it again.",
					oneOf("undelivered"),
				),
				...dayParameters("First day, YYYY-MM-DD (UTC-4).", "Last day, YYYY-MM-DD (UTC-4)."),
				...pageParameters(),
			],
			answers: {
				200: {
					description: "A page of approvals.",
					schema: pageSchema(ApprovalRecord),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listApprovals(deps, call),
		},
		{
			id: "getApproval",
			sdk: "approvals.get",
			method: "GET",
			path: "/v1/approvals/{id}",
			tag: TAG,
			summary: "Read an approval and its deliveries",
			description: "Your decision on a received document, and its delivery to the issuer and to the authority.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [approvalId],
			answers: { 200: { description: "The approval.", schema: ApprovalRecord } },
			problems: ["not-found"],
			handle: (call) => getApproval(deps, call),
		},
		{
			id: "getApprovalXml",
			sdk: "approvals.xml",
			method: "GET",
			path: "/v1/approvals/{id}/xml",
			tag: TAG,
			summary: "Read the signed approval",
			description:
				"The exact signed bytes (ACECF): the company's own, shortly after it has decided (404 with `Retry-After` until then), or the " +
				"buyer's as received.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [
				approvalId,
				headerParameter(
					"If-None-Match",
					"ETag of the bytes that you have. The answer is then 304 without a body, since they never change.",
				),
			],
			answers: {
				200: SIGNED_XML,
				304: { description: "Your copy is current." },
				404: {
					description: "Own approval that is not signed yet.",
					headers: { "Retry-After": "Whole seconds until the approval should be signed." },
				},
			},
			problems: ["not-found"],
			handle: (call) => getApprovalXml(deps, call),
		},
		{
			id: "retryApproval",
			sdk: "approvals.retry",
			method: "POST",
			path: "/v1/approvals/{id}/retry",
			tag: TAG,
			summary: "Resend an approval that did not arrive",
			description:
				"Deliveries that are refused, failed or unconfirmed become pending again, with the same signed bytes. Those that arrived stay " +
				"unchanged.",
			credentials: NEEDS_BOTH,
			scope: "approvals:write",
			parameters: [approvalId, idempotencyKeyParameter()],
			answers: {
				202: { description: "Pending again.", schema: ApprovalRecord },
				200: {
					description: "Nothing to resend. A repeat of an idempotency key gets the first answer.",
					schema: ApprovalRecord,
				},
			},
			problems: ["validation-error", "not-found", "idempotency-in-progress"],
			handle: (call) => retryApproval(deps, call),
		},
	];
}

/* The service that every electronic issuer offers to its buyers. Source: the authority's description, services of a receiver. */

/** An approval has less than 2 KiB, plus its signature. */
const BODY_BYTES_MAX = 64 * 1024;

const EXAMPLE =
	"<ACECF><DetalleAprobacionComercial><Version>1.0</Version><RNCEmisor>101010101</RNCEmisor><eNCF>E310000004321</eNCF>" +
	"<FechaEmision>19-11-2026</FechaEmision><MontoTotal>1180.00</MontoTotal><RNCComprador>131880681</RNCComprador><Estado>1</Estado>" +
	"<FechaHoraAprobacionComercial>20-11-2026 10:50:00</FechaHoraAprobacionComercial></DetalleAprobacionComercial>" +
	"<Signature>…</Signature></ACECF>";

export function receiveApprovalOperation(deps: ApprovalDeps): Operation {
	return {
		id: "receiveApproval",
		sdk: null,
		method: "POST",
		path: "/fe/aprobacioncomercial/api/ecf",
		tag: RECEIVER_TAG,
		summary: "Receive a buyer's commercial approval",
		description:
			"A signed ACECF about an accepted document of a company here. The answer is 200 if it is taken now or was before. It is 400 " +
			"otherwise, also for another decision on the same document. The path is not case-sensitive. Requires `Authorization: Bearer` " +
			"like the reception of documents.",
		...{ credentials: PUBLIC, limit: "peer" },
		body: { ...xmlPartBody("The signed ACECF.", EXAMPLE), limitBytes: BODY_BYTES_MAX },
		answers: { 200: { description: "Accepted; the body is empty.", mediaType: "text/plain", alsoMediaTypes: ["*/*"] } },
		problems: ["malformed-json", "validation-error", "unauthorised"],
		handle: (call) => take(deps, call),
	};
}

async function take(deps: ApprovalDeps, call: Call): Promise<Response> {
	const counterparty = await checkCounterpartyToken(deps, call);
	const bytes = await readXmlPart(call);
	await receiveApproval(deps, bytes, (subject) => checkCounterpartyIsSigner(counterparty, subject));
	return new Response("", { status: 200, headers: { "content-type": "text/plain; charset=utf-8" } });
}

const KINDS: Readonly<Record<Receiver, string>> = {
	issuer: OUTBOX_KINDS.sendApprovalToIssuer,
	authority: OUTBOX_KINDS.sendApprovalToAuthority,
};

export async function retryApproval({ sql, clock, wake }: ApprovalDeps, call: Call): Promise<Response> {
	const { id, tenantId } = await findOwnApproval(sql, call);
	const answer = await answerOnce(sql, call, async (tx) => {
		const receivers = await reopenDeliveries(tx, { tenantId, approvalId: id });
		for (const receiver of receivers) {
			const kind = KINDS[receiver];
			if ((await reviveMessages(tx, kind, tenantId, [id])).length === 0)
				await append(tx, { kind, tenantId, subject: id });
		}
		if (receivers.length > 0) {
			const doer = { actor: actorOf(call), at: clock.now() };
			const details = { receivers: receivers.join(" ") };
			await recordAudit(tx, { ...doer, action: "approval.retry", subject: id, tenantId, details });
		}
		const row = await findApproval(tx, tenantId, id);
		if (!row) throw new Error(`approval ${id} vanished`);
		return { status: receivers.length > 0 ? 202 : 200, body: toApprovalRecord(row), headers: PRIVATE_NO_STORE };
	});
	wake();
	return answer;
}

export async function getApproval({ sql }: Pick<ApprovalDeps, "sql">, call: Call): Promise<Response> {
	return json(200, toApprovalRecord(await findOwnApproval(sql, call)), PRIVATE_NO_STORE);
}

export async function listApprovals({ sql }: Pick<ApprovalDeps, "sql">, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { delivery, ...filter } = query;
	const asked = { ...filter, isUndelivered: delivery !== undefined };
	const rows = await retryOnFailure(() => findApprovals(sql, tenantOf(call), asked, limit));
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toApprovalRecord), ...place }, PRIVATE_NO_STORE);
}

export async function getApprovalXml({ sql }: Pick<ApprovalDeps, "sql">, call: Call): Promise<Response> {
	const row = await findOwnApproval(sql, call);
	const document = await retryOnFailure(() => findDocument(sql, { tenantId: tenantOf(call), approvalId: row.id }));
	if (!document) {
		throw new Problem("not-found", { detail: msg`The approval is not signed yet.`, headers: { "retry-after": "2" } });
	}
	const { bytes, sha256 } = document;
	const name = `${row.buyerRnc}${row.encf}.xml`;
	const headers = { ...digestHeaders(sha256), ...UNCHANGING };
	return answerFile(call, { name, mediaType: XML_TYPE, headers }, () => bytes);
}

/** Throws: not-found, equally for another tenant's id, an unknown one and an invalid one. */
export async function findOwnApproval(sql: Sql, call: Call): Promise<ApprovalRow> {
	const id = idFrom(call);
	const row = await retryOnFailure(() => findApproval(sql, tenantOf(call), id));
	if (!row) throw new Problem("not-found");
	return row;
}

export function createFindApproval(sql: Sql): FindInvoiceApproval {
	return async (tenantId, docId) => {
		const row = await findByInvoice(sql, tenantId, docId);
		if (!row) return undefined;
		const { id: approvalId, decision, reason, decidedAt, createdAt } = row;
		return { approvalId, decision, reason, decidedAt: decidedAt.toISOString(), receivedAt: createdAt.toISOString() };
	};
}

/** The company's own decisions on received documents. */
export function createFindApprovals(sql: Sql): FindApprovals {
	return async (tenantId, ids) => {
		const rows = await findByReceivedMany(sql, tenantId, ids);
		return new Map(
			rows.map((row): [string, ApprovalSummary] => {
				const { approvalId, decision, status } = toApprovalRecord(row);
				return [row.receivedDocumentId ?? "", { approvalId, decision, status }];
			}),
		);
	};
}
