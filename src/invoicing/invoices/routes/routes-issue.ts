/** The operations that issue one invoice and convert an older body. */

import { Type } from "@sinclair/typebox";
import { EXAMPLE_INVOICE, InvoiceRequest } from "../../../ecf/mapping";
import {
	type Call,
	json,
	NEEDS_BOTH,
	type Operation,
	type Parameter,
	PRIVATE_NO_STORE,
	readJson,
	tenantOf,
} from "../../../platform/operation";
import { msg } from "../../../platform/problem";
import { HANDLING_DESCRIPTION } from "../check/known-rejections";
import { convertLegacy, LegacyInvoice } from "../check/legacy";
import { SCENARIO_PARAMETER } from "../check/scenario";
import { DryRun, findIssuer, type IssueDeps, postInvoice } from "../issue";
import { Acknowledgement } from "../model/acknowledgement";
import { type InvoiceDeps, TAG } from "../view/own-invoice";
import { addReceipt, RECEIPT_PARAMETERS } from "../view/print-job";

const MIB = 1024 * 1024;

const POST_HEADERS: readonly Parameter[] = [
	{
		name: "Idempotency-Key",
		in: "header",
		required: true,
		description:
			"UUID v4. A repeat within 24 hours gets 200 with the same bytes. Optional and ignored with `dry_run=true`.",
		schema: Type.String({ format: "uuid" }),
		example: "5f0c2f9e-0d0f-4b43-9f0e-0a4b1a2c3d4e",
	},
	{
		name: "dry_run",
		in: "query",
		required: false,
		description:
			"`true`: check, map and sign the document, report what would happen, and store nothing. No number or key is used and nothing is " +
			"sent; `Idempotency-Key` is optional and ignored.",
		schema: Type.String({ pattern: "^(true|false)$", faultDetail: msg`Send true or false.` }),
	},
	{
		name: "Prefer",
		in: "header",
		required: false,
		description:
			`\`wait=1\` to \`wait=25\`: wait up to this many seconds for the authority's verdict. ${HANDLING_DESCRIPTION} ` +
			"Separate several preferences by commas.",
		schema: Type.String(),
		example: "wait=10",
	},
	...RECEIPT_PARAMETERS,
	SCENARIO_PARAMETER,
];

export function postInvoiceOperation(
	deps: IssueDeps,
	printing: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "authorityStatus" | "printer">,
): Operation {
	return {
		id: "postInvoice",
		sdk: "invoices.create",
		method: "POST",
		path: "/v1/invoices",
		tag: TAG,
		summary: "Issue an invoice",
		description:
			"Checks, signs and stores the document, then answers with everything that a receipt needs. The document is sent to the authority " +
			"afterwards. Get the verdict by webhook, or by polling `_links.status`.",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		limit: "issue",
		chargesLate: true,
		refuseAtOnce: deps.admission.refusal,
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
					"Preference-Applied":
						"`wait=N` if the service waited for the verdict; `handling=…` if the request had that preference.",
				},
			},
			200: {
				description:
					"The first answer again, byte for byte but for `print.escpos` if it is asked for. Or the report of a dry run.",
				schema: Type.Union([Acknowledgement, DryRun]),
				headers: {
					"Idempotency-Replayed": "true",
					"Retry-After": "When to poll, if the replayed acknowledgement is `pending`.",
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
			"known-rejection",
			"authority-rejected",
			"clock-skew",
			"durability-lost",
			"sequence-reconciling",
			"authority-unavailable",
		],
		handle: async (call) =>
			addReceipt<Acknowledgement | DryRun>(printing, call, await postInvoice(deps, call), (body) =>
				"docId" in body ? [body] : [],
			),
	};
}

const EXAMPLE: LegacyInvoice = {
	tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
	ecfType: "31",
	encf: "E310000000001",
	issueDate: "2026-11-20",
	buyer: { rnc: "990000002", name: "CLIENTE SRL" },
	lines: [{ description: "Cemento gris 42.5kg", qty: 10, unitPrice: 450, taxRate: 18 }],
	subtotal: 4500,
	tax: 810,
	grandTotal: 5310,
};

export function convertLegacyOperation(deps: IssueDeps): Operation {
	return {
		id: "convertLegacyInvoice",
		sdk: "invoices.convertLegacy",
		method: "POST",
		path: "/v1/tools/convert-legacy",
		tag: TAG,
		summary: "Convert an older invoice body",
		description:
			"Converts the older camelCase body to the body of `POST /v1/invoices`. Nothing is stored, signed or sent. `company` is the " +
			"token's and `tenantId` is dropped. The older body has no line amounts, so each is `qty` × `unitPrice`, rounded half up to two " +
			"decimals. Number, customer and totals are checked when you issue, or before with `POST /v1/invoices?dry_run=true`.",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		body: {
			schema: LegacyInvoice,
			limitBytes: 2 * MIB,
			required: true,
			mediaTypes: ["application/json"],
			example: EXAMPLE,
		},
		answers: {
			200: {
				description: "The same invoice in the canonical form.",
				schema: Type.Object({ invoice: InvoiceRequest }),
				example: { invoice: convertLegacy(EXAMPLE, { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" }) },
			},
		},
		problems: ["malformed-json", "unsupported-ecf-type", "validation-error", "tenant-config-missing"],
		handle: (call) => convert(deps, call),
	};
}

/** Gap: the shape of the answer. The invoice is a member, so that others can be added. */
async function convert(deps: IssueDeps, call: Call): Promise<Response> {
	const legacy = await readJson<LegacyInvoice>(call);
	const { company } = await findIssuer(deps, tenantOf(call));
	return json(200, { invoice: convertLegacy(legacy, { rnc: company.rnc, name: company.name }) }, PRIVATE_NO_STORE);
}
