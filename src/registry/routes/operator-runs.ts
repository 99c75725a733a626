/** The ingest runs as operators see them, and the way back to an earlier one. */
import { type Static, Type } from "@sinclair/typebox";
import { type Actor, operatorOf } from "../../identity/audit-log";
import type { Sql } from "../../platform/database";
import {
	type Call,
	cutPage,
	idFrom,
	json,
	NEEDS_OPERATOR,
	type Operation,
	PRIVATE_NO_STORE,
	pageAnswer,
	pageParameters,
	pathParameter,
	readPageQuery,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { RollbackError } from "../ingest";
import { findRun, listKeptRuns, listRunsBefore, type RunRow } from "../runs";
import { exampleRun } from "./runs";

type Operating = {
	readonly sql: Sql;
	/** Throws: RollbackError. */
	readonly rollback: (runId: string, actor: Actor) => Promise<void>;
};

const TAG = "Operator";

const Count = Type.Union([Type.Integer(), Type.Null()]);
const OperatorRun = Type.Object(
	{
		runId: Type.String(),
		result: Type.String({ description: "`ok`, `refused` or `failed`." }),
		reason: Type.Union([Type.String(), Type.Null()]),
		source: Type.String(),
		startedAt: Type.String(),
		finishedAt: Type.String(),
		recordCount: Type.Integer(),
		added: Count,
		changed: Count,
		removed: Count,
		current: Type.Boolean({ description: "Whether it is served." }),
		restorable: Type.Boolean({ description: "Whether the service can go back to it." }),
	},
	{ $id: "OperatorRun" },
);
type OperatorRun = Static<typeof OperatorRun>;

export function operatorRunOperations(deps: Operating): Operation[] {
	return [
		{
			id: "listOperatorRuns",
			sdk: null,
			...{
				method: "GET",
				path: "/v1/operator/registry/runs",
				tag: TAG,
				summary: "List ingest runs with their reasons",
			},
			description: "Newest first, with the source and why a run was refused.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin" },
			parameters: pageParameters(),
			answers: {
				200: pageAnswer("A page of runs.", OperatorRun, toRecord(exampleRun, [exampleRun.runId])),
			},
			problems: ["validation-error"],
			handle: (call) => listRuns(deps, call),
		},
		{
			id: "rollBackRegistry",
			sdk: null,
			...{ method: "POST", path: "/v1/operator/registry/runs/{id}:rollback", tag: TAG, summary: "Go back to a run" },
			description: "Every process serves its data again. Later runs count as refused. A running ingest ends first.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin", confirms: true },
			parameters: [pathParameter("id", "The run.", "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f")],
			answers: { 204: { description: "It is served." } },
			problems: ["validation-error", "not-found"],
			handle: (call) => goBack(deps, call),
		},
	];
}

async function listRuns({ sql }: Operating, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const [rows, kept] = await Promise.all([listRunsBefore(sql, query.after, limit + 1), listKeptRuns(sql)]);
	const { page, place } = cutPage(rows, limit, ({ runId }) => runId);
	return json(200, { items: page.map((row) => toRecord(row, kept)), ...place }, PRIVATE_NO_STORE);
}

/** The newest of the kept runs is served. */
function toRecord(row: RunRow, kept: readonly string[]): OperatorRun {
	const { runId, result, reason, source, recordCount, added, changed, removed } = row;
	const current = kept[0] === runId;
	return {
		...{ runId, result, reason, source, recordCount, added, changed, removed, current },
		startedAt: row.attemptedAt.toISOString(),
		finishedAt: row.finishedAt.toISOString(),
		restorable: !current && kept.includes(runId),
	};
}

async function goBack({ sql, rollback }: Operating, call: Call): Promise<Response> {
	const runId = idFrom(call);
	if (!(await findRun(sql, runId))) throw new Problem("not-found");
	try {
		await rollback(runId, operatorOf(call));
	} catch (cause) {
		if (!(cause instanceof RollbackError)) throw cause;
		const detail = msg`The run was refused, or its data is no longer kept.`;
		throw new Problem("validation-error", {
			faults: [{ pointer: "#/path/id", code: "not-restorable", detail }],
			cause,
		});
	}
	return new Response(null, { status: 204, headers: PRIVATE_NO_STORE });
}
