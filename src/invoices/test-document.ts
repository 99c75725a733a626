/**
 * What a certification test set does with its documents: they are checked as every invoice is, signed all together before any is sent,
 * stored one by one when their turn comes, and from then on go the road of every document.
 *
 * They belong to the authority's certification environment, whose numbers are not those of the environment in which the company issues: so
 * they hold no number of the company's, unless that is where it issues.
 */
import { toSegment } from "../authority";
import type { Issuer as KnownIssuer } from "../companies";
import type { Sql, Tx } from "../database";
import { append, hastenMessages } from "../outbox";
import { Problem } from "../problem";
import { draftEcf, type EcfDraft, type SignedDocuments } from "../signing";
import type { Environment } from "../values";
import { checkRequest } from "./check-request";
import { type CheckedInvoice, checkAgainstTenant, type TenantFacts } from "./check-tenant";
import type { InvoiceRequest } from "./invoice";
import type { NewInvoice, Status } from "./invoice-row";
import type { IssueDeps } from "./issue-request";
import { toRow } from "./new-row";

/** The outbox message that brings a test set on, and waits for its documents; its subject is the set. */
export const TEST_SET_KIND = "certification.advance";

/** Signed and whole; what is stored of a document, its set aside. Plain data but for the time of receipt, which it gets when it is sent. */
export type TestDocument = Omit<NewInvoice, "receivedAt" | "holdId" | "scenario">;

export type TestDraft = {
	readonly invoice: InvoiceRequest;
	readonly checked: CheckedInvoice;
	readonly draft: EcfDraft;
};

export type TestIssuer = KnownIssuer & { readonly environment: Environment; readonly now: Date };

/** The registry is not asked: whom the documents name is the service's choice, and its standing there the authority's business. */
const NO_REGISTRY: TenantFacts["registry"] = {
	lookup: () => undefined,
	isLoaded: () => false,
	runId: () => undefined,
};

/**
 * Checks a request and writes its document. What the authority is known to reject is a fault, because one rejection spoils the whole set; a
 * company's own strictness, which minds what the registry says too, does not count. Throws: as `checkRequest` and `checkAgainstTenant`; validation-error for what the authority would reject.
 */
export function draftTestDocument(
	request: unknown,
	issuer: TestIssuer,
	facts: Pick<TenantFacts, "original" | "pricesIncludeTax">,
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

/** The document as it is to be stored. */
export function toTestDocument(
	deps: Pick<IssueDeps, "authorityUrls">,
	issuer: TestIssuer,
	{ invoice, checked }: TestDraft,
	signed: SignedDocuments,
): TestDocument {
	const request = { tenantId: issuer.company.tenantId, text: JSON.stringify(invoice), invoice };
	const segment = toSegment("certification");
	const { receivedAt: _, ...document } = toRow(deps, request, checked, signed, { ...issuer, segment });
	return document;
}

/**
 * Stores a document of a test set with the message that sends it. Answers false, nothing being written, when its number belongs to a document
 * of the company. `holdsNumber`: from now on it belongs to this one.
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
	for (const { kind, text, sha256 } of document.documents) {
		await tx`
			insert into signed_documents (doc_id, kind, bytes, sha256)
			values (${docId}, ${kind}, ${Buffer.from(text)}, ${Buffer.from(sha256, "hex")})`;
	}
	await append(tx, { kind: "invoice.submit", tenantId, subject: docId });
	return true;
}

/** Where a document of a test set stands, and what the authority has said of it. */
export type TestDocumentState = {
	readonly docId: string;
	readonly status: Status;
	readonly authority: Readonly<Record<string, unknown>> | null;
	readonly failure: Readonly<Record<string, unknown>> | null;
};

export async function findTestDocuments(sql: Sql | Tx, docIds: readonly string[]): Promise<TestDocumentState[]> {
	const rows = await sql<(TestDocumentState & { trackId: string | null })[]>`
		select doc_id as "docId", status, authority, failure, authority_track_id as "trackId"
		from invoices where doc_id = any(${[...docIds]}::uuid[])`;
	return rows.map(({ trackId, ...row }) => ({
		...row,
		authority: row.authority ?? (trackId === null ? null : { trackId }),
	}));
}

/** The last of some numbers that the company has used; undefined when it has used none of them. */
export async function findLastUsed(
	sql: Sql | Tx,
	tenantId: string,
	encfs: readonly string[],
): Promise<string | undefined> {
	const [row] = await sql<{ encf: string }[]>`
		select encf from invoices where tenant_id = ${tenantId} and encf = any(${[...encfs]}::text[]) and not encf_released
		order by substr(encf, 4) desc limit 1`;
	return row?.encf;
}

/** The sets of documents that have ended go on now; their own polling is the safety net. Answers whether there are any. */
export async function wakeTestSets(tx: Tx, ended: readonly { readonly testSetId: string | null }[]): Promise<boolean> {
	const setIds = ended.flatMap(({ testSetId }) => (testSetId === null ? [] : [testSetId]));
	if (setIds.length > 0) await hastenMessages(tx, TEST_SET_KIND, setIds);
	return setIds.length > 0;
}
