/** The operations on certification test sets: begin, list, read, cancel, retry, and download the evidence. */

import { Type } from "@sinclair/typebox";
import type { ReadSealed } from "../../archive";
import { actorOf, type Doer } from "../../identity/audit-log";
import { retryOnFailure, type Sql, type Tx } from "../../platform/database";
import { answerOnce, idempotencyKeyParameter, REPEATED, WRITE_PROBLEMS } from "../../platform/idempotency";
import {
	type Call,
	companyParameter,
	cutPage,
	headerParameter,
	idFrom,
	json,
	jsonBody,
	matchesEtag,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	pathParameter,
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

type OperationTools = Omit<CertificationDeps, "authorityUrls" | "openKey" | "openStage"> & {
	readonly readSealed: ReadSealed;
};

const TAG = "Certification";
const PATH = "/v1/check-set-tests/{id}/idCompany/{idCompany}";

const ID = pathParameter("id", "The test set's id.", "0192f100-7a00-7b11-9c22-334455667788");
const COMPANY = companyParameter("idCompany");
const KEY = idempotencyKeyParameter();
const IF_NONE_MATCH = headerParameter(
	"If-None-Match",
	"ETag of a previous answer. If nothing has changed, the answer is 304 without a body.",
);

const AGAIN = { description: REPEATED, schema: TestSetRecord };
const LATER = { "Retry-After": "When to poll again, until the set is final." };
const RUNNING = { Location: "The test set.", "Retry-After": "When to poll." };

export function certificationOperations(deps: OperationTools): Operation[] {
	const shared = { tag: TAG, credentials: NEEDS_BOTH } as const;
	return [
		{
			...shared,
			id: "createCheckSetTests",
			sdk: "testSets.create",
			method: "POST",
			path: "/v1/check-set-tests",
			summary: "Start a certification test set",
			description:
				"Generates, signs and checks the documents that the authority demands, then sends them one by one, notes after " +
				"their originals and summaries last. The first rejection ends the run, because the authority restarts the whole set. " +
				"`mode: simulate` rehearses everything on the service's simulator, without the authority and without numbers. " +
				"While the company is suspended or closed, the set pauses. It continues if the company is resumed within the set's seven days.",
			scope: "certification:write",
			parameters: [KEY],
			body: jsonBody(TestSetRequest, { types: ["31", "34"], mode: "authority", niche: "retail" }, false),
			answers: {
				202: { description: "The new test set.", schema: TestSetRecord, headers: RUNNING },
				200: AGAIN,
			},
			problems: [
				...WRITE_PROBLEMS,
				...(["unsupported-ecf-type", "not-found", "tenant-config-missing", "test-set-in-progress"] as const),
			],
			handle: (call) => postSet(deps, call),
		},
		{
			...shared,
			id: "listCheckSetTests",
			sdk: "testSets.list",
			method: "GET",
			path: "/v1/check-set-tests",
			summary: "List test sets, newest first",
			description: "Test sets of the company with their progress. Read one test set to see its cases.",
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
			sdk: "testSets.get",
			method: "GET",
			path: PATH,
			summary: "Read a test set",
			description:
				"Progress and result of each case. Poll it with `If-None-Match`: 304 means that nothing has changed.",
			scope: "certification:read",
			parameters: [ID, COMPANY, IF_NONE_MATCH],
			answers: {
				200: {
					description: "The test set with its cases.",
					schema: TestSetRecord,
					headers: { ETag: "Changes with the record.", ...LATER },
				},
				304: { description: "Not modified.", headers: LATER },
			},
			problems: ["not-found"],
			handle: (call) => getSet(deps, call),
		},
		{
			...shared,
			id: "cancelCheckSetTests",
			sdk: "testSets.cancel",
			method: "POST",
			path: `${PATH}/cancel`,
			summary: "Cancel a test set",
			description: "Nothing more is sent. A submitted document is still decided.",
			scope: "certification:write",
			parameters: [ID, COMPANY, KEY],
			answers: { 200: { description: "The cancelled test set.", schema: TestSetRecord } },
			problems: ["validation-error", "not-found", "test-set-final", "idempotency-in-progress"],
			handle: (call) => change(deps, call, 200, cancelSet),
		},
		{
			...shared,
			id: "retryCheckSetTests",
			sdk: "testSets.retry",
			method: "POST",
			path: `${PATH}/retry`,
			summary: "Run a failed test set again",
			description:
				"Generates all documents again under new numbers, because the authority takes each number once, rejected or not.",
			scope: "certification:write",
			parameters: [ID, COMPANY, KEY],
			answers: {
				202: { description: "The test set in its next run.", schema: TestSetRecord, headers: RUNNING },
				200: AGAIN,
			},
			problems: ["validation-error", "not-found", "test-set-final", "test-set-in-progress", "idempotency-in-progress"],
			handle: (call) => change(deps, call, 202, retrySet),
		},
		{
			...shared,
			id: "getCheckSetTestsEvidence",
			sdk: "testSets.evidence",
			method: "GET",
			path: `${PATH}/evidence`,
			summary: "Download the evidence of a test set",
			description:
				"A ZIP with the record and, for every case of every run, the request, the signed documents and the authority's answers.",
			scope: "certification:read",
			parameters: [ID, COMPANY],
			answers: {
				200: {
					description: "The ZIP.",
					schema: Type.String({ format: "binary" }),
					mediaType: "application/zip",
					headers: { "Content-Disposition": "Suggested file name." },
				},
			},
			problems: ["not-found"],
			handle: (call) => getEvidence(deps, call),
		},
		providerInfoOperation(deps),
	];
}

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
	const cases = Map.groupBy(await retryOnFailure(() => findCasesOf(sql, tenantOf(call), ids)), ({ setId }) => setId);
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
	return json(200, toRecord(row, await findCases(sql, row)), headers);
}

export async function change(
	deps: OperationTools,
	call: Call,
	status: 200 | 202,
	write: (tx: Tx, tenantId: string, id: string, doer: Doer) => Promise<TestSetRow>,
): Promise<Response> {
	const id = idFrom(call);
	const answer = await answerOnce(deps.sql, call, async (tx) => {
		const row = await write(tx, tenantOf(call), id, doerOf(deps, call));
		const record = toRecord(row, await findCases(tx, row));
		const running: Record<string, string> =
			status === 202 ? { location: record._links.self, "retry-after": RETRY_AFTER } : {};
		return { status, body: record, headers: { ...PRIVATE_NO_STORE, ...running } };
	});
	deps.wake();
	return answer;
}

export async function getEvidence({ sql, readSealed }: OperationTools, call: Call): Promise<Response> {
	const row = await findOwnSet(sql, call);
	const bytes = await packEvidence({ sql, readSealed }, row);
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

/** Throws: not-found, also for another company's set, or under another company's path. */
async function findOwnSet(sql: Sql, call: Call): Promise<TestSetRow> {
	const id = idFrom(call);
	const row = await retryOnFailure(() => findSet(sql, tenantOf(call), id));
	if (!row) throw new Problem("not-found");
	return row;
}
