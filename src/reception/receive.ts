/**
 * Takes a document in, from a peer or by hand.
 *
 *   examine (a thread) ─▶ whose is it ─▶ seen before ─▶ sign the answer (a thread) ─▶ one transaction ─▶ answer
 *       motive 1, 2         motive 4       motive 3                                   document, answer, event, messages
 *
 * Model: nothing is believed before the signature is, and nothing is written but what was received. A sender that lost its answer sends the same
 * bytes again and gets the very answer that was stored; other bytes under the number are a duplicate, whoever sends them.
 *
 * Gap: the protocol says of a repeat only that there is a motive for duplicates; without a service to ask, a sender could never know that its
 * document arrived.
 * Gap: for a buyer that is nobody here there is no one to sign, so motive 4 goes unsigned, which the acknowledgement's schema allows.
 * Gap: a company whose certificate has ended cannot acknowledge; a refusal goes unsigned then too, and a good document is asked for again later.
 */
import { type CompanyRow, findByRnc, findCompany } from "../companies";
import { retryOnFailure } from "../database";
import { Problem } from "../problem";
import type { Environment } from "../values";
import { type AcknowledgeDeps, acknowledge, refuse } from "./acknowledge";
import type { DocumentNames } from "./arecf-xml";
import type { Examiner } from "./examiner";
import { checkPeerIsSigner, type Peer } from "./peer-token";
import type { ReceivedDocument } from "./received-document";
import { findReceivedByNumber, findReceivedFile } from "./store";
import { digestOf, type StoreDeps, storeDocument } from "./store-document";

export type ReceiveDeps = AcknowledgeDeps &
	StoreDeps & {
		readonly environment: Environment;
		readonly examiner: Pick<Examiner, "examine">;
	};

/**
 * The answer to a peer: a signed acknowledgement, of receipt or of the reason against it.
 * Throws: validation-error for what cannot even be answered by name, unauthorised, service-unavailable.
 */
export async function receiveFromPeer(
	deps: ReceiveDeps,
	bytes: Uint8Array,
	peer: Peer | undefined,
): Promise<Uint8Array> {
	const examined = await deps.examiner.examine(bytes, deps.clock.now());
	if (examined.kind === "unreadable") throw unreadable(examined.detail);
	const { names } = examined;
	const company = await findBuyer(deps, names.buyerRnc);
	if (examined.kind === "refused") return refuse(deps, company, names, examined.motive);
	checkPeerIsSigner(peer, examined.signer.subject);
	if (!company) return refuse(deps, company, names, 4);
	const known = await findKnown(deps, company, names);
	if (known) return answerRepeat(deps, company, known, bytes);
	const arecf = await acknowledge(deps, company, names, undefined);
	if (!arecf) {
		const detail = "The buyer has no certificate to acknowledge with.";
		throw new Problem("service-unavailable", { detail, headers: { "retry-after": "3600" } });
	}
	if (await storeDocument(deps, company, examined, bytes, arecf)) return arecf;
	// Somebody else's was first.
	const first = await findKnown(deps, company, names);
	if (!first) throw new Error(`document ${names.encf} of ${names.issuerRnc} is neither new nor known`);
	return answerRepeat(deps, company, first, bytes);
}

/**
 * Takes in what a tenant has got in another way; nobody waits for an acknowledgement.
 * Throws: validation-error, document-buyer-mismatch, duplicate-document, service-unavailable.
 */
export async function importDocument(
	deps: ReceiveDeps,
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
	if (stored) return stored;
	const known = await findKnown(deps, company, names);
	throw new Problem("duplicate-document", { extensions: known ? { id: known.id, sha256: known.sha256 } : {} });
}

function unreadable(detail: string): Problem {
	return new Problem("validation-error", {
		faults: [{ pointer: "", code: "document-unreadable", detail: `The file is no signed e-CF: ${detail}.` }],
	});
}

/** The company that a number is of, in this environment; of a closed one nothing is to be had. */
async function findBuyer({ sql, environment }: ReceiveDeps, rnc: string): Promise<CompanyRow | undefined> {
	const company = await retryOnFailure(async () => {
		const found = await findByRnc(sql, rnc, environment);
		return found && findCompany(sql, found.tenantId);
	});
	return company?.status === "closed" ? undefined : company;
}

function findKnown({ sql }: ReceiveDeps, { tenantId }: CompanyRow, { issuerRnc, encf }: DocumentNames) {
	return retryOnFailure(() => findReceivedByNumber(sql, tenantId, issuerRnc, encf));
}

/** The answer that the same bytes got. One that was imported by hand has none yet, and it is here. */
async function answerRepeat(
	deps: ReceiveDeps,
	company: CompanyRow,
	known: ReceivedDocument,
	bytes: Uint8Array,
): Promise<Uint8Array> {
	if (known.sha256 !== digestOf(bytes).toString("hex")) return refuse(deps, company, known, 3);
	const file = await retryOnFailure(() => findReceivedFile(deps.sql, company.tenantId, known.id));
	return file?.arecf ?? (await acknowledge(deps, company, known, undefined)) ?? refuse(deps, company, known, 3);
}
