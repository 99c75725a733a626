/** Shows what an older body is in the canonical form. */
import { Type } from "@sinclair/typebox";
import { type Call, json, NEEDS_BOTH, NOT_KEPT, type Operation, readJson, tenantOf } from "../../../platform/operation";
import { convertLegacy } from "../check/convert-legacy";
import { LegacyInvoice } from "../check/legacy-body";
import type { IssueDeps } from "../issue/issue-request";
import { findIssuer } from "../issue/issuer";
import { InvoiceRequest } from "../model/invoice";
import { TAG } from "../view/own-invoice";

const MIB = 1024 * 1024;

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
		method: "POST",
		path: "/v1/tools/convert-legacy",
		tag: TAG,
		summary: "Convert an older invoice body",
		description:
			"The older camelCase body in, the canonical body of `POST /v1/invoices` out. Nothing is stored, signed or sent. `company` is the bearer's own and " +
			"`tenantId` is left out; the amount of a line, which the older body has not, is `qty` × `unitPrice` rounded half up to two decimals. Whether number, " +
			"customer and totals hold is told by issuing, or before it by `POST /v1/invoices?dry_run=true`.",
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

/** Gap: the answer's shape. The invoice is a member, so that something may stand beside it one day. */
async function convert(deps: IssueDeps, call: Call): Promise<Response> {
	const legacy = await readJson<LegacyInvoice>(call);
	const { company } = await findIssuer(deps, tenantOf(call));
	return json(200, { invoice: convertLegacy(legacy, { rnc: company.rnc, name: company.name }) }, NOT_KEPT);
}
