/** An invoice as it is stored. */

import { fileNameOf } from "../../../authority/client";
import type { Warning } from "../../../ecf/mapping";
import type { Sql, Tx } from "../../../platform/database";
import type { RegistryEntry } from "../../../registry";
import type { Scenario } from "../check/scenario";
import type { DeliveryState } from "./delivery-record";

/** Gap: `failed` is an addition; the specification has an event for an internal failure and no status for it. */
export type Status = "pending" | "accepted" | "rejected" | "failed";

/** The progress of a pending document; informative for callers, decisive for the next step. */
export type Phase = "queued" | "held" | "sending" | "unconfirmed" | "tracking" | "decided";

/** The history entry of a document that waits for its company's certificate. */
export const AWAITING_CERTIFICATE = "awaiting-certificate";

/** The parties' status in the registry, stored with the document. */
export type RegistryView = {
	readonly issuer: string | null;
	readonly buyer: string | null;
	readonly runId: string | null;
	/** For the archive; absent in documents of earlier versions and where the registry was not loaded. */
	readonly evidence?: RegistryEvidence;
};

/** What the registry held about the parties when the document was issued, as it is archived. */
export type RegistryEvidence = {
	readonly run_id: string;
	/** Of the authority's file, hex. */
	readonly source_sha256: string | null;
	readonly issuer: RegistryEntry | "not_found";
	/** Absent where the document names no buyer by number. */
	readonly buyer?: RegistryEntry | "not_found";
};

/** What a receipt needs, known at the acknowledgement. */
export type Print = {
	/** First six characters of the signature's value. */
	readonly securityCode: string;
	/** ISO instant. The document states its wall time in UTC-4. */
	readonly signedAt: string;
	readonly qrUrl: string;
};

/** What report sums are made of, from the signed document, in pesos with two decimals. */
export type Sums = {
	/** MontoTotal without taxes. */
	readonly subtotal: string;
	/** TotalITBIS and MontoImpuestoAdicional. */
	readonly tax: string;
};

/** What lists show and find of an invoice. */
export type InvoiceFacts = {
	/** `YYYY-MM-DD`. */
	readonly issueDate: string;
	/** Digits. */
	readonly customerRnc: string | null;
	readonly customerName: string | null;
	/** Of the three amounts, which are as sent. */
	readonly currency: string;
	readonly subtotal: string;
	readonly tax: string;
	readonly grandTotal: string;
	/** MontoTotal, in pesos. */
	readonly total: string;
};

/** The members that are written once, when the invoice is issued. */
type Issued = {
	readonly docId: string;
	readonly trackId: string;
	readonly tenantId: string;
	readonly type: string;
	readonly encf: string;
	readonly clientRequestId: string | null;
	/** JSON text as received. */
	readonly request: string;
	/** JSON text of the acknowledgement, byte for byte as a replay returns it. */
	readonly acknowledgement: string;
	readonly print: Print;
	readonly warnings: readonly Warning[];
	readonly registry: RegistryView;
	readonly receivedAt: Date;
	/** The certification test set of the document; null for ordinary documents. */
	readonly testSetId: string | null;
};

export type NewInvoice = Omit<Issued, "trackId" | "testSetId"> & {
	/** The authority's environment, for which it is signed: the first letter of its name. */
	readonly environment: "t" | "c" | "p";
	/** The hold of a number that the service gave. The document is stored only while the hold exists. */
	readonly holdId?: string;
	readonly scenario?: Scenario;
	readonly sums: Sums;
	readonly facts: InvoiceFacts;
	readonly branch: string | null;
	/** The number that a note modifies; null if that is another issuer's. */
	readonly modifies: string | null;
	/** Of the e-CF, hex. */
	readonly sha256: string;
	/** Whether a summary is sent in its place. */
	readonly hasSummary: boolean;
	/** The frame that `packDocuments` makes. */
	readonly packed: Uint8Array;
};

/** A row without its long texts. */
export type StatusRow = Omit<InvoiceRow, "request" | "acknowledgement" | "print" | "registry">;

/** What names a document in every table. */
export type DocKey = { readonly tenantId: string; readonly docId: string };

/** SQL of a table `w` of documents, each once, to join with: conditions on both columns would look up each id for each tenant. */
export function listKeys(sql: Sql | Tx, keys: readonly DocKey[]): ReturnType<Sql> {
	const distinct = [...new Map(keys.map((key) => [key.docId, key])).values()];
	const [tenantIds, docIds] = [distinct.map(({ tenantId }) => tenantId), distinct.map(({ docId }) => docId)];
	return sql`unnest(${tenantIds}::uuid[], ${docIds}::uuid[]) as w(tenant_id, doc_id)`;
}

/** What has become of a document. */
export type Standing = {
	readonly status: Status;
	readonly phase: Phase;
	readonly authorityTrackId: string | null;
	readonly authority: Readonly<Record<string, unknown>> | null;
	readonly failure: Readonly<Record<string, unknown>> | null;
	readonly contingencySince: Date | null;
	readonly attempts: number;
	readonly nextAttemptAt: Date | null;
	readonly version: number;
	readonly updatedAt: Date;
	readonly decidedAt: Date | null;
	/** Whether the document waits for its company's next certificate. */
	readonly awaitsCertificate?: boolean;
};

export type InvoiceRow = Issued &
	Standing & {
		/** The delivery to the buyer, if there is one and it was read with the document. */
		readonly delivery?: DeliveryState | null;
		/** The stored time of the next attempt is out of date; `putOffTo` is the real one, null while the attempt is due. */
		readonly isPutOff?: boolean;
		readonly putOffTo?: Date | null;
		/** The number was given back, and has been used or voided since. */
		readonly isNumberTaken?: boolean;
	};

const ISSUER = /<RNCEmisor>(\d{9}|\d{11})</;
/** The issuer is in the head, so the lines need not be read. */
const HEAD_BYTES = 4_096;

/** The authority's file name for a signed document. Source: the authority's description of its services, file names. */
export function xmlNameOf(signedXml: Uint8Array, encf: string): string {
	const [, rnc] = ISSUER.exec(Buffer.from(signedXml.subarray(0, HEAD_BYTES)).toString("latin1")) ?? [];
	if (rnc === undefined) throw new Error(`the signed document ${encf} names no issuer`);
	return fileNameOf(rnc, encf);
}
