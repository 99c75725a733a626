/**
 * Receives a document, from a counterparty or by import.
 *
 *     examine (a thread) ─▶ find the buyer ─▶ check the number ─▶ sign the answer (a thread) ─▶ one transaction ─▶ answer
 *         motive 1, 2         motive 4          motive 3                                          document, answer, event, messages
 *
 * Model: nothing is trusted before the signature is verified, and only received documents are written. A sender that lost its answer sends the
 * same bytes again and gets the stored answer. `src/exchange/reception/number.ts` decides among documents under one number.
 *
 * Gap: the protocol has a motive for duplicates but does not define repeats. A repeat gets the first answer, because a sender has no other way
 * to learn that its document arrived.
 * Gap: no company here can sign for an unknown buyer, so motive 4 is unsigned, which the acknowledgement's schema allows.
 * Gap: motives 1 and 2 are signed for unproven names. They only state that bytes with these names were not taken. Unsigned, an honest sender
 * with a broken signature would consider them no answer and send for three days.
 * Gap: a company with an expired certificate cannot acknowledge. Its refusals are unsigned too, and genuine documents are asked to be sent
 * again later.
 */

import { createHash } from "node:crypto";
import { toSegment } from "../../authority/client";
import { type CompanyRow, findByRnc, findCompany, findSigningIdentity } from "../../companies";
import { enqueueEvent } from "../../events/webhooks";
import { retryOnFailure } from "../../platform/database";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { type Message, msg, Problem } from "../../platform/problem";
import { newId, toAuthorityDateTime } from "../../platform/values";
import { type Counterparty, checkCounterpartyIsSigner } from "./counterparty-token";
import type { ReceptionDeps } from "./deps";
import type { Examined } from "./examine";
import { type NumberOutcome, resolveNumber } from "./number";
import type { DocumentNames, Motive, ReceivedDocument } from "./received-document";
import { findCopies, findReceivedDocument, insertReceived, lockNumber, readReceivedFile } from "./store";

/**
 * The answer to a counterparty: a signed acknowledgement, of receipt or with the reason for refusal.
 * Throws: validation-error for a document without names to answer with, unauthorised, service-unavailable.
 */
export async function receiveFromCounterparty(
	deps: ReceptionDeps,
	bytes: Uint8Array,
	counterparty: Counterparty | undefined,
): Promise<Uint8Array> {
	const examined = await deps.examiner.examine(bytes, deps.clock.now());
	if (examined.kind === "unreadable") throw unreadable(examined.detail);
	const { names } = examined;
	const found = await findBuyer(deps, names.buyerRnc);
	// A closed company takes nothing new and signs nothing.
	const company = found?.status === "closed" ? undefined : found;
	if (examined.kind === "refused") return refuse(deps, company, names, examined.motive);
	checkCounterpartyIsSigner(counterparty, examined.signer.subject);
	if (!company) return (found && (await findGivenAnswer(deps, found, names, bytes))) ?? refuse(deps, company, names, 4);
	const outcome = await checkNumber(deps, company, examined, bytes);
	if (outcome.kind !== "new") return answerEarlier(deps, company, names, outcome);
	const arecf = await acknowledge(deps, company, names, undefined);
	if (!arecf) throw askToRetry(msg`The buyer has no certificate to acknowledge with.`);
	const stored = await storeDocument(deps, company, examined, bytes, arecf);
	// Another document was stored first.
	return stored.kind === "stored" ? arecf : answerEarlier(deps, company, names, stored);
}

/**
 * Imports a document that a tenant received in another way. Nothing is acknowledged.
 * Throws: validation-error, document-buyer-mismatch, duplicate-document, service-unavailable.
 */
