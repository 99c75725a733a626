/**
 * `Prefer: wait=N`: the caller waits for the verdict instead of polling. Source: RFC 7240, section 4.3.
 *
 *   accepted or failed in time ─► 202 with the verdict, and these bytes are what a repeat of the key gets
 *   rejected in time           ─► 422 authority-rejected        ┐ a repeat of the key gets the acknowledgement,
 *   authority out of reach     ─► 504 authority-unavailable     ┘ because the document is there
 *   undecided, or draining     ─► 202, the acknowledgement
 *
 * A caller that hangs up gets nothing, so a repeat of its key gets what was stored first. Gap: a repeat that arrives while the first caller
 * still waits does not wait; it gets the acknowledgement.
 */
import { explainCode } from "../../../authority/codes";
import { bilingual, type Message, msg, Problem } from "../../../platform/problem";
import { type Handling, preferenceHeaders } from "../check/known-rejections";
import { toReceiptPrint } from "../model/acknowledgement";
import type { DocKey, InvoiceRow } from "../model/invoice-row";
import { toStatus } from "../model/status";
import type { BatchedQueries } from "./batched-queries";

const WAIT_MAX_SECONDS = 25;
/** The authority decides within 0.2 s on average, so polling is frequent at first. */
const POLL_FIRST_MS = 60;
const POLL_LATER_MS = 250;
const LATER_AFTER_MS = 2_000;

/** Seconds that the caller waits, 1 to 25. Undefined without a usable preference, since a server may ignore any. */
export function readWait(request: Request): number | undefined {
	for (const preference of (request.headers.get("prefer") ?? "").split(",")) {
		const match = /^\s*wait\s*=\s*"?(\d{1,4})"?\s*(?:;|$)/i.exec(preference);
		if (match) return Math.min(WAIT_MAX_SECONDS, Math.max(1, Number(match[1])));
	}
	return undefined;
}

/** Polls until the document is decided, the time is over, or waiting is useless. All callers that wait share one statement. */
export async function waitForVerdict(
	{ findStatus }: Pick<BatchedQueries, "findStatus">,
	key: DocKey,
	seconds: number,
	isUseless: () => boolean,
): Promise<void> {
	const startedAt = performance.now();
	const deadline = startedAt + seconds * 1000;
	for (;;) {
		const status = await findStatus(key);
		if (status !== "pending" || isUseless() || performance.now() >= deadline) return;
		await Bun.sleep(performance.now() - startedAt < LATER_AFTER_MS ? POLL_FIRST_MS : POLL_LATER_MS);
	}
}

/** The title of the authority's code, in both languages where it is known. */
function describeCode(code: string, title: string | undefined): Message {
	if (title === undefined) return msg`Rejected.`;
	const explained = explainCode(code, "es");
	return bilingual(title, explained.known ? explained.title : title);
}

/**
 * The answer after a wait: 202 with the state reached, decided or not. Throws: authority-rejected; authority-unavailable when the authority
 * could not be reached. The document stays stored in both cases.
 */
export function answerAfterWait(
	row: InvoiceRow,
	acknowledgement: string,
	seconds: number,
	isDraining: boolean,
	handling?: Handling,
): string {
	const status = toStatus(row);
	const headers = preferenceHeaders(handling, seconds);
	if (row.status === "rejected") {
		const { code = "2", messages, title } = status.authority;
		// The authority may send a code without a text.
		const words = messages?.[0]?.text.trim() || describeCode(code, title);
		throw new Problem("authority-rejected", {
			detail: msg`[${code}] ${words}`,
			extensions: {
				authorityCode: code,
				docId: row.docId,
				trackId: row.trackId,
				authority: status.authority,
				reissue: status.reissue,
				...(status.fix ? { fix: status.fix } : {}),
				...(status.advice ? { advice: status.advice } : {}),
			},
			headers,
		});
	}
	if (row.status === "pending" && row.contingencySince && !isDraining) {
		throw new Problem("authority-unavailable", {
			detail: msg`The authority did not answer within ${seconds} s. The document is stored and will be delivered. Do not resend it; poll its status.`,
			extensions: {
				stored: true,
				docId: row.docId,
				trackId: row.trackId,
				documentStatus: "pending",
				retryable: false,
				_links: { status: `/v1/invoices/${row.docId}/status` },
			},
			headers,
		});
	}
	if (row.status === "pending") return acknowledgement;
	const { authority, failure } = status;
	const sent = JSON.parse(acknowledgement) as Record<string, unknown>;
	const print = toReceiptPrint(row.print, row.status);
	return JSON.stringify({ ...sent, status: row.status, print, authority, ...(failure ? { failure } : {}) });
}
