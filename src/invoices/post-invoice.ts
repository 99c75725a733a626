/** `POST /v1/invoices` from its first byte to its answer, in the order in which a caller may rely on the checks. */
import { retryOnFailure } from "../database";
import {
	checkRepeat,
	hashBytes,
	hashPayload,
	type KeyPlace,
	readIdempotencyKey,
	replaceAnswer,
	replayAnswer,
	type SingleFlight,
	saveAnswer,
} from "../idempotency";
import { type Call, json, parseJson, readBytes, readQuery, tenantOf } from "../operation";
import { checkForm } from "./check-request";
import { rehearseInvoice } from "./dry-run";
import { issueInvoice } from "./issue-invoice";
import type { IssueDeps, ItemRequest } from "./issue-request";
import { NOT_KEPT } from "./own-invoice";
import { answerAfterWait, readWait, waitForVerdict } from "./prefer-wait";
import { readScenario } from "./scenario";
import { pollAfterSeconds } from "./status";

export type PostDeps = IssueDeps & {
	readonly singleFlight: SingleFlight;
	readonly isDraining: () => boolean;
};

const OPERATION = "POST /v1/invoices";

export async function postInvoice(deps: PostDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const bytes = await readBytes(call);
	const isRehearsal = readQuery(call).dry_run === "true";
	const scenario = readScenario(call.request, deps, isRehearsal);
	if (isRehearsal) return rehearse(deps, tenantId, bytes);
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
		const item = readItem(deps, tenantId, bytes);
		const { payloadSha256 } = item;
		const asked = scenario === undefined ? item : { ...item, scenario };
		const issued = await issueInvoice(deps, { ...asked, place, rawSha256 });
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
	return outcome instanceof Response ? outcome : acknowledge(deps, call, place, outcome);
}

/** Throws: malformed-json, unsupported-ecf-type, validation-error. */
function readItem(deps: PostDeps, tenantId: string, bytes: Uint8Array): ItemRequest {
	const value = parseJson(bytes);
	const invoice = checkForm(value, deps.clock.now());
	return { tenantId, payloadSha256: hashPayload(value), text: new TextDecoder().decode(bytes), invoice };
}

async function rehearse(deps: PostDeps, tenantId: string, bytes: Uint8Array): Promise<Response> {
	return json(200, await rehearseInvoice(deps, readItem(deps, tenantId, bytes)), NOT_KEPT);
}

async function acknowledge(
	deps: PostDeps,
	call: Call,
	place: KeyPlace,
	issued: { docId: string; acknowledgement: string },
): Promise<Response> {
	const now = deps.clock.now();
	const { docId, acknowledgement } = issued;
	const headers: Record<string, string> = {
		"content-type": "application/json; charset=utf-8",
		location: `/v1/invoices/${docId}`,
		"retry-after": String(pollAfterSeconds(call.principal?.plan ?? "free", { receivedAt: now }, now)),
		"idempotency-replayed": "false",
	};
	const seconds = readWait(call.request);
	// The very bytes that a replay will answer.
	if (seconds === undefined) return new Response(acknowledgement, { status: 202, headers });
	const hasHungUp = () => call.request.signal.aborted;
	const row = await waitForVerdict(deps.sql, docId, seconds, () => deps.isDraining() || hasHungUp());
	if (!row) throw new Error(`document ${docId} vanished`);
	headers["preference-applied"] = `wait=${seconds}`;
	if (row.status !== "pending") delete headers["retry-after"];
	const told = answerAfterWait(row, acknowledgement, seconds, deps.isDraining());
	if (told !== acknowledgement && !hasHungUp()) await replaceAnswer(deps.sql, place, acknowledgement, told);
	return new Response(told, { status: 202, headers });
}
