/** The operation that drafts a further document from a stored one. */
import { findCompany } from "../../../companies";
import { EXAMPLE_INVOICE, type InvoiceRequest } from "../../../ecf/mapping";
import { retryOnFailure } from "../../../platform/database";
import {
	type Call,
	json,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	PRIVATE_NO_STORE,
	queryParameter,
	readQuery,
} from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { toLocalIsoDate } from "../../../platform/values";
import { findOriginal } from "../check/check-tenant";
import { toStatus } from "../model/status";
import { findReplacement } from "../view/attention-store";
import { DRAFT_KINDS, type DraftKind, draftedType, findDraftFault, InvoiceDraft, toDraft } from "../view/draft";
import { docIdParameter, findOwnInvoice, findOwnWhole, type InvoiceDeps, TAG } from "../view/own-invoice";
import { issueDateOf } from "../view/record";

const { client_request_id: _, ...COPIED } = EXAMPLE_INVOICE;

const EXAMPLE: InvoiceDraft = {
	as: "copy",
	docId: "0192f110-7a00-7b11-9c22-334455667788",
	encf: "E310000000001",
	request: { ...COPIED, encf: "auto", lines: [...COPIED.lines] },
	changes: [
		{
			...{ pointer: "/encf", before: "E310000000001", after: "auto" },
			...{
				detail: "The document gets a number of its own.",
				detailEs: "El comprobante recibe su propio número.",
			},
		},
	],
	open: [],
};

export function getInvoiceDraftOperation(deps: Pick<InvoiceDeps, "sql" | "readSealed" | "clock">): Operation {
	return {
		id: "getInvoiceDraft",
		sdk: "invoices.getDraft",
		method: "GET",
		path: "/v1/invoices/{docId}/draft",
		tag: TAG,
		summary: "Draft a further document from an invoice",
		description:
			"A body for `POST /v1/invoices`, made from the document's own request. `reissue` corrects what the authority rejected, as far as only one change is right; " +
			"`credit` and `debit` are notes on the document; `copy` is the same sale again. `changes` lists what differs, and `open` what a person decides. " +
			"Nothing is stored, and no number is used. Send the draft with `dry_run=true` to check it.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			docIdParameter,
			{
				...queryParameter(
					"as",
					"`reissue` for a rejected or failed document, `credit` and `debit` for one that is accepted or pending, `copy` for any.",
					oneOf(...DRAFT_KINDS),
				),
				required: true,
				example: "copy",
			},
		],
		answers: { 200: { description: "The draft.", schema: InvoiceDraft, example: EXAMPLE } },
		problems: ["validation-error", "not-found", "archive-unavailable"],
		handle: (call) => getDraft(deps, call),
	};
}

async function getDraft(deps: Pick<InvoiceDeps, "sql" | "readSealed" | "clock">, call: Call): Promise<Response> {
	const as = readQuery(call).as as DraftKind;
	const shown = await findOwnInvoice(deps.sql, call, call.params.docId);
	const row = await findOwnWhole(deps, call, shown.docId);
	const request = JSON.parse(row.request) as InvoiceRequest;
	const { tenantId, docId, encf } = row;
	const named = { ...request, encf: "auto", reference: { encf, issue_date: "", code: 3 } };
	const [company, original, replacement] = await Promise.all([
		retryOnFailure(() => findCompany(deps.sql, tenantId)),
		retryOnFailure(() => findOriginal(deps, tenantId, named)),
		retryOnFailure(() => findReplacement(deps.sql, row)),
	]);
	const source = {
		...{ docId, encf, type: draftedType(row.type), request, original },
		status: toStatus(shown),
		isNumbered: company?.settings.sequenceMode === "service",
		...{ issueDate: issueDateOf(request, row), today: toLocalIsoDate(deps.clock.now()) },
		replacedBy: replacement?.encf,
	};
	const fault = findDraftFault(source, as);
	if (fault) throw new Problem("validation-error", { faults: [{ pointer: "#/query/as", ...fault }] });
	return json(200, toDraft(source, as), PRIVATE_NO_STORE);
}
