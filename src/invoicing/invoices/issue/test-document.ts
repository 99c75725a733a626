/**
 * Documents of certification test sets. They are checked like every invoice, signed together before any is sent, and stored one by one. From
 * then on they are submitted like every document.
 *
 * They belong to the authority's certification environment, which has its own numbers. So they hold none of the company's numbers, unless the
 * company issues in that environment.
 */
import { SEGMENT_IN_QR_URL, toSegment } from "../../../authority/client";
import type { Issuer as KnownIssuer } from "../../../companies";
import type { InvoiceRequest } from "../../../ecf/mapping";
import { draftEcf, type EcfDraft, type SignedDocuments } from "../../../ecf/signing";
import type { Sql, Tx } from "../../../platform/database";
import { append, OUTBOX_KINDS } from "../../../platform/outbox";
import { Problem } from "../../../platform/problem";
import type { Environment } from "../../../platform/values";
import { checkRequest } from "../check/check-request";
import { type CheckedInvoice, checkAgainstTenant, type TenantFacts } from "../check/check-tenant";
import type { NewInvoice, Status } from "../model/invoice-row";
import { toRow } from "./build-invoice-row";
import type { IssueDeps } from "./issuer";

/** A signed document before it is sent: plain data, without the time of receipt. */
export type TestDocument = Omit<NewInvoice, "receivedAt" | "holdId" | "scenario">;

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
	const faults = checked.warnings
		.filter((warning) => warning.verdict === "rejected")
		.map((warning) => ({ ...warning }));
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
	const { receivedAt: _, ...document } = toRow(deps, request, checked, signed, {
		...issuer,
		...{ segment, standing: "pending" },
	});
	return document;
}

/**
 * Stores a document of a test set with the message that submits it. Returns false, without a write, when a document of the company has its
 * number. `holdsNumber`: the number is taken from the company's own.
 */
export async function storeTestDocument(
	tx: Tx,
	document: TestDocument,
	set: { readonly testSetId: string; readonly holdsNumber: boolean; readonly receivedAt: Date },
): Promise<boolean> {
	const { docId, tenantId, print } = document;
	const rows = await tx`
		insert into invoices (
			doc_id, track_id, tenant_id, type, encf, client_request_id, request, acknowledgement, print, warnings, registry,
			signed_at, received_at, encf_released, test_set_id
		) values (
			${docId}, ${document.trackId}, ${tenantId}, ${document.type}, ${document.encf}, null, ${document.request},
			${document.acknowledgement}, ${JSON.stringify(print)}::text::json, ${JSON.stringify(document.warnings)}::text::json,
			${JSON.stringify(document.registry)}::text::json, ${print.signedAt}, ${set.receivedAt}, ${!set.holdsNumber}, ${set.testSetId}
		) on conflict do nothing returning doc_id`;
	if (rows.length === 0) return false;
	const { facts } = document;
	await tx`
		insert into invoice_facts (
			doc_id, tenant_id, received_at, issue_date, encf, customer_rnc, customer_name, currency, subtotal, tax, grand_total, total
		) values (
			${docId}, ${tenantId}, ${set.receivedAt}, ${facts.issueDate}, ${document.encf}, ${facts.customerRnc}, ${facts.customerName},
			${facts.currency}, ${facts.subtotal}, ${facts.tax}, ${facts.grandTotal}, ${facts.total}
		)`;
	for (const { kind, text, sha256 } of document.documents) {
		await tx`
			insert into signed_documents (tenant_id, doc_id, kind, bytes, sha256)
			values (${tenantId}, ${docId}, ${kind}, ${Buffer.from(text)}, ${Buffer.from(sha256, "hex")})`;
	}
	await append(tx, { kind: OUTBOX_KINDS.submitInvoice, tenantId, subject: docId });
	return true;
}

export type TestDocumentState = {
	readonly docId: string;
	readonly status: Status;
	readonly authority: Readonly<Record<string, unknown>> | null;
	readonly failure: Readonly<Record<string, unknown>> | null;
};

export async function findTestDocuments(
	sql: Sql | Tx,
	tenantId: string,
	docIds: readonly string[],
): Promise<TestDocumentState[]> {
	const rows = await sql<(TestDocumentState & { trackId: string | null })[]>`
		select doc_id as "docId", status, authority, failure, authority_track_id as "trackId"
		from invoices where tenant_id = ${tenantId} and doc_id = any(${[...docIds]}::uuid[])`;
	return rows.map(({ trackId, ...row }) => ({
		...row,
		authority: row.authority ?? (trackId === null ? null : { trackId }),
	}));
}

/**
 * The highest of these numbers that the company has used in the certification environment, if any. `isThere`: the company issues there now, so
 * documents that hold a number count. Otherwise those count that it issued there before it moved on.
 */
export async function findLastUsed(
	sql: Sql | Tx,
	tenantId: string,
	encfs: readonly string[],
	isThere: boolean,
): Promise<string | undefined> {
	const which = isThere
		? sql`not encf_released`
		: sql`(encf_elsewhere or not encf_released) and substring(print ->> 'qrUrl' from ${SEGMENT_IN_QR_URL}::text) = ${toSegment("certification")}`;
	const [row] = await sql<{ encf: string }[]>`
		select encf from invoices where tenant_id = ${tenantId} and encf = any(${[...encfs]}::text[]) and ${which}
		order by substr(encf, 4) desc limit 1`;
	return row?.encf;
}
