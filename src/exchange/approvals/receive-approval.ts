/**
 * Receives a buyer's decision on one of our documents: completely or not at all, and once.
 *
 *     bytes ─▶ signature ─▶ signed content ─▶ our company, its accepted invoice ─▶ same buyer, day, total ─▶ decision + event, one transaction
 *
 * The first decision on an invoice stands. A repeat succeeds without effect, and a contradiction is refused. The database's unique key settles
 * concurrent ones. The decision is compared with the signed invoice itself, not with our record of it.
 *
 * Gap: a certificate names a person, and only the authority knows for whom that person may sign. So a decision is accepted if its signer has a
 * certificate of a trusted authority (`TRUSTED_CA_FILE`) and it matches a document whose exact values only its parties know.
 */

import { createHash } from "node:crypto";
import { findByRnc } from "../../companies";
import { findProfile } from "../../ecf/mapping";
import { enqueueEvent } from "../../events/webhooks";
import { type AcceptedEcf, findAcceptedEcf } from "../../invoicing/invoices";
import { Message, msg, Problem } from "../../platform/problem";
import { Decimal, newId } from "../../platform/values";
import { childElements, isXmlElement, OWN_LIMITS, readXmlBytes, textOf, type XmlElement } from "../../platform/xml";
import type { ApprovalContent } from "./approval";
import type { ApprovalDeps } from "./deps";
import { findByInvoice, insertApproval, keepDocument } from "./store";

/** Throws: validation-error, the protocol's only refusal. */
export async function receiveApproval(
	deps: ApprovalDeps,
	bytes: Uint8Array,
	checkSigner: (subject: string) => void,
): Promise<void> {
	const { sql, environment, clock } = deps;
	const examined = await deps.examineApproval(bytes, clock.now());
	if (examined.kind === "refused") throw refuse(examined.code, Message.of(examined.detail));
	checkSigner(examined.signerSubject);
	const { approval } = examined;
	const company = await findByRnc(sql, approval.issuerRnc, environment);
	const document = company && (await findAcceptedEcf(deps, company.tenantId, approval.encf));
	if (!company || !document || !matchesDocument(approval, document)) throw unknownDocument();
	if (company.status === "closed") {
		// A closed company takes nothing new. A buyer that lost an earlier answer still gets it.
		const earlier = await findByInvoice(sql, company.tenantId, document.docId);
		if (earlier?.decision === approval.decision) return;
		throw unknownDocument();
	}
	await store(deps, company.tenantId, document, { ...approval, signer: examined.signerSubject }, bytes);
	deps.wake();
}

async function store(
	{ sql, clock }: ApprovalDeps,
	tenantId: string,
	{ docId, trackId }: AcceptedEcf,
	approval: ApprovalContent & { readonly signer: string },
	bytes: Uint8Array,
): Promise<void> {
	const now = clock.now();
	const id = newId();
	const { issuerRnc, buyerRnc, encf, issueDate, decision, reason, decidedAt } = approval;
	await sql.begin(async (tx) => {
		const isFirst = await insertApproval(tx, {
			...{ id, tenantId, direction: "in", docId, receivedDocumentId: null, issuerRnc, buyerRnc, encf, issueDate },
			...{
				total: approval.total,
				decision,
				reason,
				purchaseOrder: null,
				signer: approval.signer,
				decidedAt,
				createdAt: now,
			},
		});
		if (!isFirst) {
			const earlier = await findByInvoice(tx, tenantId, docId);
			if (earlier?.decision === decision) return;
			throw refuse("decided", msg`Another decision on the document was received earlier and is final.`);
		}
		const sha256 = createHash("sha256").update(bytes).digest();
		await keepDocument(tx, { approvalId: id, tenantId, bytes, sha256, signedAt: decidedAt });
		await enqueueEvent(tx, {
			...{ event: "approval.received", tenantId, docId, trackId, occurredAt: now, encf },
			approval: { id, decision, reason },
		});
	});
}

function matchesDocument(approval: ApprovalContent, { type, bytes }: AcceptedEcf): boolean {
	const root = readXmlBytes(bytes, OWN_LIMITS);
	if (!isXmlElement(root)) throw new Error("one of our signed documents cannot be read");
	const at = (path: string) => textAt(root, path);
	const [day = "", month = "", year = ""] = at("Encabezado/Emisor/FechaEmision").split("-");
	return (
		findProfile(type)?.approvable === true &&
		at("Encabezado/Emisor/RNCEmisor") === approval.issuerRnc &&
		at("Encabezado/Comprador/RNCComprador") === approval.buyerRnc &&
		`${year}-${month}-${day}` === approval.issueDate &&
		Decimal.of(at("Encabezado/Totales/MontoTotal")).equals(Decimal.of(approval.total))
	);
}

/** The text at a path of names; empty if there is none. */
function textAt(root: XmlElement, path: string): string {
	let element: XmlElement | undefined = root;
	for (const name of path.split("/")) {
		element = element && childElements(element).find(({ localName }) => localName === name);
	}
	return element ? textOf(element) : "";
}

/** One answer for all cases, so that a counterparty cannot find out which documents exist. */
function unknownDocument(): Problem {
	return refuse("document", msg`No accepted document has this issuer, number, buyer, day and total.`);
}

function refuse(code: string, detail: Message): Problem {
	return new Problem("validation-error", { detail, faults: [{ pointer: "/xml", code, detail }] });
}
