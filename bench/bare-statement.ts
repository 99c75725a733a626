/**
 * The database's share of new invoices: the statement that stores them, and nothing else.
 *
 * A stored invoice of the service is stored again and again under new ids, numbers and idempotency keys, by as many sessions as the service
 * uses. Numbers come from the upper half, which no bench caller reaches. The bench process renders the texts as the service does; the
 * database's
 * part is the same.
 */

import { packDocuments } from "../src/ecf/signing";
import { storeParts, type ToStore } from "../src/invoicing/invoices/issue/issue-store";
import { readPapers } from "../src/invoicing/invoices/model/papers";
import { findWholeInvoice } from "../src/invoicing/invoices/model/store";
import { connect, findEmbeddedOwnerUrl } from "../src/platform/database";
import { newId } from "../src/platform/values";
import { openDatabase } from "./fill-invoices";
import type { Service } from "./service";

/** The service's concurrency. */
const SESSIONS = 2;
/** Invoices in one statement at full load, counted in the server's statement log. */
export const INVOICES_A_STATEMENT = 13;
const FIRST_NUMBER = 5_000_000_000;

export type BareStatement = {
	/** Stores for the given time. Throws for any result other than "stored". */
	readonly measure: (seconds: number) => Promise<{ readonly perSecond: number }>;
};

/** Copies the service's newest invoice. Throws if it has none. */
export async function openBareStatement(stack: AsyncDisposableStack, service: Service): Promise<BareStatement> {
	const template = await readNewest(openDatabase(stack, service));
	const url = findEmbeddedOwnerUrl(service.dataDir) ?? "";
	const sql = connect({ url, name: "sello bench", connectionsMax: SESSIONS, statementTimeoutMs: 0 });
	stack.defer(() => sql.end({ timeout: 1 }));
	let number = FIRST_NUMBER;
	const next = (): ToStore => {
		const row = { ...template, docId: newId(), encf: `E31${number++}`, receivedAt: new Date() };
		const place = { scopeId: row.tenantId, operation: "bench", key: newId() };
		return { row, key: { place, rawSha256: crypto.getRandomValues(new Uint8Array(32)) } };
	};
	return {
		async measure(seconds) {
			const startedAt = performance.now();
			const until = startedAt + seconds * 1_000;
			let stored = 0;
			const session = async () => {
				while (performance.now() < until) {
					const outcomes = await storeParts(sql, Array.from({ length: INVOICES_A_STATEMENT }, next));
					const other = outcomes.find((outcome) => outcome !== "stored");
					if (other) throw new Error(`the bare statement answered ${other}`);
					stored += outcomes.length;
				}
			};
			await Promise.all(Array.from({ length: SESSIONS }, session));
			return { perSecond: (stored * 1_000) / (performance.now() - startedAt) };
		},
	};
}

async function readNewest(sql: ReturnType<typeof openDatabase>): Promise<ToStore["row"]> {
	const [newest] = await sql<{ tenantId: string; docId: string; sha256: string; body: Uint8Array }[]>`
		select tenant_id as "tenantId", doc_id as "docId", encode(sha256, 'hex') as sha256, body
		from documents join papers using (tenant_id, doc_id) order by doc_id desc limit 1`;
	const row =
		newest && (await findWholeInvoice({ sql, readSealed: () => Promise.reject(new Error("expected papers")) }, newest));
	if (!row) throw new Error("the service has stored no invoice yet");
	return {
		docId: row.docId,
		tenantId: row.tenantId,
		type: row.type,
		encf: row.encf,
		clientRequestId: row.clientRequestId,
		request: row.request,
		acknowledgement: row.acknowledgement,
		print: row.print,
		warnings: row.warnings,
		registry: row.registry,
		receivedAt: row.receivedAt,
		// The sums of the benches' invoice.
		sums: { subtotal: "24750.00", tax: "4455.00" },
		...{ environment: "t", branch: null, modifies: null, hasSummary: false },
		facts: {
			...{ issueDate: row.print.signedAt.slice(0, 10), customerRnc: "990000002", customerName: "CLIENTE SRL" },
			...{ currency: "DOP", subtotal: "24750.00", tax: "4455.00", grandTotal: "29205.00", total: "29205.00" },
		},
		sha256: newest.sha256,
		packed: packDocuments(row.request, readPapers(newest.body)),
	};
}
