/** Invoices as files: a table for spreadsheets, made in the browser from the list; XML and PDF, packed by the service. */
import { csvLine, textCell } from "../../../../platform/values";
import { type Answer, call, type Input } from "../../api/call";
import type { InvoiceListItem } from "../../api/generated";
import type { Translate } from "../../app/language";
import { type Filter, toQuery } from "./filter";
import type { words } from "./words";

/** A hundred pages: some seconds, within the rates of a session. */
export const ROWS_MAX = 10_000;
const PAGE = 100;

/** Newest first, at most `ROWS_MAX`. Throws a CallError. */
export async function collectInvoices(
	filter: Filter,
): Promise<{ readonly items: InvoiceListItem[]; readonly isCut: boolean }> {
	const items: InvoiceListItem[] = [];
	let after: string | undefined;
	do {
		const page = await call("listInvoices", {
			query: { ...toQuery(filter), limit: PAGE, ...(after === undefined ? {} : { after }) },
		});
		items.push(...page.items);
		after = page.next ?? undefined;
	} while (after !== undefined && items.length < ROWS_MAX);
	return { items, isCut: after !== undefined };
}

export function saveCsv(items: readonly InvoiceListItem[], t: Translate<keyof typeof words.es>): void {
	const titles = (
		["number", "type", "status", "code", "issueDate", "customer_rnc", "buyer", "subtotal", "tax", "total"] as const
	).map((key) => textCell(t(key)));
	const head = [...titles, ...(["currency", "receivedAt", "ownId", "docId"] as const).map((key) => textCell(t(key)))];
	const lines = items.map((one) => {
		const { customer, totals } = one;
		const buyer = [customer?.rnc ?? null, customer?.name ?? null].map(textCell);
		return csvLine([
			...[one.encf, one.type, t(one.status as "accepted"), textCell(one.code), one.issueDate, ...buyer],
			...[totals.subtotal, totals.tax, totals.grand_total, one.currency, one.receivedAt],
			...[textCell(one.client_request_id), one.docId],
		]);
	});
	// Spreadsheets take a file without this mark for one in an older encoding.
	saveFile(new Blob(["\ufeff", csvLine(head), ...lines], { type: "text/csv;charset=utf-8" }), "comprobantes.csv");
}

export function saveFile(file: Blob, name: string): void {
	const href = URL.createObjectURL(file);
	download(href, name);
	// The browser has begun to read it by then.
	setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

export type Packed = Answer<"getArchiveExport">;
type Order = { readonly docIds: readonly string[] } | { readonly filter: Filter };

const POLL_MS = 500;
/** After that the file is found on the page of reports. */
const POLLS_MAX = 120;

/** The export as it stands when it is made, or when waiting for it has become too long. Throws a CallError. */
export async function packInvoices(order: Order, format: "xml" | "pdf"): Promise<Packed> {
	// The address may have any text; the service says what it refuses.
	const body = { ...order, format } as Input<"createArchiveExport">["body"];
	let packed = await call("createArchiveExport", { body, idempotencyKey: crypto.randomUUID() });
	for (let n = 0; n < POLLS_MAX && (packed.status === "queued" || packed.status === "running"); n++) {
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
		packed = await call("getArchiveExport", { path: { exportId: packed.exportId } });
	}
	if (packed.url !== null) download(pathOf(packed.url));
	return packed;
}

/** The service's address may have another host than the console's; the file is at both. */
export function pathOf(url: string): string {
	const { pathname, search } = new URL(url);
	return pathname + search;
}

function download(href: string, name = ""): void {
	Object.assign(document.createElement("a"), { href, download: name }).click();
}
