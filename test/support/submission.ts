/** A database with a company, its documents' messages carried out one step at a time, by hand. */
import { giveMessages } from "../../scripts/random/decided-documents";
import { VERDICT_REACTIONS } from "../../src/app/worker/handlers";
import type { Authority, Signatory } from "../../src/authority/client";
import { createAuthorityStatus } from "../../src/authority/status";
import { packDocuments } from "../../src/ecf/signing";
import type { NewInvoice } from "../../src/invoicing/invoices";
import { createSubmit, findWholeInvoice, type InvoiceRow } from "../../src/invoicing/invoices";
import { storeParts } from "../../src/invoicing/invoices/issue";
import type { SubmitDeps } from "../../src/invoicing/invoices/submit";
import type { Sql, Tx } from "../../src/platform/database";
import type { Handler, Message } from "../../src/platform/outbox";
import { settleMessages } from "../../src/platform/outbox";
import { createLog, createMetrics } from "../../src/platform/telemetry";
import { newId, systemClock } from "../../src/platform/values";
import { withoutArchive } from "./documents";
import { holdMessages } from "./held-messages";

export const INTERNAL_SLA_SECONDS = 3_600;

/** A company with a certificate that no test signs with. */
export async function addCompany(sql: Sql): Promise<string> {
	const tenantId = newId();
	const rnc = String(100_000_000 + Math.floor(Math.random() * 899_999_999));
	await sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings, created_at)
		values (${tenantId}, 'staging', 'test', ${rnc}, 'FERRETERIA', 'free', '{}', ${sql.json({ signatureProfile: "xades-bes" })}, '2020-01-01')`;
	await sql`
		insert into signing_certificates (id, tenant_id, status, certificate_der, sealed_key, thumbprint, subject, issuer, serial_number,
			not_before, not_after, ephemeral)
		values (${newId()}, ${tenantId}, 'active', '', '', ${tenantId}, 'CN=A', 'CN=A', '01', now() - interval '1 day',
			now() + interval '1 year', true)`;
	return tenantId;
}

export const FACTS: NewInvoice["facts"] = {
	...{ issueDate: "2026-11-20", customerRnc: "990000002", customerName: "CLIENTE SRL", currency: "DOP" },
	...{ subtotal: "100.00", tax: "18.00", grandTotal: "118.00", total: "118.00" },
};

let numbers = 0;

/** What a test says of an invoice: members of its row, or its documents as text. */
export type InvoiceChange = Partial<Omit<NewInvoice, "packed">> & { readonly ecf?: string; readonly summary?: string };

/** Stores an invoice as issuing does, with a message of its own instead of an entry of the work log. */
export async function addInvoice(sql: Sql, tenantId: string, change: InvoiceChange = {}): Promise<NewInvoice> {
	const row = toInvoice(tenantId, change);
	await storeParts(sql, [{ row }]);
	await giveMessages(sql, [row.docId]);
	return row;
}

/** An invoice to store. */
export function toInvoice(tenantId: string, { ecf, summary, ...change }: InvoiceChange = {}): NewInvoice {
	const docId = change.docId ?? newId(change.receivedAt);
	const type = change.type ?? "31";
	const request = change.request ?? "{}";
	return {
		docId,
		tenantId,
		type,
		encf: `E${type}${String(++numbers).padStart(10, "0")}`,
		clientRequestId: null,
		request,
		acknowledgement: "{}",
		print: { securityCode: "a1B2c3", signedAt: new Date().toISOString(), qrUrl: "https://authority.example/" },
		warnings: [],
		registry: { issuer: "ACTIVO", buyer: null, runId: null },
		receivedAt: new Date(),
		environment: "t",
		sums: { subtotal: "100.00", tax: "18.00" },
		facts: FACTS,
		...{ branch: null, modifies: null, sha256: "ab".repeat(32), hasSummary: summary !== undefined },
		packed: packDocuments(request, {
			ecf: ecf ?? `<ECF>${docId}</ECF>`,
			...(summary === undefined ? {} : { summary }),
		}),
		...change,
	};
}

/** A document as it is read, by its id alone. */
export async function readInvoice(sql: Sql, docId: string): Promise<InvoiceRow> {
	const [owner] = await sql<{ tenantId: string }[]>`
		select tenant_id as "tenantId" from documents where doc_id = ${docId}`;
	const row = owner && (await findWholeInvoice(withoutArchive(sql), { tenantId: owner.tenantId, docId }));
	if (!row) throw new Error(`expected the document ${docId}`);
	return row;
}

/** Gives documents a verdict, without the events and reactions that go with it. */
export async function decide(
	sql: Sql,
	documents: readonly { readonly tenantId: string; readonly docId: string }[],
	status: "accepted" | "rejected" = "accepted",
	at = new Date(),
): Promise<void> {
	const [kind, code] = status === "accepted" ? ["a", "1"] : ["r", "2"];
	await sql`
		insert into verdicts (tenant_id, doc_id, decided_at, version, status, consumed, attempts, code)
		select d.tenant_id, d.doc_id, ${at}, 2, ${kind}, true, 1, ${code}
		from unnest(${documents.map(({ tenantId }) => tenantId)}::uuid[], ${documents.map(({ docId }) => docId)}::uuid[]) d(tenant_id, doc_id)`;
}

/** Gives an undecided document its row of open documents, with these columns as they are said. */
export async function keepOpen(
	sql: Sql | Tx,
	{ tenantId, docId }: { readonly tenantId: string; readonly docId: string },
	columns: Readonly<Record<string, string | number | boolean | Date | null>> = {},
): Promise<void> {
	const row = {
		...{
			tenant_id: tenantId,
			doc_id: docId,
			status: "p",
			phase: "queued",
			sendings: sql.json([]),
			attempts: 0,
			version: 2,
		},
		...{ updated_at: new Date(), ...columns },
	};
	await sql`
		insert into open_documents ${sql(row)} on conflict (tenant_id, doc_id) do update set ${sql({ updated_at: row.updated_at, ...columns })}`;
}

/** Takes the message of a document, due or not, for a new lane; undefined when it is done or dead. */
export async function holdMessageOf(sql: Sql, docId: string): Promise<Message | undefined> {
	const [message] = await holdMessages(sql, docId, "invoice.submit");
	return message;
}

/** One step: claimed, carried out, settled. Answers false when nothing is left to do. */
export async function takeStep(sql: Sql, handler: Handler, docId: string): Promise<boolean> {
	const message = await holdMessageOf(sql, docId);
	if (!message) return false;
	const handled = await handler(message).catch(() => undefined);
	if (handled && handled.kind !== "settled") await settleMessages(sql, [{ message, outcome: handled }]);
	return true;
}

/** The handler of submissions on a database, with an authority that a test has made. */
export function openSubmit(
	sql: Sql,
	authority: Authority<Signatory>,
	metrics = createMetrics(),
	authorityStatus: SubmitDeps["authorityStatus"] = createAuthorityStatus({ sql }),
	environment: SubmitDeps["environment"] = "staging",
): Handler {
	return createSubmit({
		sql,
		authority,
		authorityStatus,
		environment,
		internalSlaSeconds: INTERNAL_SLA_SECONDS,
		clock: systemClock,
		log: createLog("silent", "test"),
		metrics,
		wake: () => undefined,
		reactions: VERDICT_REACTIONS,
	});
}
