/** Documents that can be approved, decisions on them, and where those arrive. */
import { createHash } from "node:crypto";
import type { Segment } from "../../../../src/authority/client";
import { enqueueRule } from "../../../../src/exchange/approvals";
import type { ApprovalRecord } from "../../../../src/exchange/approvals/approval";
import type { AuthorityStatus, ReceivedDocument } from "../../../../src/exchange/reception";
import { insertReceived } from "../../../../src/exchange/reception/store";
import { createWake } from "../../../../src/platform/outbox";
import { newId, toLocalIsoDate } from "../../../../src/platform/values";
import {
	buildInvoice,
	get,
	post,
	postInvoice,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../../support/service";
import { until } from "../../../support/until";

export const WAIT_MS = 120_000;

/** An accepted invoice of one company, as both parties know it. */
export type Sold = {
	readonly docId: string;
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	readonly issueDate: string;
	readonly total: string;
};

export async function sell(service: TestService, seller: Tenant, buyerRnc: string, over = {}): Promise<Sold> {
	const customer = { rnc: buyerRnc, name: "CLIENTE SRL" };
	const invoice = buildInvoice(seller, { customer, ...over });
	const answer = await postInvoice(service, seller, invoice);
	if (answer.status !== 202) throw new Error(`invoice: ${answer.status} ${await answer.text()}`);
	const made = (await answer.json()) as { docId: string; encf: string; print: { signedAt: string } };
	const { status } = await untilDecided(service, seller, made.docId, WAIT_MS);
	if (status !== "accepted") throw new Error(`expected it to be accepted, it is ${status}`);
	const { totals } = invoice as { totals: { grand_total: string } };
	const issueDate = toLocalIsoDate(new Date(made.print.signedAt));
	const { docId, encf } = made;
	return { docId, encf, issuerRnc: seller.rnc, buyerRnc, issueDate, total: totals.grand_total };
}

/** Stores a received document for a company as reception does after verification; returns its id. */
export async function receive(
	service: TestService,
	buyer: Tenant,
	of: Pick<Sold, "issuerRnc" | "encf" | "issueDate" | "total">,
	more: { readonly orderNumber?: string; readonly authorityStatus?: AuthorityStatus; readonly segment?: Segment } = {},
): Promise<string> {
	const id = newId();
	const xml = Buffer.from(`<ECF>${of.encf}</ECF>`);
	const { orderNumber = null, authorityStatus = "accepted", segment = "testecf" } = more;
	const document: ReceivedDocument = {
		...{ id, tenantId: buyer.tenantId, issuerRnc: of.issuerRnc, issuerName: "PROVEEDOR SRL", buyerRnc: buyer.rnc },
		...{ type: of.encf.slice(1, 3), encf: of.encf, issueDate: of.issueDate, subtotal: of.total, tax: "0.00" },
		...{ grandTotal: of.total, orderNumber, sha256: createHash("sha256").update(xml).digest("hex") },
		...{ signer: "IDCDO-00100000009", securityCode: "abcdef", signedAtText: "", authorityStatus, segment },
		...{ proof: authorityStatus === "accepted" ? "proven" : "unproven" },
		...{ source: "import", receivedAt: new Date() },
	};
	await service.sql.begin(async (tx) => {
		await insertReceived(tx, document, xml, undefined);
		await tx`update received_standings set authority_status = ${authorityStatus} where document_id = ${id}`;
		await enqueueRule(tx, document);
	});
	createWake(service.sql)();
	return id;
}

let nextStranger = 7_000_000_001;

/** A document of an issuer outside the sample registry, whose companies other tests use. */
export const strangers = (over: Partial<Sold> = {}) => ({
	...{ issuerRnc: "888888888", encf: `E31${nextStranger++}`, issueDate: "2026-11-19", total: "1180.00" },
	...over,
});

export const postDecision = (
	service: TestService,
	tenant: Tenant,
	documentId: string,
	body: unknown,
	headers: Record<string, string> = {},
) => post(service, `/v1/received-documents/${documentId}/approval`, { ...tenant.headers, ...headers }, body);

export async function decideOn(
	service: TestService,
	tenant: Tenant,
	documentId: string,
	body: unknown = { decision: "approved" },
): Promise<ApprovalRecord> {
	const answer = await postDecision(service, tenant, documentId, body);
	if (answer.status !== 202) throw new Error(`approval: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as ApprovalRecord;
}

export async function readApproval(service: TestService, tenant: Tenant, id: string): Promise<ApprovalRecord> {
	return (await (await get(service, `/v1/approvals/${id}`, tenant.headers)).json()) as ApprovalRecord;
}

/** The approval once all its deliveries have ended. */
export async function untilSent(service: TestService, tenant: Tenant, id: string): Promise<ApprovalRecord> {
	await until(async () => (await readApproval(service, tenant, id)).status !== "sending", WAIT_MS);
	return readApproval(service, tenant, id);
}

/** Lists an issuer in the authority's directory, at an address of the tests' receiver. */
export async function listIssuer(service: TestService, rnc: string): Promise<{ readonly path: string }> {
	const base = `/issuer-${rnc}`;
	const url = `http://${service.receiver.host}${base}`;
	await control(service, "directory", {
		...{ environment: "testecf", rnc, name: "PROVEEDOR SRL" },
		...{ receptionUrl: url, approvalUrl: url, authenticationUrl: null },
	});
	const path = `${base}/fe/aprobacioncomercial/api/ecf`;
	service.receiver.answer(path, 200);
	return { path };
}

/** The decisions about a number that arrived at a path of the tests' receiver. */
export function filesAt(service: TestService, path: string, encf: string): string[] {
	return service.receiver.received
		.filter((one) => one.path === path)
		.map(({ body }) => /\r\n\r\n([\s\S]*)\r\n--/.exec(body.toString())?.[1] ?? "")
		.filter((file) => file.includes(`<eNCF>${encf}<`));
}

export const control = (service: TestService, what: string, body: unknown) =>
	fetch(`${service.simulatorUrl}/_simulator/${what}`, { method: "POST", body: JSON.stringify(body) });

/** The decisions that the authority received about a number. */
export async function decisionsAtAuthority(service: TestService, encf: string): Promise<Record<string, unknown>[]> {
	const all = (await (await fetch(`${service.simulatorUrl}/_simulator/approvals`)).json()) as Record<string, unknown>[];
	return all.filter((one) => one.encf === encf);
}

export async function xmlOf(service: TestService, tenant: Tenant, id: string): Promise<string> {
	return (await get(service, `/v1/approvals/${id}/xml`, tenant.headers)).text();
}
