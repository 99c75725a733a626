/** The change feed: what the ingest runs changed, for clients that keep a copy of the registry. */

import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import { json, NEEDS_KEY, type Operation, readQuery } from "../../platform/operation";
import { parseTaxpayerDocument } from "../../platform/values";
import {
	type ChangeRow,
	checkPosition,
	createFeedCursors,
	type FeedCursors,
	type FeedPosition,
	openCursor,
	readFeed,
} from "../changes";
import { exampleEntry, RegistryEntry, Timestamp } from "../entry";
import { CHANGE_KINDS } from "../index/index";
import { type RegistryView, type TakeView, viewOrProblem } from "../runs";
import { LIMIT_DEFAULT, limitParameter, withoutCachingProblems } from "./answers";

type ChangesRouteDeps = {
	readonly sql: Sql;
	readonly takeView: TakeView;
	/** Seals this feed's cursors; the same in every process and after every restart. */
	readonly cursorKey: Uint8Array;
};

const CHANGES_MAX = 1_000;

const Change = Type.Object({
	document: Type.String({ description: "The entry's number, digits only." }),
	change: Type.Union(
		CHANGE_KINDS.map((kind) => Type.Literal(kind)),
		{ description: "What the run did to the entry." },
	),
	run_id: Type.String({
		description: "The run that made the change, or the run that was rolled back to.",
	}),
	at: Timestamp("When that run ended or was rolled back to; never before the preceding change."),
	entry: Type.Optional(RegistryEntry),
});
type Change = Static<typeof Change>;

const RegistryChanges = Type.Object(
	{
		changes: Type.Array(Change, {
			description:
				"Oldest run first, within a run by number. `entry` is the current entry, not the one at the time; absent if it no longer exists.",
		}),
		count: Type.Integer({ description: "Changes in this answer." }),
		partial: Type.Boolean({ description: "True if more changes follow." }),
		next: Type.String({
			description: "Send it as `after` to read what follows, now or after the next run. It is opaque.",
		}),
		run_id: Type.String({ description: "The run that `entry` comes from, and the last one whose changes are listed." }),
	},
	{ $id: "RegistryChanges" },
);
type RegistryChanges = Static<typeof RegistryChanges>;

export function listChanges(deps: ChangesRouteDeps): Operation {
	return {
		id: "listRegistryChanges",
		sdk: "registry.listChanges",
		method: "GET",
		path: "/v1/authority/registry/changes",
		tag: "Registry",
		summary: "List changes of the registry",
		description:
			"Lists the entries that each ingest run added, changed or removed, so that you can keep a copy of the registry. The feed starts after the first run, whose `added` counts the whole registry. To start a copy, read the feed to its end and keep `next`. Then fill the copy, either from the authority's own file or by batch look-ups of the numbers that you need. Use the file whose SHA-256 is the `source_sha256` of the registry's status, or a newer one. Then continue from `next`. The file may contain entries that were erased here; look-ups do not. The last 32 runs are kept. A cursor expires when its run is no longer kept, when a run with an unknown difference follows, or when an older database is restored. Cursors in digits, an earlier form, have expired too. The answer is then `cursor-expired`: start again. Erased entries never appear, and neither does their removal.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [
			{
				name: "after",
				in: "query",
				required: false,
				description:
					"`next` of the previous answer. Without it, the feed starts at the oldest run that is kept, but after the first run of all.",
				schema: Type.String(),
				example: exampleCursors[0],
			},
			limitParameter(CHANGES_MAX),
		],
		answers: {
			200: {
				description: "One page of changes; empty if there are none after `after`.",
				schema: RegistryChanges,
				example: {
					changes: [
						{
							document: exampleEntry.rnc,
							change: "changed",
							run_id: exampleRunId,
							at: exampleAt,
							entry: exampleEntry,
						},
						{
							document: "990000007",
							change: "removed",
							run_id: exampleRunId,
							at: exampleAt,
						},
					],
					count: 2,
					partial: false,
					next: exampleCursors[1],
					run_id: exampleRunId,
				},
				headers: { "Cache-Control": "`no-store`", "X-Registry-Run-Id": "As `run_id`." },
			},
		},
		problems: ["validation-error", "cursor-expired", "registry-unavailable"],
		handle: withoutCachingProblems(async (call) => {
			const { after, limit = LIMIT_DEFAULT } = readQuery(call);
			const view = viewOrProblem(deps.takeView);
			const cursors = createFeedCursors(deps.cursorKey);
			const position = after === undefined ? undefined : openCursor(cursors, after);
			const page = await readPage(deps, view, position, Number(limit));
			return json(200, toAnswer(page, cursors, view.run.runId), {
				"cache-control": "no-store",
				"x-registry-run-id": view.run.runId,
			});
		}),
	};
}

type Page = { readonly changes: Change[]; readonly partial: boolean; readonly position: FeedPosition };

/** Throws: cursor-expired. */
async function readPage(
	deps: ChangesRouteDeps,
	view: RegistryView,
	after: FeedPosition | undefined,
	limit: number,
): Promise<Page> {
	const { runId } = view.run;
	const changes: Change[] = [];
	let position = after;
	for (;;) {
		const feed = await readFeed(deps.sql, { runId, after: position?.number, limit: limit + 1 });
		const { floor, head, positionOf, rows } = feed;
		checkPosition(position, feed);
		for (const row of rows) {
			// A restored backup may hold rows of later erasures.
			const isShown = !view.isErased(row.document);
			if (isShown && changes.length === limit)
				return { changes, partial: true, position: position ?? positionOf(floor) };
			if (isShown) changes.push(toChange(view, row));
			position = positionOf(row.number);
		}
		if (rows.length <= limit)
			return { changes, partial: false, position: positionOf(Math.max(position?.number ?? floor, head)) };
	}
}

function toAnswer({ changes, partial, position }: Page, cursors: FeedCursors, runId: string): RegistryChanges {
	return { changes, count: changes.length, partial, next: cursors.seal(position), run_id: runId };
}

function toChange(view: RegistryView, row: ChangeRow): Change {
	const parsed = parseTaxpayerDocument(row.document);
	const entry = parsed && view.lookup(parsed);
	return {
		document: row.document,
		change: row.kind,
		run_id: row.runId,
		at: row.at.toISOString(),
		...(entry ? { entry } : {}),
	};
}

const exampleRunId = "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f";
const exampleAt = "2026-11-20T04:02:11.000Z";
const exampleCursors = [
	"Yt2lqW0mZk8xN1s4GfUuC3rJvB7eHoQ9aDpX5yLhTiK6wMzRb3VnE8cJq0sWgLx7uZt5Ay",
	"Hc8VnE3bQj7uLx0pWgZt5sAyRk2dMfO9iXqT4rJvB6eGoUaDm1YkP7fNw3hSzCb9lKv0Ru",
];
