/** `POST /v1/invoices` from its first byte to its answer, in the order in which a caller may rely on the checks. */
import { retryOnFailure } from "../database";
import {
	checkRepeat,
	hashBytes,
	hashPayload,
	type KeyPlace,
	readIdempotencyKey,
	replayAnswer,
	type SingleFlight,
	saveAnswer,
} from "../idempotency";
import { type Call, json, parseJson, readBytes, tenantOf } from "../operation";
import { checkForm } from "./check-request";
import { type IssueDeps, issueInvoice } from "./issue-invoice";
import { answerAfterWait, readWait, waitForVerdict } from "./prefer-wait";
import { pollAfterSeconds } from "./status";

export type PostDeps = IssueDeps & {
	readonly singleFlight: SingleFlight;
	readonly isDraining: () => boolean;
};

const OPERATION = "POST /v1/invoices";

export async function postInvoice(deps: PostDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const bytes = await readBytes(call);
	const key = readIdempotencyKey(call.request, "required");
	const place: KeyPlace = { scopeId: tenantId, operation: OPERATION, key };
	const flight = `${tenantId} ${key}`;
	const rawSha256 = hashBytes(bytes);

	const findReplay = async () => {
		const stored = await retryOnFailure(() => deps.gathered.findReplay(place));
		if (!stored) return undefined;
		checkRepeat(stored, rawSha256, () => parseJson(bytes));
		return replayAnswer(stored);
	};
	const outcome = await deps.singleFlight.run(flight, async () => {
		const replay = await findReplay();
		if (replay) return replay;
		const value = parseJson(bytes);
		const invoice = checkForm(value, deps.clock.now());
		const payloadSha256 = hashPayload(value);
		const text = new TextDecoder().decode(bytes);
		const issued = await issueInvoice(deps, { tenantId, place, rawSha256, payloadSha256, text, invoice });
		if (issued.kind === "repeat-of-key") {
			const raced = await findReplay();
			if (raced) return raced;
			throw new Error("an idempotency key was taken and is not there");
		}
		const location = `/v1/invoices/${issued.docId}`;
		if (issued.kind === "repeat-of-client-request") {
			const { docId, acknowledgement: answer } = issued;
			const stored = { rawSha256, payloadSha256, answer, headers: { location }, docId };
			await deps.sql.begin((tx) => saveAnswer(tx, place, stored));
			return replayAnswer(stored, { "x-duplicate-of": `${docId}; by=client_request_id` });
		}
		return issued;
	});
	// Outside the flight: a repeat must not have to wait for as long as the first caller chose to wait for the verdict.
	return outcome instanceof Response ? outcome : acknowledge(deps, call, outcome);
}

async function acknowledge(
	deps: PostDeps,
	call: Call,
	issued: { docId: string; acknowledgement: string },
): Promise<Response> {
	const now = deps.clock.now();
	const headers: Record<string, string> = {
		location: `/v1/invoices/${issued.docId}`,
		"retry-after": String(pollAfterSeconds(call.principal?.plan ?? "free", { receivedAt: now }, now)),
		"idempotency-replayed": "false",
	};
	const seconds = readWait(call.request);
	if (seconds === undefined) {
		// The very bytes that a replay will answer.
		headers["content-type"] = "application/json; charset=utf-8";
		return new Response(issued.acknowledgement, { status: 202, headers });
	}
	const row = await waitForVerdict(deps.sql, issued.docId, seconds, deps.isDraining);
	if (!row) throw new Error(`document ${issued.docId} vanished`);
	headers["preference-applied"] = `wait=${seconds}`;
	if (row.status !== "pending") delete headers["retry-after"];
	return json(202, answerAfterWait(row, issued.acknowledgement, seconds, deps.isDraining()), headers);
}
