/** Issues many invoices in one request. */
import { Type } from "@sinclair/typebox";
import { EXAMPLE_INVOICE, InvoiceRequest } from "../../../ecf/mapping";
import { createFairQueue, type FairQueue } from "../../../platform/concurrency";
import { checkRepeat, hashBytes, readIdempotencyKey, replayAnswer } from "../../../platform/idempotency";
import {
	type Call,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	readBytes,
	readQuery,
	tenantOf,
} from "../../../platform/operation";
import { chooseLanguage } from "../../../platform/problem";
import { PREFER_HANDLING, preferenceHeaders, readHandling } from "../check/known-rejections";
import { readScenario, SCENARIO_PARAMETER } from "../check/scenario";
import {
	BATCH_MAX,
	type BatchItem,
	BatchResult,
	createBatchReader,
	type IssueDeps,
	issueBatch,
	NDJSON,
	toBatchResult,
	toPayload,
} from "../issue";
import { type InvoiceDeps, TAG } from "../view/own-invoice";
import { addReceipt, RECEIPT_PARAMETERS } from "../view/print-job";

const PATH = "/v1/invoices:batch";
const OPERATION = `POST ${PATH}`;
const LIMIT_BYTES = 16 * 1024 * 1024;

const InvoiceBatch = Type.Object(
	{
		invoices: Type.Array(InvoiceRequest, {
			minItems: 1,
			maxItems: BATCH_MAX,
			description: `At most ${BATCH_MAX}; plans may allow fewer: 10 with the demo key, 50 free, 200 starter. Each needs a client_request_id.`,
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
				contingency: null,
				legend: [],
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

export function batchInvoicesOperation(
	deps: IssueDeps,
	printing: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "authorityStatus" | "printer">,
): Operation {
	const largeBodies = createLargeBodies();
	return {
		id: "batchInvoices",
		sdk: "invoices.createBatch",
		method: "POST",
		path: PATH,
		tag: TAG,
		summary: "Issue many invoices",
		description:
			"Each invoice has its own outcome, so a refused one does not affect the others. Send " +
			`{"invoices":[…]}, or one invoice per line as ${NDJSON}. Problems of single invoices are in the results, in the language that Accept-Language prefers; a problem of the ` +
			"whole request stores nothing. A repeat with the same key within 24 hours gets the same answer, unless an invoice failed " +
			"for a temporary reason on our side (503 and the like): then the repeat issues what is missing and finds the others. Without a key, " +
			"each invoice's client_request_id still prevents duplicates.",
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
					"UUID v4, one for the whole batch. A repeat within 24 hours gets 200 with the same bytes, unless an invoice got a 5xx or none " +
					"was stored: then the key is free.",
				schema: Type.String({ format: "uuid" }),
			},
			PREFER_HANDLING,
			...RECEIPT_PARAMETERS,
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
				description: "An outcome for each invoice, in the order of the request.",
				schema: BatchResult,
				example: EXAMPLE,
				headers: {
					"Idempotency-Replayed": "`true` for a replayed answer, else `false`.",
					"Preference-Applied": "`handling=…` if the request had that preference.",
				},
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
			"clock-skew",
			"durability-lost",
			"sequence-reconciling",
			"authority-unavailable",
			"service-unavailable",
		],
		handle: async (call) =>
			addReceipt<BatchResult>(printing, call, await batchInvoices(deps, largeBodies, call), ({ results }) =>
				results.filter((result) => "docId" in result),
			),
	};
}

/** Large bodies, which take many times their size while they are parsed, take turns by tenant. */
const LARGE_BYTES = 1024 * 1024;
const createLargeBodies = () => createFairQueue({ places: 2, perKey: 1, waitingMax: 256, waitingMaxPerKey: 64 });

async function batchInvoices(deps: IssueDeps, largeBodies: FairQueue, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	// Refuses `dry_run`: a batch has no rehearsal, and a caller that asks for one must not have it issued.
	readQuery(call);
	const isLines = (call.request.headers.get("content-type") ?? "").trim().toLowerCase().startsWith(NDJSON);
	const reader = createBatchReader(call, isLines);
	let size = 0;
	let leave: (() => void) | undefined;
	const watch = async (piece: Uint8Array) => {
		reader.watch(piece);
		size += piece.length;
		if (size > LARGE_BYTES) leave ??= await enter(largeBodies, tenantId, call.request.signal);
	};
	try {
		const bytes = await readBytes(call, watch);
		return await issueAll(deps, call, tenantId, bytes, () => reader.read(bytes));
	} finally {
		leave?.();
	}
}

/** Waits for a place; the function that is returned gives it back. Throws: service-unavailable. */
function enter(queue: FairQueue, key: string, signal: AbortSignal): Promise<() => void> {
	return new Promise((resolve, reject) => {
		queue.run(() => new Promise<void>((leave) => resolve(leave)), { key, signal }).catch(reject);
	});
}

async function issueAll(
	deps: IssueDeps,
	call: Call,
	tenantId: string,
	bytes: Uint8Array,
	readItems: () => Promise<BatchItem[]>,
): Promise<Response> {
	// While single invoices are refused, batches are too.
	deps.admission.checkCapacity();
	const keyText = readIdempotencyKey(call.request, "optional");
	const scenario = readScenario(call.request, deps);
	const handling = readHandling(call.request);
	const key =
		keyText === undefined
			? undefined
			: { place: { scopeId: tenantId, operation: OPERATION, key: keyText }, rawSha256: hashBytes(bytes) };
	const language = chooseLanguage(call.request.headers.get("accept-language"));
	const context = { baseUrl: deps.baseUrl, instance: PATH, requestId: call.requestId, language };
	const issue = async (): Promise<Response> => {
		const result = await issueBatch(deps, {
			...{ tenantId, readItems, key, scenario, handling, charge: call.charge },
			toAnswer: (outcomes) => JSON.stringify(toBatchResult(outcomes, context)),
		});
		if (result.kind === "issued") return answer(result.answer, preferenceHeaders(handling));
		if (key) {
			const items = await readItems();
			checkRepeat(result.stored, key.rawSha256, () => toPayload(items));
		}
		return replayAnswer(result.stored);
	};
	return keyText === undefined ? issue() : deps.requestQueue.run(`${tenantId} ${OPERATION} ${keyText}`, issue);
}

function answer(text: string, headers: Readonly<Record<string, string>>): Response {
	return new Response(text, {
		headers: {
			"content-type": "application/json; charset=utf-8",
			"idempotency-replayed": "false",
			...PRIVATE_NO_STORE,
			...headers,
		},
	});
}
