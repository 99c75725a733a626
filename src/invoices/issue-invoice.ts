/**
 * Issues an invoice: check → sign → store with its outbox message in one transaction → acknowledge.
 *
 * What makes a repeat harmless, in the order in which the rows are written: the idempotency key (24 hours), the
 * `client_request_id` (for ever), the e-NCF (until the authority gives it back). All three are unique keys of the database, so
 * a race between processes is settled there; what is read before signing only saves the work. The same order in every
 * transaction keeps two of them from waiting for each other in a circle.
 */
import type { AuthorityUrls } from "../authority";
import { consumerQrUrl, ecfQrUrl, type Segment, toSegment } from "../authority";
import { isConnectionFailure, isRolledBackRace, type Sql } from "../database";
import { findAnswer, type KeyPlace, listDifferences, nameOfPlace, type StoredAnswer } from "../idempotency";
import { Problem } from "../problem";
import type { Registry } from "../registry";
import { isVoided, type Numbering, toNumber } from "../sequences";
import { needsSequenceExpiry, type SignatureProfile, type SignedEcf, type Signer, toEcfType } from "../signing";
import { faultPoint } from "../telemetry";
import {
	type Clock,
	type Environment,
	isoToAuthorityDate,
	newId,
	parseTaxpayerDocument,
	toAuthorityDateTime,
	toLocalIsoDate,
} from "../values";
import { toAcknowledgement } from "./acknowledgement";
import { type CheckedInvoice, checkAgainstTenant } from "./check-tenant";
import { type Gathered, storeAll } from "./gathered";
import type { InvoiceRequest } from "./invoice";
import type { InvoiceRow, NewInvoice } from "./invoice-row";
import { AUTO, refuseAutoNumber, underNumber, withNumber, withStandIn } from "./number-document";
import { findByClientRequestId, findHolderOfEncf, findInvoiceById, isBreakerOpen } from "./store";

export type IssueDeps = {
	readonly sql: Sql;
	readonly signer: Signer;
	readonly registry: Pick<Registry, "lookup" | "isLoaded" | "runId">;
	readonly authorityUrls: AuthorityUrls;
	readonly environment: Environment;
	readonly clock: Clock;
	/** Tells dispatchers that a message waits. */
	readonly wake: () => void;
	readonly gathered: Gathered;
	readonly numbering: Numbering;
};

export type IssueRequest = {
	readonly tenantId: string;
	readonly place: KeyPlace;
	readonly rawSha256: Uint8Array;
	readonly payloadSha256: Uint8Array;
	/** JSON text as received. */
	readonly text: string;
	readonly invoice: InvoiceRequest;
};

/** A new document, or one that the request turned out to repeat. */
export type Issued =
	| { readonly kind: "new"; readonly docId: string; readonly acknowledgement: string }
	| { readonly kind: "repeat-of-key" }
	| { readonly kind: "repeat-of-client-request"; readonly docId: string; readonly acknowledgement: string };

/**
 * Throws: validation-error, mathematical-discrepancy, tenant-config-missing, company-rnc-mismatch, client-request-id-conflict, encf-already-used,
 * sequence-exhausted, authority-unavailable (nothing stored), service-unavailable (nothing stored).
 */
export async function issueInvoice(deps: IssueDeps, request: IssueRequest): Promise<Issued> {
	const { invoice, tenantId } = request;
	const now = deps.clock.now();
	const sought = { tenantId, encf: invoice.encf, clientRequestId: invoice.client_request_id ?? null };
	const [issuer, collides, sequenceExpiresOn] = await Promise.all([
		deps.gathered.findIssuer(tenantId),
		deps.gathered.collides(sought),
		findExpiry(deps, tenantId, invoice),
	]);
	if (!issuer) throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
	const { company, identity } = issuer;
	refuseAutoNumber(invoice, company);
	const { environment, registry } = deps;
	const facts = { company, identity, environment, registry, now, sequenceExpiresOn };
	const checked = checkAgainstTenant(withStandIn(invoice), facts);
	const segment = toSegment(company.authorityEnvironment);

	const earlier = collides ? await findEarlier(deps.sql, request) : undefined;
	if (earlier) return earlier;
	if (company.settings.outagePolicy === "reject" && (await isBreakerOpen(deps.sql, segment))) {
		const detail =
			"The authority is known to be down, and the company's outage policy is to refuse. Nothing was stored.";
		throw new Problem("authority-unavailable", {
			detail,
			extensions: { stored: false, retryable: true },
			headers: { "retry-after": "30" },
		});
	}

	const issuance = { request, segment, now, profile: company.settings.signatureProfile };
	if (invoice.encf !== AUTO) {
		const issued = await signAndStore(deps, { ...issuance, checked });
		if (issued === "number-lost") throw new Error("a document without a hold has lost its number");
		return issued;
	}
	const place = `${nameOfPlace(request.place)} ${Buffer.from(request.payloadSha256).toString("hex")}`;
	return withNumber(deps.numbering, { tenantId, type: invoice.type, place }, (held) =>
		signAndStore(deps, { ...issuance, checked: underNumber(checked, held), holdId: held.holdId }),
	);
}

