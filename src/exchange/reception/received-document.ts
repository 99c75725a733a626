/** A received document as it is stored, and its record. */

import { type Static, Type } from "@sinclair/typebox";
import type { Segment } from "../../authority/client";
import type { Tx } from "../../platform/database";

/** The three values that identify a document to its sender. */
export type DocumentNames = { readonly issuerRnc: string; readonly buyerRnc: string; readonly encf: string };

/** Why a document was not received: 1 specification, 2 signature, 3 duplicate, 4 another buyer. */
export type Motive = 1 | 2 | 3 | 4;

export const AUTHORITY_STATUSES = ["unknown", "accepted", "rejected", "not_found"] as const;
/** The authority's state of a received document; `unknown` until it has answered. */
export type AuthorityStatus = (typeof AUTHORITY_STATUSES)[number];

export const PROOFS = ["proven", "unproven", "contested", "superseded"] as const;
/**
 * Whether the number stands for this document. `proven`: the authority has accepted this very document. `contested`: unknown, and another
 * document under the number may be it. `superseded`: the authority has accepted another one.
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
	/** Without ITBIS and additional taxes. All amounts have two decimals. */
	readonly subtotal: string;
	readonly tax: string;
	readonly grandTotal: string;
	readonly orderNumber: string | null;
	/** The authority's environment in which the company was when the document arrived. */
	readonly segment: Segment;
	/** Hex. */
	readonly sha256: string;
	/** The serial number of the signer's certificate subject, or the whole subject. */
	readonly signer: string;
	/** The beginning of the signature. */
	readonly securityCode: string;
	/** `FechaHoraFirma` as written. */
	readonly signedAtText: string;
	readonly authorityStatus: AuthorityStatus;
	readonly proof: Proof;
	readonly source: "peer" | "import";
	readonly receivedAt: Date;
};

/** Called within the transaction that stores a document, so its writes share the document's fate. */
export type OnReceived = (tx: Tx, document: ReceivedDocument) => Promise<void>;

/** The tenant's commercial approval of a document, where there is one. */
export const ApprovalSummary = Type.Object({
	approvalId: Type.String(),
	decision: Type.String(),
	status: Type.String(),
});
export type ApprovalSummary = Static<typeof ApprovalSummary>;

/** Finds the approvals of a tenant's received documents, by the documents' ids. */
export type FindApprovals = (tenantId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, ApprovalSummary>>;

export const ReceivedRecord = Type.Object(
	{
		id: Type.String(),
		tenantId: Type.String(),
		issuer: Type.Object({ rnc: Type.String(), name: Type.String() }),
		type: Type.String(),
		encf: Type.String(),
		issueDate: Type.String({ format: "date" }),
		totals: Type.Object(
			{ subtotal: Type.String(), tax: Type.String(), grand_total: Type.String() },
			{ description: "`tax` is ITBIS and additional taxes, `subtotal` the rest of the total." },
		),
		signature: Type.Object({
			valid: Type.Boolean(),
			signer: Type.String({ description: "Serial number in the subject of the signer's certificate." }),
		}),
		authorityStatus: Type.Union(
			AUTHORITY_STATUSES.map((status) => Type.Literal(status)),
			{ description: "The authority's state of the document; `unknown` until it has answered." },
		),
		proof: Type.Union(
			PROOFS.map((proof) => Type.Literal(proof)),
			{
				description:
					"Whether this document is the one that the issuer's number stands for. A certificate names a person, so until the authority " +
					"has accepted a document, anyone with a certificate may have sent it. `proven`: the authority accepted this very document. " +
					"`unproven`: it has not, and no other document under the number can be it. `contested`: another document under the number may " +
					"be it too, or this one was rejected and another one may be it. `superseded`: the authority accepted another one under the " +
					"number.",
			},
		),
		acknowledgement: Type.Union([Type.Literal("received"), Type.Null()], {
			description: "The answer to its issuer; null for an imported document, whose issuer gets none.",
		}),
		approval: Type.Union([ApprovalSummary, Type.Null()]),
		receivedAt: Type.String({ format: "date-time" }),
		sha256: Type.String({ description: "SHA-256 of the received bytes, hex." }),
	},
	{ $id: "ReceivedDocument" },
);
export type ReceivedRecord = Static<typeof ReceivedRecord>;

export const RECORD_EXAMPLE: ReceivedRecord = {
	id: "0192f140-7a00-7b11-9c22-334455667788",
	tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
	issuer: { rnc: "101010101", name: "PROVEEDOR SRL" },
	type: "31",
	encf: "E310000004321",
	issueDate: "2026-11-19",
	totals: { subtotal: "1000.00", tax: "180.00", grand_total: "1180.00" },
	signature: { valid: true, signer: "IDCDO-00112345678" },
	authorityStatus: "accepted",
	proof: "proven",
	acknowledgement: "received",
	approval: null,
	receivedAt: "2026-11-19T20:00:00.000Z",
	sha256: "b33f3a0f8f0b5c0d0e6f4b3d2c1a09f8e7d6c5b4a39281706f5e4d3c2b1a0918",
};

export function toReceivedRecord(d: ReceivedDocument, approval: ApprovalSummary | undefined): ReceivedRecord {
	return {
		id: d.id,
		tenantId: d.tenantId,
		issuer: { rnc: d.issuerRnc, name: d.issuerName },
		type: d.type,
		encf: d.encf,
		issueDate: d.issueDate,
		totals: { subtotal: d.subtotal, tax: d.tax, grand_total: d.grandTotal },
		signature: { valid: true, signer: d.signer },
		authorityStatus: d.authorityStatus,
		proof: d.proof,
		acknowledgement: d.source === "import" ? null : "received",
		approval: approval ?? null,
		receivedAt: d.receivedAt.toISOString(),
		sha256: d.sha256,
	};
}
