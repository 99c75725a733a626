/** The operation that lists the changes of watched numbers. */

import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import { type Call, json, type Operation, PRIVATE_NO_STORE, queryParameter, readQuery } from "../../platform/operation";
import { msg } from "../../platform/problem";
import { ID_PATTERN } from "../../platform/values";
import {
	checkPosition,
	createFeedCursors,
	type FeedPosition,
	openCursor,
	readFeed,
	type WatchedField,
} from "../changes";
import { Timestamp } from "../entry";
import { CHANGE_KINDS, digitsOf } from "../index/index";
import { type RegistryView, viewOrProblem } from "../runs";
import { isRisk, isWatched } from "./join";
import { unpackWatched } from "./numbers";
import { findNumbers } from "./store";
import { ID, READING, take, type WatchlistsDeps } from "./watchlist";

const CHANGES_READ = 10_000;
const READS_MAX = 10;
const EXAMPLE_RUN = "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f";
const EXAMPLE_CURSOR = "Yt2lqW0mZk8xN1s4GfUuC3rJvB7eHoQ9aDpX5yLhTiK6wMzRb3VnE8cJq0sWgLx7uZt5Ay";

const WatchedChange = Type.Object({
	document: Type.String(),
	reference: Type.Optional(Type.String()),
	change: Type.Union(CHANGE_KINDS.map((kind) => Type.Literal(kind))),
	risk: Type.Boolean({ description: "The entry was ACTIVO and is no longer, or is removed." }),
	fields: Type.Array(Type.Object({ field: Type.String(), was: Type.String(), is: Type.String() }), {
		description: "The watched values that changed.",
	}),
	run_id: Type.String(),
	at: Timestamp("When that run ended or was rolled back to."),
});
type WatchedChange = Static<typeof WatchedChange>;

const WatchedChanges = Type.Object(
	{
		changes: Type.Array(WatchedChange, { description: "Oldest run first, within a run by number." }),
		count: Type.Integer(),
		partial: Type.Boolean({ description: "True if more may follow, even if this page is empty." }),
		next: Type.String({ description: "Send it as `after` to read what follows, now or after the next run." }),
	},
	{ $id: "WatchlistChanges" },
);

export function changesOperation(deps: WatchlistsDeps): Operation {
	return {
		id: "listWatchlistChanges",
		sdk: "watchlists.listChanges",
		...{ method: "GET", path: "/v1/watchlists/{id}/changes", summary: "List changes of watched numbers", ...READING },
		description:
			"The changes of the numbers that are on the list now, in the runs that the registry's change feed keeps. Cursors are those of " +
			"that feed. Erased entries never appear.",
		parameters: [
			ID,
			queryParameter(
				"after",
				"`next` of the previous answer. Without it, from the oldest run that is kept.",
				Type.String(),
			),
			queryParameter(
				"run_id",
				"Only the changes of one run.",
				Type.String({ pattern: ID_PATTERN, faultCode: "invalid-id", faultDetail: msg`Is not an id.` }),
			),
			queryParameter(
				"limit",
				"1 to 1000, default 100.",
				Type.String({ pattern: "^([1-9]\\d{0,2}|1000)$", faultDetail: msg`Send a number from 1 to 1000.` }),
			),
		],
		answers: {
			200: {
				description: "One page of changes.",
				schema: WatchedChanges,
				example: {
					changes: [
						{
							...{ document: "131880681", reference: "SUP-4711", change: "changed", risk: true },
							fields: [{ field: "status", was: "ACTIVO", is: "SUSPENDIDO" }],
							...{ run_id: EXAMPLE_RUN, at: "2026-11-20T04:02:11.000Z" },
						},
					],
					...{ count: 1, partial: false, next: EXAMPLE_CURSOR },
				},
			},
		},
		problems: ["validation-error", "not-found", "cursor-expired", "registry-unavailable"],
		handle: (call) => listChanges(deps, call),
	};
}

async function listChanges(deps: WatchlistsDeps, call: Call): Promise<Response> {
	const { after, limit = "100", run_id: runId } = readQuery(call);
	const { id, fields } = await take(deps.sql, call);
	const view = viewOrProblem(deps.takeView);
	const cursors = createFeedCursors(deps.cursorKey);
	const start = after === undefined ? undefined : openCursor(cursors, after);
	const watched = new Map(
		unpackWatched(await findNumbers(deps.sql, id)).map(({ key, reference }) => [digitsOf(key), reference]),
	);
	const page = await readPage(deps.sql, view, start, Number(limit), { watched, fields, runId });
	const { changes, partial, position } = page;
	const body = { changes, count: changes.length, partial, next: cursors.seal(position) };
	return json(200, body, PRIVATE_NO_STORE);
}

type Filter = {
	readonly watched: ReadonlyMap<string, string>;
	readonly fields: readonly WatchedField[];
	readonly runId: string | undefined;
};
type ChangesPage = {
	readonly changes: readonly WatchedChange[];
	readonly partial: boolean;
	readonly position: FeedPosition;
};

/** Reads a bounded part of the feed. Throws: cursor-expired. */
async function readPage(
	sql: Sql,
	view: RegistryView,
	start: FeedPosition | undefined,
	limit: number,
	{ watched, fields, runId }: Filter,
): Promise<ChangesPage> {
	const changes: WatchedChange[] = [];
	let position = start;
	for (let reads = 1; ; reads++) {
		const question = { runId: view.run.runId, after: position?.number, limit: CHANGES_READ };
		const feed = await readFeed(sql, question);
		checkPosition(position, feed);
		for (const row of feed.rows) {
			const reference = watched.get(row.document);
			const shown = (row.fields ?? []).filter(({ field }) => fields.some((one) => one === field));
			const isOfRun = runId === undefined || row.runId === runId;
			if (reference !== undefined && isWatched(row, fields) && isOfRun && !view.isErased(row.document)) {
				if (changes.length === limit)
					return { changes, partial: true, position: position ?? feed.positionOf(feed.floor) };
				changes.push({
					...{ document: row.document, ...(reference === "" ? {} : { reference }) },
					...{ change: row.kind, risk: isRisk(row), fields: shown, run_id: row.runId, at: row.at.toISOString() },
				});
			}
			position = feed.positionOf(row.number);
		}
		const isEnd = feed.rows.length < CHANGES_READ;
		if (isEnd || reads === READS_MAX) {
			const end = isEnd ? feed.positionOf(Math.max(position?.number ?? feed.floor, feed.head)) : position;
			return { changes, partial: !isEnd, position: end ?? feed.positionOf(feed.floor) };
		}
	}
}
