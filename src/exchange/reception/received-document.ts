/** A document that a company has received, as it is stored. */
import type { Segment } from "../../authority/client";
import type { Tx } from "../../platform/database";

export const AUTHORITY_STATUSES = ["unknown", "accepted", "rejected", "not_found"] as const;
/** What the authority says of a received document; `unknown` until it has been asked. */
export type AuthorityStatus = (typeof AUTHORITY_STATUSES)[number];

export const PROOFS = ["proven", "unproven", "contested", "superseded"] as const;
/**
 * Whether the document is the one that its number is about. `proven`: the authority has accepted this very one. `contested`: it is not known, and
 * another one under the number can be it. `superseded`: the authority has accepted another one.
 */
export type Proof = (typeof PROOFS)[number];

export type ReceivedDocument = {
	readonly id: string;
	readonly tenantId: string;
	readonly issuerRnc: string;
	readonly issuerName: string;
	readonly buyerRnc: string;
	readonly type: string;
	readonly encf: string;
	/** `YYYY-MM-DD`. */
	readonly issueDate: string;
	/** Without ITBIS and additional taxes; two decimals, as the others. */
	readonly subtotal: string;
	readonly tax: string;
	readonly grandTotal: string;
	readonly orderNumber: string | null;
	/** Of the authority's environment that the company was in when the document came. */
	readonly segment: Segment;
	/** Hex. */
	readonly sha256: string;
	/** Who signed: the serial number of the certificate's subject, or the whole subject. */
	readonly signer: string;
	/** The beginning of the signature. */
	readonly securityCode: string;
	/** `FechaHoraFirma` as it is written. */
	readonly signedAtText: string;
	readonly authorityStatus: AuthorityStatus;
	readonly proof: Proof;
	readonly source: "peer" | "import";
	readonly receivedAt: Date;
};

/** Called within the transaction that stores a document: what it writes is there if and only if the document is. */
export type OnReceived = (tx: Tx, document: ReceivedDocument) => Promise<void>;
