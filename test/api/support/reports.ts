/** A tenant whose documents of one day are all decided. */
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	untilDecided,
} from "../../support/service";

/** Their issue date. */
export const DAY = "2026-11-19";
const WAIT_MS = 120_000;

let made: Promise<{ tenant: Tenant; docIds: readonly string[] }> | undefined;

/** Two accepted invoices of one branch, a rejected one, and a credit note on the first. They must not change. */
export function reportedTenant(): Promise<{ tenant: Tenant; docIds: readonly string[] }> {
	made ??= makeReportedTenant();
	return made;
}

async function makeReportedTenant(): Promise<{ tenant: Tenant; docIds: readonly string[] }> {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const docIds: string[] = [];
	const issue = async (over: Record<string, unknown>) => {
		const invoice = buildInvoice(tenant, { issue_date: DAY, ...over });
		const answer = await postInvoice(service, tenant, invoice);
		if (answer.status !== 202) throw new Error(`expected 202, got ${answer.status}: ${await answer.text()}`);
		const { docId } = (await answer.json()) as { docId: string };
		docIds.push(docId);
		await untilDecided(service, tenant, docId, WAIT_MS);
		return String(invoice.encf);
	};
	const line = { line_number: 1, description: "Clavos", quantity: "1" };
	const encf = await issue({ branch: "=Centro", client_request_id: "=order-0001" });
	await issue({
		branch: "=Centro",
		lines: [{ ...line, unit_price: "10.126", subtotal: "10.126" }],
		totals: { subtotal: "10.126", tax: "1.823", grand_total: "11.949" },
	});
	await issue({ customer: { rnc: "000000002", name: "CLIENTE SRL" } });
	await issue({
		type: "34",
		lines: [{ ...line, unit_price: "450.00", subtotal: "450.00" }],
		totals: { subtotal: "450.00", tax: "81.00", grand_total: "531.00" },
		reference: { encf, issue_date: DAY, code: 3 },
	});
	return { tenant, docIds };
}
