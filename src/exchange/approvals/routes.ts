/** The tenant's operations on words: say one, list and read them, their signed documents, and send again what did not arrive. */

import { Type } from "@sinclair/typebox";
import { idempotencyKeyParameter } from "../../platform/idempotency";
import {
	dayParameters,
	JSON_BYTES_MAX,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	type Parameter,
	pageParameters,
	pageSchema,
	queryParameter,
} from "../../platform/operation";
import { ID_PATTERN } from "../../platform/values";
import { ApprovalRecord, ApprovalRequest } from "./approval";
import { type DecisionDeps, postDecision } from "./post-decision";
import { getApproval, getApprovalXml, listApprovals } from "./read-approvals";
import { retryApproval } from "./retry-approval";
import { orderOperations } from "./routes-orders";
import { type PeerApprovalDeps, peerApprovalOperation } from "./routes-peer";

const TAG = "Approvals";

const idParameter = (what: string, example: string): Parameter => ({
	...{ name: "id", in: "path", required: true, description: `The ${what}'s id.`, schema: Type.String(), example },
});
const approvalId = idParameter("approval", "0192f150-7a00-7b11-9c22-334455667788");

export type ApprovalRouteDeps = DecisionDeps & PeerApprovalDeps;

export function approvalOperations(deps: ApprovalRouteDeps): Operation[] {
	return [
		peerApprovalOperation(deps),
		...orderOperations(deps),
		{
			id: "decideApproval",
			method: "POST",
			path: "/v1/received-documents/{id}/approval",
			tag: TAG,
			summary: "Approve or reject a received document",
			description:
				"The decision is final. It is signed (ACECF) and sent to the issuer, at the address of the authority's directory, and to the authority; " +
				"ask for what came of it at `_links.self`. The same decision again is answered with the record, another one is refused. Refused too (409): approving what the authority has rejected, and any decision on a document " +
				"that is `contested` or `superseded` under its number (`proof`).",
			credentials: NEEDS_BOTH,
			scope: "approvals:write",
			parameters: [idParameter("received document", "0192f140-7a00-7b11-9c22-334455667788"), idempotencyKeyParameter()],
			body: {
				...{ schema: ApprovalRequest, limitBytes: JSON_BYTES_MAX, required: true, mediaTypes: ["application/json"] },
				example: { decision: "rejected", reason: "Cantidad no corresponde a la orden 5521" },
			},
			answers: {
				202: {
					description: "Decided, and to be sent.",
					schema: ApprovalRecord,
					headers: { Location: "The approval.", "Retry-After": "When to ask." },
				},
				200: { description: "The same was decided before.", schema: ApprovalRecord },
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
					"Of one invoice or one received document.",
					Type.String({ pattern: ID_PATTERN, faultCode: "invalid-id", faultDetail: "Is not an id." }),
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
			method: "GET",
			path: "/v1/approvals/{id}",
			tag: TAG,
			summary: "Read an approval and where its deliveries stand",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [approvalId],
			answers: { 200: { description: "The approval.", schema: ApprovalRecord } },
			problems: ["not-found"],
			handle: (call) => getApproval(deps, call),
		},
		{
			id: "getApprovalXml",
			method: "GET",
			path: "/v1/approvals/{id}/xml",
			tag: TAG,
			summary: "Read the signed approval",
			description:
				"The very bytes that were signed (ACECF): the company's own, a moment after it has decided (404 with `Retry-After` until then), or the buyer's as they came.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [
				approvalId,
				{
					...{ name: "If-None-Match", in: "header", required: false, schema: Type.String() },
					description: "ETag of the bytes that you have: 304 without a body, since they never change.",
				},
			],
			answers: {
				200: {
					description: "The signed XML.",
					mediaType: "application/xml",
					headers: {
						ETag: "SHA-256 of the bytes.",
						"Repr-Digest": "RFC 9530.",
						"Content-Disposition": "A name for the file.",
					},
				},
				304: { description: "You have it." },
				404: {
					description: "Of an own approval: not signed yet.",
					headers: { "Retry-After": "Whole seconds, while it is not signed yet." },
				},
			},
			problems: ["not-found"],
			handle: (call) => getApprovalXml(deps, call),
		},
		{
			id: "retryApproval",
			method: "POST",
			path: "/v1/approvals/{id}/retry",
			tag: TAG,
			summary: "Send an approval again to whom it did not reach",
			description:
				"Deliveries that were refused, failed or are unconfirmed wait again, with the same signed bytes; those that arrived stay as they are.",
			credentials: NEEDS_BOTH,
			scope: "approvals:write",
			parameters: [approvalId, idempotencyKeyParameter()],
			answers: {
				202: { description: "It waits again.", schema: ApprovalRecord },
				200: {
					description: "There was nothing to send again. Or a repeat of an idempotency key: the first answer again.",
					schema: ApprovalRecord,
				},
			},
			problems: ["validation-error", "not-found", "idempotency-in-progress"],
			handle: (call) => retryApproval(deps, call),
		},
	];
}
