/** `POST /v1/invoices` from its first byte to its answer, in the order in which a caller may rely on the checks. */
import type { KeyedQueue } from "../../../platform/concurrency";
import { retryOnFailure } from "../../../platform/database";
import {
	checkRepeat,
	findAnswer,
	hashBytes,
	hashPayload,
	type KeyPlace,
	readIdempotencyKey,
	replaceAnswer,
	replayAnswer,
	type StoredAnswer,
	saveAnswer,
} from "../../../platform/idempotency";
import {
	type Call,
	json,
	NOT_KEPT,
	parseJson,
	readBytes,
	readDocument,
	readQuery,
	tenantOf,
} from "../../../platform/operation";
import { checkForm } from "../check/check-request";
import { readScenario } from "../check/scenario";
import type { Acknowledgement } from "../model/acknowledgement";
import { pollAfterSeconds } from "../model/status";
import { findInvoiceById } from "../model/store";
import type { Intake } from "./admission-control";
import { AUTO } from "./document-number";
import { rehearseInvoice } from "./dry-run";
import { issueInvoice } from "./issue-invoice";
import type { Sought } from "./issue-store";
import type { IssueDeps, ItemRequest } from "./issuer";
import { answerAfterWait, readWait, waitForVerdict } from "./prefer-wait";

export type PostDeps = IssueDeps & {
	readonly requestQueue: KeyedQueue;
	readonly intake: Intake;
	readonly isDraining: () => boolean;
};

const OPERATION = "POST /v1/invoices";

export async function postInvoice(deps: PostDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const bytes = await readBytes(call);
	// Behind the body, for the listener closes a connection whose body it was not asked for; before all else, so that it costs little.
	deps.intake.checkRoom();
	const isRehearsal = readQuery(call).dry_run === "true";
	const scenario = readScenario(call.request, deps, isRehearsal);
	if (isRehearsal) {
		await call.charge?.();
		return deps.intake.run(() => rehearse(deps, tenantId, bytes));
	}
	const key = readIdempotencyKey(call.request, "required");
	const place: KeyPlace = { scopeId: tenantId, operation: OPERATION, key };
	const flight = `${tenantId} ${key}`;
	const rawSha256 = hashBytes(bytes);

	const replay = (stored: StoredAnswer): Response => {
		checkRepeat(stored, rawSha256, () => parseJson(bytes));
		return replayAcknowledgement(call, stored, deps.clock.now());
	};
	const issue = async () => {
		// Read first, so that one question finds out everything; what is wrong with it is told only when it is no repeat.
		const read = tryToRead(() => readItem(deps, tenantId, bytes));
		const facts = await retryOnFailure(() => deps.gathered.lookUp(toSought(place, read)));
		if (facts.replay) return replay(facts.replay);
		await call.charge?.();
		if ("fault" in read) throw read.fault;
		const { item } = read;
		const asked = scenario === undefined ? item : { ...item, scenario };
		const issued = await issueInvoice(deps, { ...asked, place, rawSha256 }, facts);
		if (issued.kind === "repeat-of-key") {
			const raced = await retryOnFailure(() => findAnswer(deps.sql, place));
			if (raced) return replay(raced);
			throw new Error("an idempotency key was taken and is not there");
		}
		const location = `/v1/invoices/${issued.docId}`;
		if (issued.kind === "repeat-of-client-request") {
			const { docId, acknowledgement: answer } = issued;
			const payloadSha256 = hashPayload(item.invoice);
			const stored = { rawSha256, payloadSha256, answer, headers: { location }, docId };
			await deps.sql.begin((tx) => saveAnswer(tx, place, stored));
			const duplicateOf = { "x-duplicate-of": `${docId}; by=client_request_id` };
			return replayAcknowledgement(call, stored, deps.clock.now(), duplicateOf);
		}
		return issued;
	};
	const outcome = await deps.requestQueue.run(flight, () => deps.intake.run(issue));
	// Outside the flight: a repeat must not have to wait for as long as the first caller chose to wait for the verdict.
	return outcome instanceof Response ? outcome : acknowledge(deps, call, place, outcome);
}

type Read = { readonly item: ItemRequest } | { readonly fault: unknown };

function tryToRead(read: () => ItemRequest): Read {
	try {
		return { item: read() };
	} catch (fault) {
		return { fault };
	}
}

function toSought(place: KeyPlace, read: Read): Sought {
	if ("fault" in read) return { place };
	const { encf, client_request_id: clientRequestId } = read.item.invoice;
	return { place, encf: encf === AUTO ? undefined : encf, clientRequestId };
}

/** Throws: malformed-json, unsupported-ecf-type, validation-error. */
function readItem(deps: PostDeps, tenantId: string, bytes: Uint8Array): ItemRequest {
	const { value, text } = readDocument(bytes);
	return { tenantId, text, invoice: checkForm(value, deps.clock.now()) };
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
	await waitForVerdict(deps.gathered, docId, seconds, () => deps.isDraining() || hasHungUp());
	const row = await findInvoiceById(deps.sql, docId);
	if (!row) throw new Error(`document ${docId} vanished`);
	headers["preference-applied"] = `wait=${seconds}`;
	if (row.status !== "pending") delete headers["retry-after"];
	const told = answerAfterWait(row, acknowledgement, seconds, deps.isDraining());
	if (told !== acknowledgement && !hasHungUp()) await replaceAnswer(deps.sql, place, acknowledgement, told);
	return new Response(told, { status: 202, headers });
}

/** An acknowledgement again, byte for byte; where it knows no verdict, with the time to poll as it is counted now. */
export function replayAcknowledgement(
	call: Call,
	stored: Pick<StoredAnswer, "answer" | "headers">,
	now: Date,
	headers: Readonly<Record<string, string>> = {},
): Response {
	const { status, receivedAt } = JSON.parse(stored.answer) as Acknowledgement;
	if (status !== "pending") return replayAnswer(stored, headers);
	const seconds = pollAfterSeconds(call.principal?.plan ?? "free", { receivedAt: new Date(receivedAt) }, now);
	return replayAnswer(stored, { "retry-after": String(seconds), ...headers });
}
