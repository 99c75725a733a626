/** Issues one invoice. */
import { Type } from "@sinclair/typebox";
import { NEEDS_BOTH, type Operation, type Parameter } from "../../../platform/operation";
import { SCENARIO_PARAMETER } from "../check/scenario";
import { DryRun } from "../issue/dry-run";
import { type PostDeps, postInvoice } from "../issue/post-invoice";
import { Acknowledgement } from "../model/acknowledgement";
import { EXAMPLE_INVOICE, InvoiceRequest } from "../model/invoice";
import { TAG } from "../view/own-invoice";

const MIB = 1024 * 1024;

const POST_HEADERS: readonly Parameter[] = [
	{
		name: "Idempotency-Key",
		in: "header",
		required: true,
		description:
			"UUID v4. A repeat within 24 hours answers 200 with the same bytes. May be left out with `dry_run=true`, where it is not looked at.",
		schema: Type.String({ format: "uuid" }),
		example: "5f0c2f9e-0d0f-4b43-9f0e-0a4b1a2c3d4e",
	},
	{
		name: "dry_run",
		in: "query",
		required: false,
		description:
			"`true`: check, map and sign the document, tell what would happen, and keep nothing. Neither a number nor a key " +
			"is used and nothing is sent; an `Idempotency-Key` is not looked at and may be left out.",
		schema: Type.String({ pattern: "^(true|false)$", faultDetail: "Send true or false." }),
	},
	{
		name: "Prefer",
		in: "header",
		required: false,
		description: "`wait=1` to `wait=25`: wait so many seconds for the authority's verdict.",
		schema: Type.String(),
		example: "wait=10",
	},
	SCENARIO_PARAMETER,
];

export function postInvoiceOperation(deps: PostDeps): Operation {
	return {
		id: "postInvoice",
		method: "POST",
		path: "/v1/invoices",
		tag: TAG,
		summary: "Issue an invoice",
		description:
			"Checks, signs and stores the document, then answers with everything that a receipt needs. It is sent to the " +
			"authority afterwards; the verdict comes by polling `_links.status` or by webhook.",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		limit: "issue",
		chargesLate: true,
		refuseAtOnce: deps.intake.refusal,
		parameters: POST_HEADERS,
		body: {
			schema: InvoiceRequest,
			limitBytes: 2 * MIB,
			required: true,
			mediaTypes: ["application/json"],
			example: EXAMPLE_INVOICE,
		},
		answers: {
			202: {
				description: "Accepted, signed and queued.",
				schema: Acknowledgement,
				headers: {
					Location: "The document.",
					"Retry-After": "When to poll.",
					"Idempotency-Replayed": "false",
					"Preference-Applied": "`wait=N`, where the answer was waited for.",
				},
			},
			200: {
				description: "A repeat: the first answer again, byte for byte. Or the report of a dry run.",
				schema: Type.Union([Acknowledgement, DryRun]),
				headers: {
					"Idempotency-Replayed": "true",
					"Retry-After": "Of a repeat whose acknowledgement says `pending`: when to poll.",
					"X-Duplicate-Of": "The document, when the client_request_id was the same.",
				},
			},
		},
		problems: [
			"malformed-json",
			"unsupported-ecf-type",
			"validation-error",
			"mathematical-discrepancy",
			"tenant-config-missing",
			"company-rnc-mismatch",
			"idempotency-key-reused",
			"idempotency-in-progress",
			"client-request-id-conflict",
			"encf-already-used",
			"sequence-exhausted",
			"authority-rejected",
			"authority-unavailable",
		],
		handle: (call) => postInvoice(deps, call),
	};
}
