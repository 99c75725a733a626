/**
 * Takes a document in, from a counterparty or by hand.
 *
 *   examine (a thread) ─▶ whose is it ─▶ whose is the number ─▶ sign the answer (a thread) ─▶ one transaction ─▶ answer
 *       motive 1, 2         motive 4       motive 3                                           document, answer, event, messages
 *
 * Model: nothing is believed before the signature is, and nothing is written but what was received. A sender that lost its answer sends the same
 * bytes again and gets the very answer that was stored; what else came under the number, and which of it binds, `number.ts` tells.
 *
 * Gap: the protocol says of a repeat only that there is a motive for duplicates; without a service to ask, a sender could never know that its
 * document arrived.
 * Gap: for a buyer that is nobody here there is no one to sign, so motive 4 goes unsigned, which the acknowledgement's schema allows.
 * Gap: motives 1 and 2 are signed for names that nobody has proven. They say no more than that bytes with these names were not taken in, to whoever sent
 * them; without a signature an honest sender, whose signature is broken, would take them for no answer and send for three days.
 * Gap: a company whose certificate has ended cannot acknowledge; a refusal goes unsigned then too, and a good document is asked for again later.
 */

import { createHash } from "node:crypto";
import { toSegment } from "../../authority/client";
import { type CompanyRow, findByRnc, findCompany, findSigningIdentity } from "../../companies";
import { enqueueEvent } from "../../events/webhooks";
import { retryOnFailure } from "../../platform/database";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { Problem } from "../../platform/problem";
import { newId, toAuthorityDateTime } from "../../platform/values";
import { type Counterparty, checkCounterpartyIsSigner } from "./counterparty-token";
import type { ReceptionDeps } from "./deps";
import type { Examined } from "./examine";
import { type NumberOutcome, resolveNumber } from "./number";
import type { DocumentNames, Motive, ReceivedDocument } from "./received-document";
import { findCopies, findReceivedDocument, findReceivedFile, insertReceived, lockNumber } from "./store";

/**
 * The answer to a counterparty: a signed acknowledgement, of receipt or of the reason against it.
 * Throws: validation-error for what cannot even be answered by name, unauthorised, service-unavailable.
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
	// Of a closed one nothing new is to be had, a signature neither.
	const company = found?.status === "closed" ? undefined : found;
	if (examined.kind === "refused") return refuse(deps, company, names, examined.motive);
	checkCounterpartyIsSigner(counterparty, examined.signer.subject);
	if (!company) return (found && (await findGivenAnswer(deps, found, names, bytes))) ?? refuse(deps, company, names, 4);
	const outcome = await checkNumber(deps, company, examined, bytes);
	if (outcome.kind !== "new") return answerEarlier(deps, company, names, outcome);
	const arecf = await acknowledge(deps, company, names, undefined);
	if (!arecf) throw askToRetry("The buyer has no certificate to acknowledge with.");
	const stored = await storeDocument(deps, company, examined, bytes, arecf);
	// Somebody else's was first.
	return stored.kind === "stored" ? arecf : answerEarlier(deps, company, names, stored);
}

/**
 * Takes in what a tenant has got in another way; nobody waits for an acknowledgement.
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
		const [code, what] = examined.motive === 2 ? ["signature-refused", "signature"] : ["format-refused", "form"];
		throw new Problem("validation-error", {
			faults: [{ pointer: "", code, detail: `The document's ${what} is not good: ${examined.detail}.` }],
		});
	}
	if (names.buyerRnc !== company.rnc) {
		throw new Problem("document-buyer-mismatch", { detail: `The document's buyer is ${names.buyerRnc}.` });
	}
	const stored = await storeDocument(deps, company, examined, bytes, undefined);
	if (stored.kind === "stored") return stored.document;
	if (stored.kind === "full") throw new Error("an import was counted as a stranger's document");
	const { id, sha256 } = stored.copy;
	throw new Problem("duplicate-document", { extensions: { id, sha256 } });
}

function unreadable(detail: string): Problem {
	return new Problem("validation-error", {
		faults: [{ pointer: "", code: "document-unreadable", detail: `The file is no signed e-CF: ${detail}.` }],
	});
}

/** The company that a number is of, in this environment. */
function findBuyer({ sql, environment }: ReceptionDeps, rnc: string): Promise<CompanyRow | undefined> {
	return retryOnFailure(async () => {
		const found = await findByRnc(sql, rnc, environment);
		return found && findCompany(sql, found.tenantId);
	});
}

/** What these bytes were answered when they came; undefined where they did not, or came by hand. */
async function findGivenAnswer(
	{ sql }: ReceptionDeps,
	{ tenantId }: CompanyRow,
	names: DocumentNames,
	bytes: Uint8Array,
): Promise<Uint8Array | undefined> {
	const sha256 = digestOf(bytes).toString("hex");
	return retryOnFailure(async () => {
		const same = (await findCopies(sql, tenantId, names)).find((copy) => copy.sha256 === sha256);
		return (same && (await findReceivedFile(sql, tenantId, same.id)))?.arecf ?? undefined;
	});
}

/** What the document would resolveNumber now; whoever stores it asks once more. */
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

/** The same bytes get the answer that they got. Those that were imported by hand have none yet, and they are here. */
async function answerEarlier(
	deps: ReceptionDeps,
	company: CompanyRow,
	names: DocumentNames,
	outcome: Exclude<NumberOutcome, { kind: "new" }>,
): Promise<Uint8Array> {
	if (outcome.kind === "full") {
		throw askToRetry(
			"Several documents came under the number, and the authority has not told yet which one is its issuer's.",
		);
	}
	if (outcome.kind === "duplicate") return refuse(deps, company, names, 3);
	const file = await retryOnFailure(() => findReceivedFile(deps.sql, company.tenantId, outcome.copy.id));
	return file?.arecf ?? (await acknowledge(deps, company, names, undefined)) ?? refuse(deps, company, names, 3);
}

function askToRetry(detail: string): Problem {
	return new Problem("service-unavailable", { detail, headers: { "retry-after": "3600" } });
}

/* HEAD acknowledge.ts: Answers for a buyer: acknowledgements with its signature, made in the signing threads, where keys are. */

/** An acknowledgement that the document was not received, unsigned where nobody here can sign it. */
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

/** Signed by the buyer; undefined where it has no certificate that is in force. */
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

/* HEAD arecf-xml.ts: The acknowledgement that a receiver answers with. Source: the authority's ARECF format, version 1.0. */

/** The unsigned document in canonical form; without a motive it says that the document was received. Everything in it is digits. */
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

/* HEAD store-document.ts: Stores a received document with everything that follows from it: its answer, its event, its messages. */

type Genuine = Extract<Examined, { kind: "genuine" }>;

export type Stored =
	| { readonly kind: "stored"; readonly document: ReceivedDocument }
	/** What the document met under its number; nothing is written then. */
	| Exclude<NumberOutcome, { readonly kind: "new" }>;

/** One transaction. Documents of one number come one after another. */
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
		// Last: other events of the tenant wait for the end of the transaction from here on.
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
