/** How the operations on test sets are answered. */
import { actorOf, type Doer } from "../../identity/audit-log";
import { retryOnFailure, type Sql, type Tx } from "../../platform/database";
import { answerOnce } from "../../platform/idempotency";
import {
	type Call,
	cutPage,
	idFrom,
	json,
	matchesEtag,
	NOT_KEPT,
	readPageQuery,
	tenantOf,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { type AskDeps, askForSet } from "./ask-for-set";
import { packEvidence } from "./evidence";
import { isFinal } from "./machine";
import { findCases, findCasesOf, findSet, findSets } from "./store";
import type { TestSetRequest } from "./test-set";
import { pathOf, type TestSetRow, toRecord } from "./test-set-row";

export type AnswerDeps = AskDeps & {
	readonly sql: Sql;
	/** Tells dispatchers that a message waits. */
	readonly wake: () => void;
};

const RETRY_AFTER = "5";

export async function postSet(deps: AnswerDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const answer = await answerOnce<TestSetRequest>(deps.sql, call, async (tx, request) => {
		const row = await askForSet(tx, deps, { tenantId, request, doer: doerOf(deps, call) });
		return { status: 202, body: toRecord(row, []), headers: { location: pathOf(row), "retry-after": RETRY_AFTER } };
	});
	deps.wake();
	return answer;
}

export async function listSets({ sql }: AnswerDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after, status } = query;
	const rows = await retryOnFailure(() => findSets(sql, tenantOf(call), { after, status, limit }));
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	const ids = page.map(({ id }) => id);
	const cases = Map.groupBy(await retryOnFailure(() => findCasesOf(sql, ids)), ({ setId }) => setId);
	return json(200, { items: page.map((row) => toRecord(row, cases.get(row.id) ?? [])), ...place }, NOT_KEPT);
}

export async function getSet({ sql }: AnswerDeps, call: Call): Promise<Response> {
	const row = await findOwnSet(sql, call);
	const headers = {
		...NOT_KEPT,
		etag: `"v${row.version}"`,
		...(isFinal(row.status) ? {} : { "retry-after": RETRY_AFTER }),
	};
	if (matchesEtag(call.request.headers.get("if-none-match"), headers.etag)) {
		return new Response(null, { status: 304, headers });
	}
	return json(200, toRecord(row, await findCases(sql, row.id, row.run)), headers);
}

export async function change(
	deps: AnswerDeps,
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
		return { status, body: record, headers: { ...NOT_KEPT, ...running } };
	});
	deps.wake();
	return answer;
}

export async function getEvidence({ sql }: AnswerDeps, call: Call): Promise<Response> {
	const row = await findOwnSet(sql, call);
	const bytes = await packEvidence(sql, row);
	return new Response(new Uint8Array(bytes), {
		headers: {
			...NOT_KEPT,
			"content-type": "application/zip",
			"content-disposition": `attachment; filename="check-set-tests-${row.id}.zip"`,
		},
	});
}

function doerOf({ clock }: AnswerDeps, call: Call): Doer {
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
