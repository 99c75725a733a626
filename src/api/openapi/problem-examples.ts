/** An example of each problem, for the OpenAPI document and the pages of problems. */
import {
	bilingual,
	catalogue,
	joinMessages,
	type Language,
	msg,
	Problem,
	type ProblemOptions,
	type ProblemSlug,
	toProblemDocument,
} from "../../platform/problem";

const REQUEST_ID = "0192f170-3c55-7e21-9b0a-6d4f8e2a7c31";
const DOC_ID = "0192f110-7a00-7b11-9c22-334455667788";
const TRACK_ID = "0192f110-7a01-7c33-8d44-556677889900";
const TENANT_ID = "0192f0a1-b2c3-7d4e-8f00-112233445566";
const TEST_SET_ID = "0192f100-7a00-7b11-9c22-334455667788";
const TEST_SETS = "/v1/check-set-tests";
const EXPORT_ID = "0192f180-7a00-7b11-9c22-334455667788";
const EXPORTS = "/v1/archive/exports";
const COMPANY = "/v1/company";
const INVOICES = "/v1/invoices";
const PREPARED = "/v1/prepared-invoices/0192f1d0-7a00-7b11-9c22-334455667788";
const DOCUMENT = "/v1/authority/document/131880681";

type Sample = Pick<ProblemOptions, "detail" | "faults" | "extensions"> & { readonly instance?: string };

const RNC = "990000001";
const RULE = bilingual(
	"The modified document was issued on 2026-11-20.",
	"El campo FechaNCFModificado del área InformacionReferencia no es válido: el comprobante modificado es del 2026-11-20.",
);