/** The sequence's own expiry, for a number that the caller chose; `auto` brings its own along. */
async function findExpiry(
	deps: IssueDeps,
	tenantId: string,
	{ type, encf }: InvoiceRequest,
): Promise<string | undefined> {
	if (!needsSequenceExpiry(toEcfType(type))) return undefined;
	// Any expiry will do for the checks of a document whose number is not taken yet.
	if (encf === AUTO) return toLocalIsoDate(deps.clock.now());
	return deps.numbering.findExpiry({ tenantId, encf });
}

type Issuance = {
	readonly request: IssueRequest;
	readonly checked: CheckedInvoice;
	readonly segment: Segment;
	readonly now: Date;
	readonly profile: SignatureProfile;
	/** Of a number that we have given. */
	readonly holdId?: string;
};

async function signAndStore(deps: IssueDeps, issuance: Issuance): Promise<Issued | "number-lost"> {
	const { request, checked, segment, now, profile, holdId } = issuance;
	const signed = await deps.signer.signInvoice({
		tenantId: request.tenantId,
		input: checked.input,
		identity: checked.identity,
		profile,
	});
	const row = toRow(deps, request, checked, signed, segment, now);
	const stored = await store(deps, request, row, holdId);
	if (stored === "stored") {
		faultPoint("after-commit");
		deps.wake();
		return { kind: "new", docId: row.docId, acknowledgement: row.acknowledgement };
	}
	return stored;
}

/**
 * A document that this request repeats, or collides with, found before the work of signing. Throws: client-request-id-conflict,
 * encf-already-used; not when another process has stored this very request meanwhile, which is a repeat of its key.
 */
async function findEarlier(sql: Sql, request: IssueRequest): Promise<Exclude<Issued, { kind: "new" }> | undefined> {
	try {
		const earlier = await findSame(sql, request);
		if (!earlier) return undefined;
		return (await findAnswer(sql, request.place)) ? { kind: "repeat-of-key" } : earlier;
	} catch (error) {
		if (error instanceof Problem && (await findAnswer(sql, request.place))) return { kind: "repeat-of-key" };
		throw error;
	}
}

async function findSame(sql: Sql, request: IssueRequest): Promise<Exclude<Issued, { kind: "new" }> | undefined> {
	const { tenantId, invoice } = request;
	const repeated = await findRepeated(sql, request);
	if (repeated) return repeated;
	const holder = await findHolderOfEncf(sql, tenantId, invoice.encf);
	if (!holder) return refuseVoided(sql, request);
	// Stored between the two looks, the holder may be the document of this very client_request_id.
	const raced = await findRepeated(sql, request);
	if (raced) return raced;
	throw encfUsed(invoice.encf, holder);
}

async function refuseVoided(sql: Sql, { tenantId, invoice }: IssueRequest): Promise<undefined> {
	if (invoice.encf === AUTO) return;
	const number = toNumber(invoice.encf);
	if (!(await isVoided(sql, { tenantId, type: invoice.type }, { first: number, last: number }))) return;
	const fault = { pointer: "/encf", code: "encf-voided", detail: `${invoice.encf} has been voided.` };
	throw new Problem("encf-already-used", { detail: fault.detail, faults: [fault] });
}

async function findRepeated(sql: Sql, request: IssueRequest) {
	const { tenantId, invoice } = request;
	if (invoice.client_request_id === undefined) return undefined;
	const same = await findByClientRequestId(sql, tenantId, invoice.client_request_id);
	return same && compareWith(same, request);
}

function compareWith(earlier: InvoiceRow, request: IssueRequest): Exclude<Issued, { kind: "new" }> {
	if (Buffer.from(earlier.payloadSha256).equals(request.payloadSha256)) {
		return { kind: "repeat-of-client-request", docId: earlier.docId, acknowledgement: earlier.acknowledgement };
	}
	throw new Problem("client-request-id-conflict", {
		detail: `client_request_id ${request.invoice.client_request_id} belongs to a document with different content.`,
		extensions: {
			docId: earlier.docId,
			firstSeenAt: earlier.receivedAt.toISOString(),
			differs: listDifferences(JSON.parse(earlier.request), request.invoice),
		},
	});
}

