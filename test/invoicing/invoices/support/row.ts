/** A stored invoice as the database would give it. */
import type { InvoiceRow } from "../../../../src/invoicing/invoices/model/invoice-row";

export const RECEIVED_AT = new Date("2026-11-20T14:20:00.118Z");

export function makeRow(change: Partial<InvoiceRow> = {}): InvoiceRow {
	return {
		docId: "0192f110-7a00-7b11-9c22-334455667788",
		trackId: "0192f110-7a01-7c33-8d44-556677889900",
		tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
		type: "31",
		encf: "E310000000001",
		clientRequestId: null,
		request: "{}",
		acknowledgement: "{}",
		print: { securityCode: "a1B2c3", signedAt: RECEIVED_AT.toISOString(), qrUrl: "https://authority.example/" },
		warnings: [],
		registry: { issuer: "ACTIVO", buyer: null, runId: null },
		status: "pending",
		phase: "queued",
		authorityTrackId: null,
		authority: null,
		failure: null,
		contingencySince: null,
		attempts: 0,
		nextAttemptAt: null,
		version: 1,
		receivedAt: RECEIVED_AT,
		updatedAt: RECEIVED_AT,
		decidedAt: null,
		testSetId: null,
		...change,
	};
}
