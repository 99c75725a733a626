/**
 * Documents of certification test sets. They are checked like every invoice, signed together before any is sent, and stored one by one. From
 * then on they are submitted like every document.
 *
 * They belong to the authority's certification environment, which has its own numbers.
 */
import { toSegment } from "../../../authority/client";
import type { Issuer as KnownIssuer } from "../../../companies";
import { type InvoiceRequest, toFault } from "../../../ecf/mapping";
import { draftEcf, type EcfDraft, packDocuments, type SignedDocuments } from "../../../ecf/signing";
import type { Sql, Tx } from "../../../platform/database";
import { append, OUTBOX_KINDS } from "../../../platform/outbox";
import { Problem } from "../../../platform/problem";
import type { Environment } from "../../../platform/values";
import { checkRequest } from "../check/check-request";
import { type CheckedInvoice, checkAgainstTenant, type TenantFacts } from "../check/check-tenant";
import { toAmountColumns } from "../model/amounts";
import type { NewInvoice, Standing } from "../model/invoice-row";
import { writePapers } from "../model/papers";
import { findStandings } from "../model/store";
import { toUnpackedRow } from "./build-invoice-row";
import { toWarningsText } from "./issue-store";
import type { IssueDeps } from "./issuer";

/** A signed document before it is sent: plain data, without the time of receipt. */
export type TestDocument = Omit<NewInvoice, "receivedAt" | "holdId" | "scenario" | "packed"> & {
	readonly documents: readonly { readonly kind: "ecf" | "summary"; readonly text: string }[];
};

export type TestDraft = {
	readonly invoice: InvoiceRequest;
	readonly checked: CheckedInvoice;
	readonly draft: EcfDraft;
};

export type TestIssuer = KnownIssuer & { readonly environment: Environment; readonly now: Date };

/** The registry is not consulted, because the service itself chooses whom the documents name. */
const NO_REGISTRY: TenantFacts["registry"] = {
	lookup: () => undefined,
	isLoaded: () => false,
	runId: () => undefined,
	sourceSha256: () => undefined,
	status: () => noRegistry(),
	scoreName: () => noRegistry(),
};

function noRegistry(): never {
	throw new Error("a test document reads no registry");
}

/**
 * Checks a request and drafts its document. What the authority is known to reject is refused, because one rejection fails the whole set. The
 * company's strict mode does not apply. Throws: as `checkRequest` and `checkAgainstTenant`; validation-error for what the authority would reject.
 */
export function draftTestDocument(
	request: unknown,
	issuer: TestIssuer,
	facts: Pick<TenantFacts, "original">,
): TestDraft {
	const invoice = checkRequest(request, issuer.now);
	const { settings } = issuer.company;
	const company = { ...issuer.company, settings: { ...settings, strictValidation: false } };
	const checked = checkAgainstTenant(invoice, { ...issuer, ...facts, company, registry: NO_REGISTRY });
	const faults = checked.warnings.filter((warning) => warning.verdict === "rejected").map(toFault);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return { invoice, checked, draft: draftEcf(checked.input, checked.plan) };
}

export function toTestDocument(
	deps: Pick<IssueDeps, "authorityUrls">,
	issuer: TestIssuer,
	{ invoice, checked }: TestDraft,
	signed: SignedDocuments,
): TestDocument {
	const request = { tenantId: issuer.company.tenantId, text: JSON.stringify(invoice), invoice };
	const segment = toSegment("certification");
	const { receivedAt: _, ...document } = toUnpackedRow(deps, request, checked, signed, {
		...issuer,
		...{ segment, standing: "pending" },
	});
	const { ecf, summary } = signed;
	const documents = [
		{ kind: "ecf" as const, text: ecf },
		...(summary === undefined ? [] : [{ kind: "summary" as const, text: summary }]),
	];
	return { ...document, documents };
}

/** Stores a document of a test set with the message that submits it. Returns false, without a write, when another document has its number. */
export async function storeTestDocument(
	tx: Tx,
	document: TestDocument,
	set: { readonly testSetId: string; readonly receivedAt: Date },
): Promise<boolean> {
	const { docId, tenantId, encf, facts, environment } = document;
	const rows = await tx`
		insert into names (tenant_id, kind, name, doc_id) values (${tenantId}, ${environment}, ${encf}, ${docId})
		on conflict do nothing returning doc_id`;
	if (rows.length === 0) return false;
	const { subtotal, tax, shown } = toAmountColumns(document);
	await tx`
		insert into documents (
			tenant_id, doc_id, received_at, sha256, subtotal, tax, issue_date, type, environment, has_summary, encf, customer_rnc,
			customer_name, branch, modifies, test_set_id, shown, warnings
		) values (
			${tenantId}, ${docId}, ${set.receivedAt}, ${Buffer.from(document.sha256, "hex")}, ${subtotal}, ${tax}, ${facts.issueDate},
			${document.type}, ${environment}, ${document.hasSummary}, ${encf}, ${facts.customerRnc}, ${facts.customerName},
			${document.branch}, ${document.modifies}, ${set.testSetId}, ${shown && JSON.stringify(shown)}::text::json,
			${toWarningsText(document)}::text::json
		)`;
	const textOf = (kind: "ecf" | "summary") => document.documents.find((one) => one.kind === kind)?.text;
	const summary = textOf("summary");
	const packed = packDocuments(document.request, { ecf: textOf("ecf") ?? "", ...(summary ? { summary } : {}) });
	await tx`insert into papers (tenant_id, doc_id, body) values (${tenantId}, ${docId}, ${writePapers(packed, document)})`;
	await append(tx, { kind: OUTBOX_KINDS.submitInvoice, tenantId, subject: docId });
	return true;
}

export type TestDocumentState = Pick<Standing, "status" | "authority" | "failure"> & { readonly docId: string };

export async function findTestDocuments(
	sql: Sql | Tx,
	tenantId: string,
	docIds: readonly string[],
): Promise<TestDocumentState[]> {
	const standings = await findStandings(
		sql,
		docIds.map((docId) => ({ tenantId, docId })),
	);
	return standings.map(({ docId, status, authority, failure, authorityTrackId: trackId }) => ({
		...{ docId, status, failure },
		authority: authority ?? (trackId === null ? null : { trackId }),
	}));
}

/** The highest of these numbers that the company has used in the certification environment, if any. */
export async function findLastUsed(
	sql: Sql | Tx,
	tenantId: string,
	encfs: readonly string[],
): Promise<string | undefined> {
	const [row] = await sql<{ encf: string }[]>`
		select name as encf from names where tenant_id = ${tenantId} and kind = 'c' and name = any(${[...encfs]}::text[])
		order by substr(name, 4) desc limit 1`;
	return row?.encf;
}