/** Examples that need more than the catalogue's text and a common path. */
const samples: Partial<Record<ProblemSlug, Sample>> = {
	"malformed-json": { detail: msg`The body is not a JSON document.`, instance: INVOICES },
	"validation-error": {
		instance: INVOICES,
		faults: [
			{
				pointer: "/lines/0/quantity",
				code: "decimal-must-be-string",
				detail: msg`Send "${10}" instead of ${10}.`,
				received: "number",
			},
			{ pointer: "/encf", code: "encf-type-mismatch", detail: msg`Characters 2-3 must equal type ${"31"}.` },
		],
	},
	"unsupported-ecf-type": { instance: INVOICES },
	"invalid-document-format": { instance: "/v1/authority/document/12345" },
	"unsupported-grant-type": { instance: "/v1/auth/token", extensions: { error: "unsupported_grant_type" } },
	"invalid-scope": { instance: "/v1/auth/token", extensions: { error: "invalid_scope" } },
	"insufficient-scope": {
		detail: msg`The operation needs the scope ${"invoices:write"}.`,
		extensions: { requiredScopes: ["invoices:write"] },
	},
	"document-not-found": { instance: DOCUMENT },
	"company-already-exists": {
		detail: msg`RNC ${RNC} is already registered in environment ${"sandbox"}.`,
		extensions: { tenantId: TENANT_ID },
		instance: COMPANY,
	},
	"headers-too-large": { detail: msg`The headers exceed ${16_384} bytes.`, extensions: { limitBytes: 16_384 } },
	"payload-too-large": { detail: msg`Body exceeds ${2_097_152} bytes.`, extensions: { limitBytes: 2_097_152 } },
	"mathematical-discrepancy": {
		detail: msg`The sum of line subtotals ${"4500.02"} differs from totals.subtotal ${"4500.00"} by ${"0.02"} (tolerance ${"0.01"}).`,
		faults: [
			{
				pointer: "/totals/subtotal",
				code: "line-sum",
				detail: msg`The lines do not add up to it.`,
				expected: "4500.02",
				received: "4500.00",
			},
		],
	},
	"known-rejection": {
		detail: RULE,
		faults: [
			{
				pointer: "/reference/issue_date",
				code: "reference-date",
				authorityCode: "634",
				detail: RULE,
				detailEs: RULE.es,
				expected: "2026-11-20",
			},
		],
	},
	"tenant-config-missing": {
		detail: msg`The company cannot issue yet.`,
		extensions: { missing: ["certificate"], fix: `${COMPANY}/${TENANT_ID}` },
	},
	"authority-rejected": {
		detail: msg`[${"614"}] ${"El eNCF modificado no ha sido emitido"}`,
		extensions: {
			authorityCode: "614",
			docId: DOC_ID,
			trackId: TRACK_ID,
			authority: {
				code: "614",
				messages: [{ code: "614", text: "El eNCF modificado no ha sido emitido" }],
				sequenceConsumed: true,
			},
			advice: [{ pointer: "/reference/encf", detail: "Expected: issued eNCF.", detailEs: "Se espera: eNCF emitido." }],
		},
	},
	"company-rnc-mismatch": {
		faults: [
			{ pointer: "/company/rnc", code: "company-rnc-mismatch", detail: msg`Is not the RNC of the token's tenant.` },
		],
	},
	"idempotency-key-reused": { extensions: { docId: DOC_ID } },
	"client-request-id-conflict": {
		detail: msg`client_request_id ${"POS7-2026-11-20-000123"} belongs to a document with different content.`,
		extensions: {
			docId: DOC_ID,
			firstSeenAt: "2026-11-20T14:20:00.118Z",
			differs: ["/totals/grand_total", "/lines/0/subtotal"],
		},
	},
	"encf-already-used": {
		faults: [
			{ pointer: "/encf", code: "encf-already-used", detail: msg`${"E310000000001"} belongs to another document.` },
		],
		extensions: { docId: DOC_ID },
	},
	"endpoint-retired": {
		detail: joinMessages([
			msg`The endpoint was retired at the end of ${"2027-03-31"}.`,
			msg`Use ${"/v1/authority/registry/changes"} instead.`,
		]),
		extensions: { sunsetAt: "2027-03-31", replacement: "/v1/authority/registry/changes" },
		instance: "/v1/authority/registry/runs",
	},
	"rnc-not-registered": { detail: msg`RNC ${RNC} is not in the taxpayer registry.`, instance: COMPANY },
	"rnc-inactive": {
		detail: msg`The registry lists RNC ${RNC} as ${"SUSPENDIDO"}.`,
		extensions: { registryStatus: "SUSPENDIDO" },
		instance: COMPANY,
	},
	"certificate-invalid": { instance: COMPANY },
	"webhook-url-not-allowed": { instance: COMPANY },
	"logo-invalid": { instance: COMPANY },
	"test-set-in-progress": { extensions: { id: TEST_SET_ID }, instance: TEST_SETS },
	"test-set-final": {
		detail: msg`The test set is ${"passed"}. Only a failed one can be run again.`,
		instance: `${TEST_SETS}/${TEST_SET_ID}/idCompany/${TENANT_ID}/retry`,
	},
	"prepared-invoice-decided": {
		detail: msg`It has been issued.`,
		extensions: { preparedStatus: "issued", docId: DOC_ID },
		instance: `${PREPARED}:approve`,
	},
	"prepared-invoice-changed": { instance: `${PREPARED}:approve` },
	"prepared-invoice-limit": {
		detail: msg`${200} prepared invoices of the company are waiting.`,
		extensions: { maximum: 200 },
		instance: "/v1/prepared-invoices",
	},
	"export-limit-reached": {
		detail: msg`${2} exports are being made.`,
		extensions: { counted: "making", limit: 2 },
		instance: EXPORTS,
	},
	"link-expired": { instance: `${EXPORTS}/${EXPORT_ID}/file` },
	"range-not-satisfiable": { instance: `${EXPORTS}/${EXPORT_ID}/file` },
	"export-too-large": {
		extensions: { documentsMax: 500_000, bytesMax: 21_474_836_480 },
		instance: EXPORTS,
	},
	"clock-skew": {
		detail: msg`This service's clock is ${7_200} s ahead of the authority's. Nothing was signed or stored.`,
		extensions: { stored: false, retryable: true },
		instance: INVOICES,
	},
	"durability-lost": {
		detail: msg`No standby confirms what the database stores. Nothing was signed or stored.`,
		extensions: { stored: false, retryable: true },
		instance: INVOICES,
	},
	"sequence-reconciling": {
		detail: msg`Another database server has taken over, and invoices that were acknowledged before are being found again.`,
		extensions: { stored: false, retryable: true },
		instance: INVOICES,
	},
	"registry-unavailable": { instance: DOCUMENT },
	"rate-limit-exceeded": {
		detail: msg`Demo key: ${msg`${20} ${msg`searches`} in ${60} seconds`} for each address.`,
		extensions: { limit: 20, windowSeconds: 60, retryAfter: 3, policy: "demo-search" },
		instance: "/v1/authority/document:search",
	},
	"polling-limit-exceeded": {
		detail: msg`The plan ${"free"} allows ${msg`${120} ${msg`questions for a status`} in ${3_600} seconds`}.`,
		extensions: { limit: 120, windowSeconds: 3_600, retryAfter: 1_411, policy: "poll" },
		instance: `${INVOICES}/${DOC_ID}/status`,
	},
	"authority-unavailable": {
		detail: msg`The authority did not answer within ${10} s. The document is stored and will be delivered. Do not resend it; poll its status.`,
		extensions: {
			stored: true,
			docId: DOC_ID,
			trackId: TRACK_ID,
			documentStatus: "pending",
			retryable: false,
			_links: { status: `${INVOICES}/${DOC_ID}/status` },
		},
	},
};

/** A problem document as a caller could receive it. */
export function exampleProblem(slug: ProblemSlug, baseUrl: string, language?: Language): Record<string, unknown> {
	const { instance = INVOICES, ...options } = samples[slug] ?? {};
	return toProblemDocument(new Problem(slug, options), { baseUrl, instance, requestId: REQUEST_ID, language });
}

/** All slugs in the catalogue's order, by status. */
export const PROBLEM_SLUGS = Object.keys(catalogue).filter(isProblemSlug);

export function isProblemSlug(text: string): text is ProblemSlug {
	return Object.hasOwn(catalogue, text);
}
