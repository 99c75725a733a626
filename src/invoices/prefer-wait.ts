/** `Prefer: wait=N`: the caller would rather hold the line than poll. Source: RFC 7240, section 4.3. */
import type { Sql } from "../database";
import { Problem } from "../problem";
import type { InvoiceRow } from "./invoice-row";
import { toStatus } from "./status";
import { findInvoiceById } from "./store";

const WAIT_MAX_SECONDS = 25;
const LOOK_EVERY_MS = 60;

/** Seconds that the caller will wait, 1 to 25; undefined without a usable preference, which may always be ignored. */
export function readWait(request: Request): number | undefined {
	for (const preference of (request.headers.get("prefer") ?? "").split(",")) {
		const match = /^\s*wait\s*=\s*"?(\d{1,4})"?\s*$/i.exec(preference);
		if (match) return Math.min(WAIT_MAX_SECONDS, Math.max(1, Number(match[1])));
	}
	return undefined;
}

/** Looks until the document is decided, the time is over, or the service drains. */
export async function waitForVerdict(
	sql: Sql,
	docId: string,
	seconds: number,
	isDraining: () => boolean,
): Promise<InvoiceRow | undefined> {
	const deadline = performance.now() + seconds * 1000;
	for (;;) {
		const row = await findInvoiceById(sql, docId);
		if (row?.status !== "pending" || isDraining() || performance.now() >= deadline) return row;
		await Bun.sleep(LOOK_EVERY_MS);
	}
}

/**
 * The answer after a wait: 202 with the state reached, decided or not. Throws: authority-rejected; authority-unavailable when
 * the authority could not be reached, the document being kept.
 */
export function answerAfterWait(
	row: InvoiceRow,
	acknowledgement: string,
	seconds: number,
	isDraining: boolean,
): Record<string, unknown> {
	const status = toStatus(row);
	if (row.status === "rejected") {
		const code = status.authority.code ?? "2";
		throw new Problem("authority-rejected", {
			detail: `[${code}] ${status.authority.messages?.[0]?.text ?? status.authority.title ?? "Rejected."}`,
			extensions: {
				authorityCode: code,
				docId: row.docId,
				trackId: row.trackId,
				authority: status.authority,
				reissue: status.reissue,
				...(status.fix ? { fix: status.fix } : {}),
			},
		});
	}
	if (row.status === "pending" && row.contingencySince && !isDraining) {
		throw new Problem("authority-unavailable", {
			detail: `The authority did not answer within ${seconds} s. The document is stored and will be delivered; do not resend, poll its status.`,
			extensions: {
				stored: true,
				docId: row.docId,
				trackId: row.trackId,
				documentStatus: "pending",
				retryable: false,
				_links: { status: `/v1/invoices/${row.docId}/status` },
			},
		});
	}
	const body = JSON.parse(acknowledgement) as Record<string, unknown>;
	if (row.status === "pending") return body;
	return {
		...body,
		status: row.status,
		authority: status.authority,
		...(status.failure ? { failure: status.failure } : {}),
	};
}