export async function importDocument(
	deps: ReceptionDeps,
	tenantId: string,
	bytes: Uint8Array,
): Promise<ReceivedDocument> {
	const company = await findCompany(deps.sql, tenantId);
	if (!company) throw new Error(`tenant ${tenantId} has no company`);
	const examined = await deps.examiner.examine(bytes, deps.clock.now());
	if (examined.kind === "unreadable") throw unreadable(examined.detail);
	const { names } = examined;
	if (examined.kind === "refused") {
		const [code, what] =
			examined.motive === 2
				? (["signature-refused", msg`signature`] as const)
				: (["format-refused", msg`form`] as const);
		throw new Problem("validation-error", {
			faults: [{ pointer: "", code, detail: msg`The document's ${what} is not valid: ${examined.detail}.` }],
		});
	}
	if (names.buyerRnc !== company.rnc) {
		throw new Problem("document-buyer-mismatch", { detail: msg`The document's buyer is ${names.buyerRnc}.` });
	}
	const stored = await storeDocument(deps, company, examined, bytes, undefined);
	if (stored.kind === "stored") return stored.document;
	if (stored.kind === "full") throw new Error("an import was limited like a counterparty's document");
	const { id, sha256 } = stored.copy;
	throw new Problem("duplicate-document", { extensions: { id, sha256 } });
}

function unreadable(detail: Message): Problem {
	return new Problem("validation-error", {
		faults: [{ pointer: "", code: "document-unreadable", detail: msg`The file is not a signed e-CF: ${detail}.` }],
	});
}

function findBuyer({ sql, environment }: ReceptionDeps, rnc: string): Promise<CompanyRow | undefined> {
	return retryOnFailure(async () => {
		const found = await findByRnc(sql, rnc, environment);
		return found && findCompany(sql, found.tenantId);
	});
}

/** The stored answer to these bytes; undefined if they were not received, or were imported. */
async function findGivenAnswer(
	{ sql, readSealed }: ReceptionDeps,
	{ tenantId }: CompanyRow,
	names: DocumentNames,
	bytes: Uint8Array,
): Promise<Uint8Array | undefined> {
	const sha256 = digestOf(bytes).toString("hex");
	return retryOnFailure(async () => {
		const same = (await findCopies(sql, tenantId, names)).find((copy) => copy.sha256 === sha256);
		return (same && (await readReceivedFile({ sql, readSealed }, tenantId, same.id)))?.arecf ?? undefined;
	});
}

/** The outcome under the number now. Storing the document checks it again. */
async function checkNumber(
	{ sql, clock }: ReceptionDeps,
	{ tenantId, authorityEnvironment }: CompanyRow,
	{ names, signer }: Extract<Examined, { kind: "genuine" }>,
	bytes: Uint8Array,
): Promise<NumberOutcome> {
	const copies = await retryOnFailure(() => findCopies(sql, tenantId, names));
	const sha256 = digestOf(bytes).toString("hex");
	const arriving = { sha256, signer: signer.name, segment: toSegment(authorityEnvironment) };
	return resolveNumber(copies, arriving, { at: clock.now(), isBounded: true });
}

/** The same bytes get the stored answer. An imported document has none yet, but it is here. */
async function answerEarlier(
	deps: ReceptionDeps,
	company: CompanyRow,
	names: DocumentNames,
	outcome: Exclude<NumberOutcome, { kind: "new" }>,
): Promise<Uint8Array> {
	if (outcome.kind === "full") {
		throw askToRetry(
			msg`Several documents came under the number, and the authority has not yet confirmed which one is its issuer's.`,
		);
	}
	if (outcome.kind === "duplicate") return refuse(deps, company, names, 3);
	const file = await retryOnFailure(() => readReceivedFile(deps, company.tenantId, outcome.copy.id));
	return file.arecf ?? (await acknowledge(deps, company, names, undefined)) ?? refuse(deps, company, names, 3);
}

function askToRetry(detail: Message): Problem {
	return new Problem("service-unavailable", { detail, headers: { "retry-after": "3600" } });
}

/** An acknowledgement of refusal, unsigned if the buyer cannot sign it. */
export async function refuse(
	deps: ReceptionDeps,
	company: CompanyRow | undefined,
	names: DocumentNames,
	motive: Motive,
): Promise<Uint8Array> {
	const signed = company && (await acknowledge(deps, company, names, motive));
	if (signed) return signed;
	return new TextEncoder().encode(
		`<?xml version="1.0" encoding="UTF-8"?>${writeArecf(names, motive, deps.clock.now())}`,
	);
}

