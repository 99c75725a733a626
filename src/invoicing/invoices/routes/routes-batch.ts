/** Issues many invoices in one request. */

import { Type } from "@sinclair/typebox";
import { EXAMPLE_INVOICE, InvoiceRequest } from "../../../ecf/mapping";
import type { KeyedQueue } from "../../../platform/concurrency";
import { retryOnFailure } from "../../../platform/database";
import {
	checkRepeat,
	findAnswer,
	hashBytes,
	hashPayload,
	readIdempotencyKey,
	replayAnswer,
} from "../../../platform/idempotency";
import {
	type Call,
	NEEDS_BOTH,
	NOT_KEPT,
	type Operation,
	readBytes,
	readQuery,
	tenantOf,
} from "../../../platform/operation";
import { readScenario, SCENARIO_PARAMETER, type Scenario } from "../check/scenario";
import type { Intake } from "../issue/admission-control";
import {
	BATCH_MAX,
	type BatchItem,
	BatchResult,
	checkCount,
	NDJSON,
	readBatch,
	toBatchResult,
	toPayload,
} from "../issue/batch-format";
import type { BatchDeps } from "../issue/check-batch";
import { issueBatch } from "../issue/issue-batch";
import type { BatchKey } from "../issue/store-batch";
import { TAG } from "../view/own-invoice";

export type PostBatchDeps = BatchDeps & {
	readonly requestQueue: KeyedQueue;
	readonly intake: Pick<Intake, "checkRoom">;
	readonly baseUrl: string;
};

const PATH = "/v1/invoices:batch";
const OPERATION = `POST ${PATH}`;
const LIMIT_BYTES = 16 * 1024 * 1024;

const InvoiceBatch = Type.Object(
	{
		invoices: Type.Array(InvoiceRequest, {
			minItems: 1,
			maxItems: BATCH_MAX,
			description: `At most ${BATCH_MAX}, fewer by plan: 10 for the demo key, 50 free, 200 starter. Each needs its client_request_id.`,
		}),
	},
	{ $id: "InvoiceBatch", additionalProperties: false },
);

const EXAMPLE: BatchResult = {
	results: [
		{
			index: 0,
			status: 202,
			docId: "0192f110-7a00-7b11-9c22-334455667788",
			trackId: "0192f110-7a01-7c33-8d44-556677889900",
			encf: "E310000000001",
			print: {
				securityCode: "a1B2c3",
				signedAt: "2026-11-20T14:20:00.118Z",
				qrUrl: "https://authority.example/testecf/ConsultaTimbre?RncEmisor=990000001&ENCF=E310000000001",
			},
			warnings: [],
		},
		{
			index: 1,
			status: 422,
			problem: {
				type: "https://api.example/errors/mathematical-discrepancy",
				title: "Totals do not agree",
				status: 422,
				detail: "subtotal 4500.00 plus tax 810.00 is 5310.00, not grand_total 5310.01.",
				instance: "/v1/invoices:batch",
				requestId: "0192f110-7a00-7b11-9c22-33445566778a",
			},
		},
	],
	accepted: 1,
	replayed: 0,
	failed: 1,
};

export function batchInvoicesOperation(deps: PostBatchDeps): Operation {
	return {
		id: "batchInvoices",
		method: "POST",
		path: PATH,
		tag: TAG,
		summary: "Issue many invoices",
		description:
			"Each invoice has its own outcome, as if it had come alone, so one that is refused does not hold up the others. Send " +
			`{"invoices":[…]}, or one invoice a line as ${NDJSON}. Problems of the single invoices stand in the results; a problem of the ` +
			"whole request stores nothing. A repeat under the same key within 24 hours gets the same answer, unless an invoice was refused " +
			"for a passing reason of ours (503 and the like): then the repeat issues what is missing, and finds the others. Without a key, " +
			"the invoices' client_request_ids still keep each document single.",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		limit: "issue",
		chargesLate: true,
		parameters: [
			{
				name: "Idempotency-Key",
				in: "header",
				required: false,
				description:
					"UUID v4, one for the whole batch. A repeat within 24 hours answers 200 with the same bytes, unless an invoice met a 5xx or none was kept: then the key is free.",
				schema: Type.String({ format: "uuid" }),
			},
			SCENARIO_PARAMETER,
		],
		body: {
			schema: InvoiceBatch,
			limitBytes: LIMIT_BYTES,
			required: true,
			mediaTypes: ["application/json", NDJSON],
			example: { invoices: [EXAMPLE_INVOICE] },
			otherForms: { [NDJSON]: { schema: Type.String(), example: `${JSON.stringify(EXAMPLE_INVOICE)}\n` } },
		},
		answers: {
			200: {
				description: "An outcome for each invoice, in the order in which they came.",
				schema: BatchResult,
				example: EXAMPLE,
				headers: { "Idempotency-Replayed": "`true` for a repeat, else `false`." },
			},
		},
		problems: [
			"malformed-json",
			"validation-error",
			"payload-too-large",
			"unsupported-media-type",
			"tenant-config-missing",
			"idempotency-key-reused",
			"idempotency-in-progress",
			"authority-unavailable",
			"service-unavailable",
		],
		handle: (call) => batchInvoices(deps, call),
	};
}

async function batchInvoices(deps: PostBatchDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	// There is no rehearsal of a batch: who asks for one must not issue it.
	readQuery(call);
	const bytes = await readBytes(call);
	// While single invoices are refused, many at once are not taken either.
	deps.intake.checkRoom();
	const isLines = (call.request.headers.get("content-type") ?? "").trim().toLowerCase().startsWith(NDJSON);
	const key = readIdempotencyKey(call.request, "optional");
	const scenario = readScenario(call.request, deps);
	const read = () => readBatch(bytes, isLines);
	if (key === undefined) {
		await call.charge?.();
		return answer(await issue(deps, call, { items: read(), key, scenario }));
	}

	const place = { scopeId: tenantId, operation: OPERATION, key };
	const rawSha256 = hashBytes(bytes);
	const findReplay = async () => {
		const stored = await retryOnFailure(() => findAnswer(deps.sql, place));
		if (!stored) return undefined;
		checkRepeat(stored, rawSha256, () => toPayload(read()));
		return replayAnswer(stored);
	};
	return deps.requestQueue.run(`${tenantId} ${OPERATION} ${key}`, async () => {
		const replay = await findReplay();
		if (replay) return replay;
		await call.charge?.();
		const items = read();
		const whole = { place, rawSha256, payloadSha256: hashPayload(toPayload(items)) };
		const text = await issue(deps, call, { items, key: whole, scenario });
		if (text !== "repeat-of-key") return answer(text);
		const raced = await findReplay();
		if (!raced) throw new Error("an idempotency key was taken and is not there");
		return raced;
	});
}

/** What a request asks for, read; its scenario is that of each of its invoices. */
type Asked = {
	readonly items: readonly BatchItem[];
	readonly key: BatchKey | undefined;
	readonly scenario: Scenario | undefined;
};

function issue(deps: PostBatchDeps, call: Call, asked: Asked) {
	checkCount(call, "/invoices", asked.items.length, "issue");
	const place = { baseUrl: deps.baseUrl, instance: PATH, requestId: call.requestId };
	return issueBatch(deps, {
		...asked,
		tenantId: tenantOf(call),
		toAnswer: (outcomes) => JSON.stringify(toBatchResult(outcomes, place)),
	});
}

function answer(text: string): Response {
	return new Response(text, {
		headers: { "content-type": "application/json; charset=utf-8", "idempotency-replayed": "false", ...NOT_KEPT },
	});
}