function encfUsed(encf: string, docId: string): Problem {
	const fault = { pointer: "/encf", code: "encf-already-used", detail: `${encf} belongs to another document.` };
	return new Problem("encf-already-used", { detail: fault.detail, faults: [fault], extensions: { docId } });
}

function toRow(
	deps: IssueDeps,
	request: IssueRequest,
	checked: CheckedInvoice,
	signed: SignedEcf,
	segment: Segment,
	receivedAt: Date,
): NewInvoice {
	const { tenantId } = request;
	const invoice = { ...request.invoice, encf: checked.input.invoice.encf };
	const print = {
		securityCode: signed.securityCode,
		signedAt: signed.signedAt,
		qrUrl: toQrUrl(deps, segment, invoice, checked, signed),
	};
	const docId = newId();
	const trackId = newId();
	const { warnings } = checked;
	const acknowledgement = toAcknowledgement({ docId, trackId, encf: invoice.encf, receivedAt, print, warnings });
	return {
		docId,
		trackId,
		tenantId,
		type: invoice.type,
		encf: invoice.encf,
		clientRequestId: invoice.client_request_id ?? null,
		payloadSha256: request.payloadSha256,
		request: request.text,
		acknowledgement: JSON.stringify(acknowledgement),
		print,
		warnings,
		registry: checked.registry,
		receivedAt,
		documents: [
			{ kind: "ecf", bytes: signed.ecf, sha256: signed.ecfSha256 },
			...(signed.summary && signed.summarySha256
				? [{ kind: "summary" as const, bytes: signed.summary, sha256: signed.summarySha256 }]
				: []),
		],
	};
}

function toQrUrl(
	deps: IssueDeps,
	segment: Segment,
	invoice: InvoiceRequest,
	checked: CheckedInvoice,
	signed: SignedEcf,
): string {
	const signedAt = new Date(signed.signedAt);
	const buyer = invoice.customer?.rnc === undefined ? undefined : parseTaxpayerDocument(invoice.customer.rnc)?.digits;
	const document = {
		rnc: checked.input.issuer.rnc,
		...(buyer === undefined ? {} : { buyerRnc: buyer }),
		encf: invoice.encf,
		issueDate: isoToAuthorityDate(invoice.issue_date ?? toLocalIsoDate(signedAt)),
		total: checked.total,
		signedAt: toAuthorityDateTime(signedAt),
		securityCode: signed.securityCode,
	};
	const { authorityUrls } = deps;
	return signed.summary ? consumerQrUrl(authorityUrls, segment, document) : ecfQrUrl(authorityUrls, segment, document);
}

const STORE_ATTEMPTS = 3;

/** The one write: key, invoice, signed bytes and message, or nothing. */
async function store(
	deps: IssueDeps,
	request: IssueRequest,
	row: NewInvoice,
	holdId: string | undefined,
): Promise<Exclude<Issued, { kind: "new" }> | "stored" | "number-lost"> {
	const toStore = { place: request.place, stored: toAnswer(request, row), row, ...(holdId ? { holdId } : {}) };
	for (let attempt = 1; ; attempt++) {
		try {
			// Whatever failed may have been somebody else's: the second attempt shares its transaction with nobody.
			const [outcome] = attempt === 1 ? [await deps.gathered.store(toStore)] : await storeAll(deps.sql, [toStore]);
			if (outcome === "stored") return "stored";
			if (outcome === "repeat-of-key") return { kind: "repeat-of-key" };
			if (outcome === "number-lost") return outcome;
			const earlier = await findEarlier(deps.sql, request);
			if (earlier) return earlier;
			if (holdId !== undefined) return "number-lost";
			// Whoever held the number or the id is gone again.
			if (attempt >= STORE_ATTEMPTS) throw new Problem("service-unavailable", { headers: { "retry-after": "1" } });
		} catch (error) {
			if (error instanceof Problem) throw error;
			// The connection may have failed after the commit: if the document is there, it was this very transaction.
			if (isConnectionFailure(error) && (await isStored(deps.sql, row.docId))) return "stored";
			const isWorthRepeating = attempt === 1 || isConnectionFailure(error) || isRolledBackRace(error);
			if (attempt >= STORE_ATTEMPTS || !isWorthRepeating) throw error;
		}
	}
}

async function isStored(sql: Sql, docId: string): Promise<boolean> {
	return (await findInvoiceById(sql, docId)) !== undefined;
}

function toAnswer({ rawSha256, payloadSha256 }: IssueRequest, { docId, acknowledgement }: NewInvoice): StoredAnswer {
	return {
		rawSha256,
		payloadSha256,
		answer: acknowledgement,
		headers: { location: `/v1/invoices/${docId}` },
		docId,
	};
}
