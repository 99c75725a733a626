/**
 * Takes a buyer's word on a document of ours: whole or not at all, and once.
 *
 *   bytes ─▶ signature ─▶ what was signed ─▶ our company, its accepted invoice ─▶ same buyer, day, total ─▶ word + event, one transaction
 *
 * The first word on an invoice stands. The same again is good and changes nothing, a contradiction is refused; two at the same time are settled by
 * the database's unique key. What is compared with is the signed invoice itself, not our record of it.
 *
 * Gap: a certificate names a person, and whom that person may sign for only the authority knows. So a word is believed when whoever signed it has a
 * certificate of a trusted authority (`TRUSTED_CA_FILE`) and it fits a document that only its parties know to the cent.
 */

import { createHash } from "node:crypto";
import { findByRnc } from "../../companies";
import { findProfile } from "../../ecf/mapping";
import { enqueueEvent } from "../../events/webhooks";
import { type AcceptedEcf, findAcceptedEcf } from "../../invoicing/invoices";
import { Problem } from "../../platform/problem";
import { Decimal, newId } from "../../platform/values";
import { childElements, isXmlElement, OWN_LIMITS, readXmlBytes, textOf, type XmlElement } from "../../platform/xml";
import type { ApprovalDeps } from "./deps";
import type { ReadApproval } from "./examine";
import { findByInvoice, insertApproval, keepDocument } from "./store";

/** Throws: validation-error, the only refusal that the protocol has. */
export async function receiveApproval(
	deps: ApprovalDeps,
	bytes: Uint8Array,
	checkSigner: (subject: string) => void,
): Promise<void> {
	const { sql, environment, clock } = deps;
	const examined = await deps.examineApproval(bytes, clock.now());
	if (examined.kind === "refused") throw refuse(examined.code, examined.detail);
	checkSigner(examined.signerSubject);
	const { word } = examined;
	const company = await findByRnc(sql, word.issuerRnc, environment);
	const document = company && (await findAcceptedEcf(sql, company.tenantId, word.encf));
	if (!company || !document || !isAbout(word, document)) throw unknownDocument();
	if (company.status === "closed") {
		// Nothing new comes to it. A buyer that has lost the answer to what was taken before hears it still.
		const earlier = await findByInvoice(sql, company.tenantId, document.docId);
		if (earlier?.decision === word.decision) return;
		throw unknownDocument();
	}
	await store(deps, company.tenantId, document, { ...word, signer: examined.signerSubject }, bytes);
	deps.wake();
}

async function store(
	{ sql, clock }: ApprovalDeps,
	tenantId: string,
	{ docId, trackId }: AcceptedEcf,
	word: ReadApproval & { readonly signer: string },
	bytes: Uint8Array,
): Promise<void> {
	const now = clock.now();
	const id = newId();
	const { issuerRnc, buyerRnc, encf, issueDate, decision, reason, decidedAt } = word;
	await sql.begin(async (tx) => {
		const isFirst = await insertApproval(tx, {
			...{ id, tenantId, direction: "in", docId, receivedDocumentId: null, issuerRnc, buyerRnc, encf, issueDate },
			...{ total: word.total, decision, reason, purchaseOrder: null, signer: word.signer, decidedAt, createdAt: now },
		});
		if (!isFirst) {
			const earlier = await findByInvoice(tx, tenantId, docId);
			if (earlier?.decision === decision) return;
			throw refuse("decided", "Another decision on the document was received before, and is final.");
		}
		const sha256 = createHash("sha256").update(bytes).digest();
		await keepDocument(tx, { approvalId: id, tenantId, bytes, sha256, signedAt: decidedAt });
		await enqueueEvent(tx, {
			...{ event: "approval.received", tenantId, docId, trackId, occurredAt: now, encf },
			approval: { id, decision, reason },
		});
	});
}

function isAbout(word: ReadApproval, { type, bytes }: AcceptedEcf): boolean {
	const root = readXmlBytes(bytes, OWN_LIMITS);
	if (!isXmlElement(root)) throw new Error("a signed document of ours cannot be read");
	const at = (path: string) => textAt(root, path);
	const [day = "", month = "", year = ""] = at("Encabezado/Emisor/FechaEmision").split("-");
	return (
		findProfile(type)?.approvable === true &&
		at("Encabezado/Emisor/RNCEmisor") === word.issuerRnc &&
		at("Encabezado/Comprador/RNCComprador") === word.buyerRnc &&
		`${year}-${month}-${day}` === word.issueDate &&
		Decimal.of(at("Encabezado/Totales/MontoTotal")).equals(Decimal.of(word.total))
	);
}

/** The text at a path of names, empty where there is none. */
function textAt(root: XmlElement, path: string): string {
	let element: XmlElement | undefined = root;
	for (const name of path.split("/")) {
		element = element && childElements(element).find(({ localName }) => localName === name);
	}
	return element ? textOf(element) : "";
}

/** One answer for all: a stranger does not learn which documents there are. */
function unknownDocument(): Problem {
	return refuse("document", "No accepted document has this issuer, number, buyer, day and total.");
}

function refuse(code: string, detail: string): Problem {
	return new Problem("validation-error", { detail, faults: [{ pointer: "/xml", code, detail }] });
}
