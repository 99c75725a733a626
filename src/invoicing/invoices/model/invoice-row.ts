/** Gap: `failed` is ours; the specification has an event for an internal failure and no status that follows it. */

import { fileNameOf } from "../../../authority/client";
import type { Warning } from "../../../ecf/mapping";
import type { Scenario } from "../check/scenario";
import type { DeliveryState } from "./delivery-record";

export type Status = "pending" | "accepted" | "rejected" | "failed";

/** Where a pending document is on its road; informative for callers, decisive for the next step. */
export type Phase = "queued" | "held" | "sending" | "unconfirmed" | "tracking" | "decided";

/** What the registry says of the parties; kept with the document. */
export type RegistryView = {
	readonly issuer: string | null;
	readonly buyer: string | null;
	readonly runId: string | null;
};

/** What a receipt needs, known at the acknowledgement. */
export type Print = {
	/** First six characters of the signature's value. */
	readonly securityCode: string;
	/** ISO instant; the document carries its UTC-4 wall time. */
	readonly signedAt: string;
	readonly qrUrl: string;
};

/** What sums are made of, as the signed document says it; amounts in pesos. */
export type Sums = {
	/** `YYYY-MM-DD`. */
	readonly issueDate: string;
	/** MontoTotal without taxes. */
	readonly subtotal: string;
	/** TotalITBIS and MontoImpuestoAdicional. */
	readonly tax: string;
	/** Digits. */
	readonly customerRnc: string | null;
	readonly branch: string | null;
};

/** What is written once, when the invoice is accepted. */
type Issued = {
	readonly docId: string;
	readonly trackId: string;
	readonly tenantId: string;
	readonly type: string;
	readonly encf: string;
	readonly clientRequestId: string | null;
	/** JSON text as received. */
	readonly request: string;
	/** JSON text of the acknowledgement, byte for byte what a replay answers. */
	readonly acknowledgement: string;
	readonly print: Print;
	readonly warnings: readonly Warning[];
	readonly registry: RegistryView;
	readonly receivedAt: Date;
	/** The certification test set that it belongs to; null of what a company issues itself. */
	readonly testSetId: string | null;
};

export type NewInvoice = Omit<Issued, "testSetId"> & {
	/** Of a number that we have given; the document is stored only while the hold is there. */
	readonly holdId?: string;
	readonly scenario?: Scenario;
	readonly sums: Sums;
	readonly documents: readonly {
		readonly kind: "ecf" | "summary";
		/** Its UTF-8 bytes are what is stored. */
		readonly text: string;
		/** Of those bytes, hex. */
		readonly sha256: string;
	}[];
};

/** An invoice as it is stored. */
export type InvoiceRow = Issued & {
	readonly signedAt: Date;
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
	/** Its way to the buyer, where it is read with the document; null or absent of one that has none. */
	readonly delivery?: DeliveryState | null;
	/** Whether it waits for its company's next certificate, where that is read with it. */
	readonly awaitsCertificate?: boolean;
	/** Its next attempt has passed without one, and when there is one then, null while it is due; where they are read with it. */
	readonly isPutOff?: boolean;
	readonly putOffTo?: Date | null;
	/** Its number was given back and is of no use any more, where that is read with it. */
	readonly isNumberTaken?: boolean;
};

const ISSUER = /<RNCEmisor>(\d{9}|\d{11})</;
/** The issuer stands in the head; of ten thousand lines nothing need be read. */
const HEAD_BYTES = 4_096;

/** The authority's name for the file of a document that we have signed. Source: its description of its services, file names. */
export function xmlNameOf(signedXml: Uint8Array, encf: string): string {
	const [, rnc] = ISSUER.exec(Buffer.from(signedXml.subarray(0, HEAD_BYTES)).toString("latin1")) ?? [];
	if (rnc === undefined) throw new Error(`the signed document ${encf} names no issuer`);
	return fileNameOf(rnc, encf);
}