/** Signed by the buyer; undefined without a valid certificate. */
export async function acknowledge(
	{ sql, signer, clock }: ReceptionDeps,
	{ tenantId, settings }: CompanyRow,
	names: DocumentNames,
	motive: Motive | undefined,
): Promise<Uint8Array | undefined> {
	const at = clock.now();
	const identity = await retryOnFailure(() => findSigningIdentity(sql, tenantId, at));
	if (!identity) return undefined;
	const xml = writeArecf(names, motive, at);
	return signer.signDocument({
		tenantId,
		xml,
		identity,
		profile: settings.signatureProfile,
		signedAt: at.toISOString(),
	});
}

/**
 * The unsigned acknowledgement in canonical form; without a motive it confirms receipt. Its values contain only digits.
 * Source: the authority's ARECF format, version 1.0.
 */
export function writeArecf(names: DocumentNames, motive: Motive | undefined, at: Date): string {
	const { issuerRnc, buyerRnc, encf } = names;
	const state =
		motive === undefined
			? "<Estado>0</Estado>"
			: `<Estado>1</Estado><CodigoMotivoNoRecibido>${motive}</CodigoMotivoNoRecibido>`;
	return (
		`<ARECF><DetalleAcusedeRecibo><Version>1.0</Version><RNCEmisor>${issuerRnc}</RNCEmisor>` +
		`<RNCComprador>${buyerRnc}</RNCComprador><eNCF>${encf}</eNCF>${state}` +
		`<FechaHoraAcuseRecibo>${toAuthorityDateTime(at)}</FechaHoraAcuseRecibo></DetalleAcusedeRecibo></ARECF>`
	);
}

type Genuine = Extract<Examined, { kind: "genuine" }>;

export type Stored =
	| { readonly kind: "stored"; readonly document: ReceivedDocument }
	/** The outcome under the number; nothing was written. */
	| Exclude<NumberOutcome, { readonly kind: "new" }>;

/** Stores a received document with its answer, event and messages in one transaction. Documents of one number are serialised. */
export async function storeDocument(
	{ sql, clock, wake, onReceived }: ReceptionDeps,
	{ tenantId, authorityEnvironment }: CompanyRow,
	{ names, facts, signer }: Genuine,
	bytes: Uint8Array,
	arecf: Uint8Array | undefined,
): Promise<Stored> {
	const sha256 = digestOf(bytes).toString("hex");
	const arriving = { sha256, signer: signer.name, segment: toSegment(authorityEnvironment) };
	const id = newId();
	const receivedAt = clock.now();
	const source = arecf ? "peer" : "import";
	const stored = await sql.begin(async (tx): Promise<Stored> => {
		await lockNumber(tx, tenantId, names);
		const outcome = resolveNumber(await findCopies(tx, tenantId, names), arriving, {
			at: receivedAt,
			isBounded: source === "peer",
		});
		if (outcome.kind !== "new") return outcome;
		const row = {
			id,
			tenantId,
			...names,
			...facts,
			...arriving,
			authorityStatus: "unknown",
			source,
			receivedAt,
		} as const;
		await insertReceived(tx, row, bytes, arecf);
		const document = await findReceivedDocument(tx, tenantId, id);
		if (!document) throw new Error(`document ${id} was written and is not there`);
		await append(
			tx,
			{ kind: OUTBOX_KINDS.archiveReceived, tenantId, subject: id },
			{ kind: OUTBOX_KINDS.queryReceived, tenantId, subject: id },
		);
		await onReceived?.(tx, document);
		// Last, because from here on the tenant's other events wait for the end of the transaction.
		const { encf, proof } = document;
		await enqueueEvent(tx, {
			...{ event: "document.received", tenantId, docId: id, trackId: id, occurredAt: receivedAt, encf, proof },
		});
		return { kind: "stored", document };
	});
	if (stored.kind === "stored") wake();
	return stored;
}

/** SHA-256 of a document's bytes. */
export const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
