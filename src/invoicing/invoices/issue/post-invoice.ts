/** `POST /v1/invoices` from its first byte to its answer, in the order of checks that callers may rely on. */
import type { InvoiceRequest } from "../../../ecf/mapping";
import {
	checkRepeat,
	hashBytes,
	type IdempotencyKey,
	readIdempotencyKey,
	replaceAnswer,
	replayAnswer,
	type StoredAnswer,
} from "../../../platform/idempotency";
import {
	type Call,
	json,
	PRIVATE_NO_STORE,
	parseJson,
	readBytes,
	readDocument,
	readQuery,
	tenantOf,
} from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { checkForm } from "../check/check-request";
import { type Handling, preferenceHeaders, readHandling } from "../check/known-rejections";
import { readScenario, type Scenario } from "../check/scenario";
import type { Acknowledgement } from "../model/acknowledgement";
import { pollAfterSeconds } from "../model/status";
import { findWholeInvoice } from "../model/store";
import { type DryRun, rehearseInvoice } from "./dry-run";
import { type IssueResult, issueInvoice } from "./issue-invoice";
import type { IssueDeps } from "./issuer";
import { answerAfterWait, readWait, waitForVerdict } from "./prefer-wait";

const OPERATION = "POST /v1/invoices";

type Issued = Extract<IssueResult, { readonly kind: "issued" }>;

export async function postInvoice(deps: IssueDeps, call: Call): Promise<Response> {
	const bytes = await readBytes(call);
	// After the body, because the listener closes a connection whose body nothing has read. Before all else, so that a refusal costs little.
	deps.admission.checkCapacity();
	const isRehearsal = readQuery(call).dry_run === "true";
	const scenario = readScenario(call.request, deps, isRehearsal);
	if (isRehearsal) {
		const handling = readHandling(call.request);
		const { report } = await rehearseBytes(deps, call, bytes);
		return json(200, report, { ...PRIVATE_NO_STORE, ...preferenceHeaders(handling) });
	}
	return issueBytes(deps, call, bytes, readIdempotencyKey(call.request, "required"), scenario);
}

/** The place of an idempotency key of issuing. */
export const issuePlace = (scopeId: string, key: string): IdempotencyKey => ({ scopeId, operation: OPERATION, key });

/** Issues a body under a key, with the preferences of the request. Throws: what `issueInvoice` throws. */
export async function issueBytes(
	deps: IssueDeps,
	call: Call,
	bytes: Uint8Array,
	key: string,
	scenario?: Scenario,
): Promise<Response> {
	const tenantId = tenantOf(call);
	const handling = readHandling(call.request);
	const place = issuePlace(tenantId, key);
	const rawSha256 = hashBytes(bytes);
	const issue = async (): Promise<Response | Issued> => {
		const request = { tenantId, bytes, rawSha256, place, scenario, handling, charge: call.charge };
		const result = await notePreference(handling, () => issueInvoice(deps, request));
		if (result.kind === "issued") return result;
		if (result.kind === "repeat-of-key") {
			checkRepeat(result.stored, rawSha256, () => parseJson(bytes));
			return replayAcknowledgement(deps, call, result.stored);
		}
		return replayAcknowledgement(deps, call, result.stored, {
			"x-duplicate-of": `${result.docId}; by=client_request_id`,
		});
	};
	const answer = await deps.requestQueue.run(`${tenantId} ${key}`, () => deps.admission.run(issue));
	// Outside the queue: a repeat must not wait for as long as the first caller chose to wait for the verdict.
	return answer instanceof Response ? answer : acknowledge(deps, call, place, answer, handling);
}

/** What issuing a body would do; nothing is stored. Throws: what `issueInvoice` throws. */
export async function rehearseBytes(
	deps: IssueDeps,
	call: Call,
	bytes: Uint8Array,
): Promise<{ readonly invoice: InvoiceRequest; readonly report: DryRun }> {
	const tenantId = tenantOf(call);
	const handling = readHandling(call.request);
	await call.charge?.();
	return deps.admission.run(async () => {
		const { value, text } = readDocument(bytes);
		const invoice = checkForm(value, deps.clock.now());
		const rehearse = () => rehearseInvoice(deps, { tenantId, text, invoice, handling });
		return { invoice, report: await notePreference(handling, rehearse) };
	});
}

/** A refusal in strict handling says that the preference was applied. */
async function notePreference<T>(handling: Handling | undefined, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw error instanceof Problem ? error.with(preferenceHeaders(handling)) : error;
	}
}

async function acknowledge(
	deps: IssueDeps,
	call: Call,
	place: IdempotencyKey,
	{ docId, acknowledgement }: Issued,
	handling: Handling | undefined,
): Promise<Response> {
	const now = deps.clock.now();
	const headers: Record<string, string> = {
		"content-type": "application/json; charset=utf-8",
		location: `/v1/invoices/${docId}`,
		"retry-after": String(pollAfterSeconds(call.principal?.plan ?? "free", { receivedAt: now }, now)),
		"idempotency-replayed": "false",
		...preferenceHeaders(handling),
	};
	const seconds = readWait(call.request);
	// A replay answers these very bytes.
	if (seconds === undefined) return new Response(acknowledgement, { status: 202, headers });
	const hasHungUp = () => call.request.signal.aborted;
	const key = { tenantId: place.scopeId, docId };
	await waitForVerdict(deps.queries, key, seconds, () => deps.isDraining() || hasHungUp());
	const row = await findWholeInvoice(deps, key);
	if (!row) throw new Error(`document ${docId} vanished`);
	Object.assign(headers, preferenceHeaders(handling, seconds));
	if (row.status !== "pending") delete headers["retry-after"];
	const answer = answerAfterWait(row, acknowledgement, seconds, deps.isDraining(), handling);
	if (answer !== acknowledgement && !hasHungUp()) await replaceAnswer(deps.sql, place, docId, answer);
	return new Response(answer, { status: 202, headers });
}

/** An acknowledgement again, byte for byte. While it says `pending`, the time to poll is computed anew. */
function replayAcknowledgement(
	{ clock }: IssueDeps,
	call: Call,
	stored: Pick<StoredAnswer, "answer" | "headers">,
	headers: Readonly<Record<string, string>> = {},
): Response {
	const { status, receivedAt } = JSON.parse(stored.answer) as Acknowledgement;
	if (status !== "pending") return replayAnswer(stored, headers);
	const plan = call.principal?.plan ?? "free";
	const seconds = pollAfterSeconds(plan, { receivedAt: new Date(receivedAt) }, clock.now());
	return replayAnswer(stored, { "retry-after": String(seconds), ...headers });
}
