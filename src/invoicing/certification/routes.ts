/** The operations on certification test sets: begin, list, read, cancel, try again, and what they leave behind. */
import { Type } from "@sinclair/typebox";
import { actorOf, type Doer } from "../../identity/audit-log";
import { retryOnFailure, type Sql, type Tx } from "../../platform/database";
import { answerOnce, idempotencyKeyParameter } from "../../platform/idempotency";
import {
	type Call,
	cutPage,
	idFrom,
	JSON_BYTES_MAX,
	json,
	matchesEtag,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	type Parameter,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	queryParameter,
	readPageQuery,
	tenantOf,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { askForSet, cancelSet, retrySet } from "./ask-for-set";
import { packEvidence } from "./evidence";
import { isFinal, STATUSES } from "./machine";
import { providerInfoOperation } from "./provider-info";
import type { CertificationDeps } from "./step-work";
import { findCases, findCasesOf, findSet, findSets } from "./store";
import { pathOf, TestSetRecord, TestSetRequest, type TestSetRow, toRecord } from "./test-set";

type OperationTools = Omit<CertificationDeps, "authorityUrls" | "openKey" | "openStage">;

const TAG = "Certification";
const PATH = "/v1/check-set-tests/{id}/idCompany/{idCompany}";

const path = (name: string, description: string, example: string): Parameter => ({
	...{ name, in: "path", required: true, description, schema: Type.String(), example },
});
const ID = path("id", "The test set's id.", "0192f100-7a00-7b11-9c22-334455667788");
const COMPANY = path("idCompany", "Its company, the token's.", "0192f0a1-b2c3-7d4e-8f00-112233445566");
const KEY = idempotencyKeyParameter();
const IF_NONE_MATCH: Parameter = {
	name: "If-None-Match",
	in: "header",
	required: false,
	description: "ETag of an answer that you have: 304 without a body while nothing has changed.",
	schema: Type.String(),
};

const REPEATED = { description: "A repeat of an idempotency key: the first answer again.", schema: TestSetRecord };
const LATER = { "Retry-After": "When to ask again, until it is final." };
const RUNNING = { Location: "The test set.", "Retry-After": "When to ask." };

export function certificationOperations(deps: OperationTools): Operation[] {
	const shared = { tag: TAG, credentials: NEEDS_BOTH } as const;
	return [
		{
			...shared,
			id: "createCheckSetTests",
			method: "POST",
			path: "/v1/check-set-tests",
			summary: "Begin a certification test set",
			description:
				"Makes the documents that the authority asks for, signs and checks all of them, then sends them one after another, notes behind what " +
				"they refer to and summaries last. The first rejection ends the run, since the authority counts the whole set anew. " +
				"`mode: simulate` rehearses all of it on a simulator of the service, without the authority and without numbers. " +
				"While the company is suspended or closed the set stands still and sends nothing; resumed within the set's seven days, it goes on.",
			scope: "certification:write",
			parameters: [KEY],
			body: {
				schema: TestSetRequest,
				limitBytes: JSON_BYTES_MAX,
				required: false,
				mediaTypes: ["application/json"],
				example: { types: ["31", "34"], mode: "authority", niche: "retail" },
			},
			answers: {
				202: { description: "The test set, which has begun.", schema: TestSetRecord, headers: RUNNING },
				200: REPEATED,
			},
			problems: [
				"malformed-json",
				"unsupported-ecf-type",
				"validation-error",
				"not-found",
				"tenant-config-missing",
				"test-set-in-progress",
				"idempotency-key-reused",
				"idempotency-in-progress",
			],
			handle: (call) => postSet(deps, call),
		},
		{
			...shared,
			id: "listCheckSetTests",
			method: "GET",
			path: "/v1/check-set-tests",
			summary: "List test sets, newest first",
			scope: "certification:read",
			parameters: [queryParameter("status", "Status.", oneOf(...STATUSES)), ...pageParameters()],
			answers: {
				200: {
					description: "A page of test sets.",
					schema: pageSchema(TestSetRecord),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listSets(deps, call),
		},
		{
			...shared,
			id: "getCheckSetTests",
			method: "GET",
			path: PATH,
			summary: "Read a test set",
			scope: "certification:read",
			parameters: [ID, COMPANY, IF_NONE_MATCH],
			answers: {
				200: {
					description: "The test set with its cases.",
					schema: TestSetRecord,
					headers: { ETag: "Of its version.", ...LATER },
				},
				304: { description: "Nothing has changed.", headers: LATER },
			},
			problems: ["not-found"],
			handle: (call) => getSet(deps, call),
		},
		{
			...shared,
			id: "cancelCheckSetTests",
			method: "POST",
			path: `${PATH}/cancel`,
			summary: "Cancel a test set",
			description: "Nothing else is sent. A document that is on its way is decided all the same.",
			scope: "certification:write",
			parameters: [ID, COMPANY, KEY],
			answers: { 200: { description: "The test set, cancelled.", schema: TestSetRecord } },
			problems: ["validation-error", "not-found", "test-set-final", "idempotency-in-progress"],
			handle: (call) => change(deps, call, 200, cancelSet),
		},
		{
			...shared,
			id: "retryCheckSetTests",
			method: "POST",
			path: `${PATH}/retry`,
			summary: "Begin another run of a test set that failed",
			description:
				"All documents are made anew, under new numbers: the authority takes a number once, rejected or not.",
			scope: "certification:write",
			parameters: [ID, COMPANY, KEY],
			answers: {
				202: { description: "The test set in its next run.", schema: TestSetRecord, headers: RUNNING },
				200: REPEATED,
			},
			problems: ["validation-error", "not-found", "test-set-final", "test-set-in-progress", "idempotency-in-progress"],
			handle: (call) => change(deps, call, 202, retrySet),
		},
		{
			...shared,
			id: "getCheckSetTestsEvidence",
			method: "GET",
			path: `${PATH}/evidence`,
			summary: "Download what a test set leaves behind",
			description:
				"A ZIP: the record, and of every case of every run its request, its signed documents and the authority's answers.",
			scope: "certification:read",
			parameters: [ID, COMPANY],
			answers: {
				200: {
					description: "The ZIP.",
					schema: Type.String({ format: "binary" }),
					mediaType: "application/zip",
					headers: { "Content-Disposition": "A file name." },
				},
			},
			problems: ["not-found"],
			handle: (call) => getEvidence(deps, call),
		},
		providerInfoOperation(deps),
	];
}

/** How the operations on test sets are answered. */

const RETRY_AFTER = "5";

export async function postSet(deps: OperationTools, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const answer = await answerOnce<TestSetRequest>(deps.sql, call, async (tx, request) => {
		const row = await askForSet(tx, deps, { tenantId, request, doer: doerOf(deps, call) });
		return { status: 202, body: toRecord(row, []), headers: { location: pathOf(row), "retry-after": RETRY_AFTER } };
	});
	deps.wake();
	return answer;
}

export async function listSets({ sql }: OperationTools, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after, status } = query;
	const rows = await retryOnFailure(() => findSets(sql, tenantOf(call), { after, status, limit }));
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	const ids = page.map(({ id }) => id);
	const cases = Map.groupBy(await retryOnFailure(() => findCasesOf(sql, ids)), ({ setId }) => setId);
	return json(200, { items: page.map((row) => toRecord(row, cases.get(row.id) ?? [])), ...place }, PRIVATE_NO_STORE);
}

export async function getSet({ sql }: OperationTools, call: Call): Promise<Response> {
	const row = await findOwnSet(sql, call);
	const headers = {
		...PRIVATE_NO_STORE,
		etag: `"v${row.version}"`,
		...(isFinal(row.status) ? {} : { "retry-after": RETRY_AFTER }),
	};
	if (matchesEtag(call.request.headers.get("if-none-match"), headers.etag)) {
		return new Response(null, { status: 304, headers });
	}
	return json(200, toRecord(row, await findCases(sql, row.id, row.run)), headers);
}

export async function change(
	deps: OperationTools,
	call: Call,
	status: 200 | 202,
	write: (tx: Tx, tenantId: string, id: string, doer: Doer) => Promise<TestSetRow>,
): Promise<Response> {
	const { id } = idsOf(call);
	const answer = await answerOnce(deps.sql, call, async (tx) => {
		const row = await write(tx, tenantOf(call), id, doerOf(deps, call));
		const record = toRecord(row, await findCases(tx, row.id, row.run));
		const running: Record<string, string> =
			status === 202 ? { location: record._links.self, "retry-after": RETRY_AFTER } : {};
		return { status, body: record, headers: { ...PRIVATE_NO_STORE, ...running } };
	});
	deps.wake();
	return answer;
}

export async function getEvidence({ sql }: OperationTools, call: Call): Promise<Response> {
	const row = await findOwnSet(sql, call);
	const bytes = await packEvidence(sql, row);
	return new Response(new Uint8Array(bytes), {
		headers: {
			...PRIVATE_NO_STORE,
			"content-type": "application/zip",
			"content-disposition": `attachment; filename="check-set-tests-${row.id}.zip"`,
		},
	});
}

function doerOf({ clock }: OperationTools, call: Call): Doer {
	return { actor: actorOf(call), at: clock.now() };
}

/** Throws: not-found, also for another company's, and for one that is asked for under another company. */
async function findOwnSet(sql: Sql, call: Call): Promise<TestSetRow> {
	const { id, idCompany } = idsOf(call);
	const row = await retryOnFailure(() => findSet(sql, id));
	if (row?.tenantId !== idCompany) throw new Problem("not-found");
	return row;
}

/** Throws: not-found for what can be no id, and for another company than the caller's. */
function idsOf(call: Call): { readonly id: string; readonly idCompany: string } {
	const id = idFrom(call);
	const idCompany = idFrom(call, "idCompany");
	if (idCompany !== tenantOf(call)) throw new Problem("not-found");
	return { id, idCompany };
}
