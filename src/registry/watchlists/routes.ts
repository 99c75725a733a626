/** The operations on watchlists. */
import { type Static, Type } from "@sinclair/typebox";
import { actorOf, recordAudit } from "../../identity/audit-log";
import { PLAN_LIMITS } from "../../identity/rate-limits";
import type { Sql, Tx } from "../../platform/database";
import { answerOnce, idempotencyKeyParameter } from "../../platform/idempotency";
import {
	type Call,
	cutPage,
	idFrom,
	json,
	jsonBody,
	NEEDS_KEY,
	type Operation,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	pathParameter,
	queryParameter,
	readBytes,
	readJson,
	readPageQuery,
	readQuery,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { type Clock, ID_PATTERN, newId } from "../../platform/values";
import {
	checkPosition,
	createFeedCursors,
	type FeedPosition,
	openCursor,
	readFeed,
	WATCHED_FIELDS,
	type WatchedField,
} from "../changes";
import { Timestamp } from "../entry";
import { CHANGE_KINDS, digitsOf, keyOf } from "../index/index";
import type { RegistryView, TakeView } from "../runs";
import { viewOrProblem } from "../runs";
import { isRisk } from "./join";
import { packWatched, unpackWatched, type Watched } from "./numbers";
import { NUMBERS_MAX, REFERENCE_MAX, readDocumentLines, toWatched } from "./read-documents";
import {
	changeWatchlist,
	deleteWatchlist,
	findNumbers,
	findWatchlist,
	type Holder,
	insertWatchlist,
	listWatchlists,
	lockAndCount,
	type WatchlistRow,
	writeNumbers,
} from "./store";

export type WatchlistsDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly takeView: TakeView;
	/** Erased numbers are not kept on lists. */
	readonly isErased: (digits: string) => boolean;
	/** Seals the cursors of the change feed. */
	readonly cursorKey: Uint8Array;
};

const TAG = "Watchlists";
const PART_MAX = 10_000;
const FILE_BYTES_MAX = 8 * 1024 * 1024;
const CHANGES_READ = 10_000;
const READS_MAX = 10;

const Name = Type.String({ minLength: 1, maxLength: 100, description: "What the list is for." });
const Fields = Type.Array(Type.Union(WATCHED_FIELDS.map((field) => Type.Literal(field))), {
	...{ minItems: 1, maxItems: WATCHED_FIELDS.length, uniqueItems: true },
	description: "Values whose changes are reported. Entries that appear or disappear always are.",
});

const WatchlistRequest = Type.Object({ name: Name, fields: Type.Optional(Fields) }, { additionalProperties: false });
type WatchlistRequest = Static<typeof WatchlistRequest>;
const WatchlistPatch = Type.Object(
	{ name: Type.Optional(Name), fields: Type.Optional(Fields) },
	{ additionalProperties: false },
);
type WatchlistPatch = Static<typeof WatchlistPatch>;

const Listed = Type.Object(
	{
		document: Type.String({ maxLength: 40, description: "RNC or Cédula; hyphens are optional." }),
		reference: Type.Optional(
			Type.String({ maxLength: REFERENCE_MAX, description: "Your own id of it; events carry it." }),
		),
	},
	{ additionalProperties: false },
);
const DocumentsPart = Type.Object(
	{ documents: Type.Array(Listed, { minItems: 1, maxItems: PART_MAX }) },
	{ additionalProperties: false },
);
type DocumentsPart = Static<typeof DocumentsPart>;

const Watchlist = Type.Object(
	{
		id: Type.String(),
		name: Type.String(),
		fields: Type.Array(Type.String()),
		count: Type.Integer({ description: "Numbers on the list. Erased numbers are not kept." }),
		created_at: Timestamp("When it was created."),
		updated_at: Timestamp("When it, or its numbers, last changed."),
		_links: Type.Object({ self: Type.String(), documents: Type.String(), changes: Type.String() }),
	},
	{ $id: "Watchlist" },
);

const EXAMPLE_ID = "0192f2a0-7a00-7b11-9c22-334455667788";
const EXAMPLE_ROW: WatchlistRow = {
	...{ id: EXAMPLE_ID, name: "Proveedores", fields: ["status", "name"], count: 2 },
	...{ createdAt: new Date("2026-11-20T14:00:00.000Z"), updatedAt: new Date("2026-11-20T14:05:00.000Z") },
};
const EXAMPLE = toRecord(EXAMPLE_ROW);
const EXAMPLE_DOCUMENTS = [
	{ document: "101000023", reference: "SUP-12" },
	{ document: "131880681", reference: "SUP-4711" },
];
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

const WatchedPage = Type.Object(
	{
		items: Type.Array(Type.Object({ document: Type.String(), reference: Type.Optional(Type.String()) })),
		...{ count: Type.Integer(), partial: Type.Boolean(), next: Type.Union([Type.String(), Type.Null()]) },
	},
	{ $id: "WatchlistDocuments" },
);

const ID = pathParameter("id", "The watchlist's id.", EXAMPLE_ID);
const SHOWN = { description: "The watchlist.", schema: Watchlist, example: EXAMPLE };
const READING = { credentials: NEEDS_KEY, scope: "watchlists:read", tag: TAG } as const;
const WRITING = { credentials: NEEDS_KEY, scope: "watchlists:write", tag: TAG } as const;

export function watchlistOperations(deps: WatchlistsDeps): Operation[] {
	return [
		{
			id: "listWatchlists",
			...{ method: "GET", path: "/v1/watchlists", summary: "List watchlists", ...READING },
			description:
				"With a company's token, the lists of that company; with the key alone, the owner's own. Changes of the numbers on a list are " +
				"sent as events to the company or owner.",
			parameters: pageParameters(),
			answers: {
				200: {
					description: "One page, oldest first.",
					schema: pageSchema(Watchlist),
					example: { items: [EXAMPLE], count: 1, partial: false, next: null },
				},
			},
			problems: ["validation-error"],
			handle: (call) => list(deps, call),
		},
		{
			id: "createWatchlist",
			...{ method: "POST", path: "/v1/watchlists", summary: "Create a watchlist", ...WRITING },
			description:
				"The plan limits the lists and the numbers of an owner and its companies together. After each registry run, webhooks that " +
				"subscribe to `registry.record_changed` get one event for each changed number.",
			parameters: [idempotencyKeyParameter()],
			body: jsonBody(WatchlistRequest, { name: "Proveedores", fields: ["status", "name"] }),
			answers: {
				201: { ...SHOWN, headers: { Location: "The watchlist." } },
				200: { ...SHOWN, description: "The request repeats an idempotency key: the first answer again." },
			},
			problems: [
				...(["malformed-json", "validation-error", "watchlist-limit"] as const),
				...(["idempotency-key-reused", "idempotency-in-progress"] as const),
			],
			handle: (call) => create(deps, call),
		},
		{
			id: "getWatchlist",
			...{ method: "GET", path: "/v1/watchlists/{id}", summary: "Read a watchlist", ...READING },
			parameters: [ID],
			answers: { 200: SHOWN },
			problems: ["validation-error", "not-found"],
			handle: async (call) => {
				readQuery(call);
				return json(200, toRecord(await take(deps.sql, call)), PRIVATE_NO_STORE);
			},
		},
		{
			id: "patchWatchlist",
			...{ method: "PATCH", path: "/v1/watchlists/{id}", summary: "Change a watchlist", ...WRITING },
			parameters: [ID],
			body: {
				...jsonBody(WatchlistPatch, { name: "Proveedores 2027" }),
				mediaTypes: ["application/merge-patch+json", "application/json"],
			},
			answers: { 200: SHOWN },
			problems: ["malformed-json", "validation-error", "not-found"],
			handle: (call) => patch(deps, call),
		},
		{
			id: "deleteWatchlist",
			...{ method: "DELETE", path: "/v1/watchlists/{id}", summary: "Delete a watchlist", ...WRITING },
			parameters: [ID],
			answers: { 204: { description: "The list and its numbers are deleted." } },
			problems: ["validation-error", "not-found"],
			handle: (call) => remove(deps, call),
		},
		...documentOperations(deps),
		{
			id: "listWatchlistChanges",
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
					Type.String({ pattern: ID_PATTERN, faultCode: "invalid-id", faultDetail: "Is not an id." }),
				),
				queryParameter(
					"limit",
					"1 to 1000, default 100.",
					Type.String({ pattern: "^([1-9]\\d{0,2}|1000)$", faultDetail: "Send a number from 1 to 1000." }),
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
		},
	];
}

function documentOperations(deps: WatchlistsDeps): Operation[] {
	const part = (verb: "add" | "remove", summary: string): Operation => ({
		id: `${verb}WatchlistDocuments`,
		...{ method: "POST", path: `/v1/watchlists/{id}/documents:${verb}`, summary, ...WRITING },
		description: "A repeat changes nothing further.",
		parameters: [ID],
		body: {
			...jsonBody(DocumentsPart, { documents: EXAMPLE_DOCUMENTS }),
			limitBytes: 2 * 1024 * 1024,
		},
		answers: { 200: SHOWN },
		problems: [
			...(["malformed-json", "validation-error", "invalid-document-format", "not-found"] as const),
			...(verb === "add" ? (["watchlist-limit"] as const) : []),
		],
		handle: async (call) => {
			readQuery(call);
			const { documents } = await readJson<DocumentsPart>(call);
			const given = documents.map(({ document, reference = "" }) => toWatched(document, reference));
			const keys = new Set(given.map(({ key }) => key));
			return writeList(deps, call, (held) =>
				verb === "add" ? [...held, ...given] : held.filter(({ key }) => !keys.has(key)),
			);
		},
	});
	return [
		{
			id: "listWatchlistDocuments",
			...{
				method: "GET",
				path: "/v1/watchlists/{id}/documents",
				summary: "List the numbers of a watchlist",
				...READING,
			},
			parameters: [
				ID,
				queryParameter(
					"after",
					"`next` of the previous page.",
					Type.String({ pattern: "^(\\d{9}|\\d{11})$", faultDetail: "Send the `next` of a page." }),
				),
				queryParameter(
					"limit",
					"1 to 1000, default 100.",
					Type.String({ pattern: "^([1-9]\\d{0,2}|1000)$", faultDetail: "Send a number from 1 to 1000." }),
				),
			],
			answers: {
				200: {
					description: "One page, by number.",
					schema: WatchedPage,
					example: { items: EXAMPLE_DOCUMENTS, count: 2, partial: false, next: null },
				},
			},
			problems: ["validation-error", "not-found"],
			handle: (call) => listDocuments(deps, call),
		},
		{
			id: "putWatchlistDocuments",
			...{
				method: "PUT",
				path: "/v1/watchlists/{id}/documents",
				summary: "Replace the numbers of a watchlist",
				...WRITING,
			},
			description:
				`At most ${NUMBERS_MAX} lines. CSV: the number, then your reference; a first line without digits names the columns. NDJSON: ` +
				"`document` and `reference`. Of equal numbers the last stays.",
			parameters: [ID],
			body: {
				...{ schema: Type.String(), limitBytes: FILE_BYTES_MAX, required: true, takesAnyText: true },
				mediaTypes: ["text/csv", "application/x-ndjson"],
				example: "document,reference\n101000023,SUP-12\n131880681,SUP-4711\n",
			},
			answers: { 200: SHOWN },
			problems: ["list-unreadable", "not-found", "watchlist-limit", "validation-error"],
			handle: async (call) => {
				readQuery(call);
				const bytes = await readBytes(call);
				const watched = readDocumentLines(bytes, call.request.headers.get("content-type") ?? "");
				return writeList(deps, call, () => watched);
			},
		},
		part("add", "Add numbers to a watchlist"),
		part("remove", "Remove numbers from a watchlist"),
	];
}

/** Undefined for the demo key without a company, which has no owner. */
function holderOf({ principal }: Call): Holder | undefined {
	return principal?.ownerId ? { ownerId: principal.ownerId, tenantId: principal.tenantId ?? null } : undefined;
}

/** Throws: not-found. */
function takeHolder(call: Call): Holder {
	const holder = holderOf(call);
	if (!holder) throw new Problem("not-found");
	return holder;
}

/** Throws: not-found. */
async function take(sql: Sql | Tx, call: Call): Promise<WatchlistRow> {
	const found = await findWatchlist(sql, takeHolder(call), idFrom(call));
	if (!found) throw new Problem("not-found");
	return found;
}

function toRecord({ id, name, fields, count, createdAt, updatedAt }: WatchlistRow) {
	const self = `/v1/watchlists/${id}`;
	return {
		...{ id, name, fields: [...fields], count },
		...{ created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() },
		_links: { self, documents: `${self}/documents`, changes: `${self}/changes` },
	};
}

async function list({ sql }: WatchlistsDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const holder = holderOf(call);
	const rows = holder ? await listWatchlists(sql, holder, query.after ?? "", limit + 1) : [];
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toRecord), ...place }, PRIVATE_NO_STORE);
}

const NO_OWNER = "The demo key is shared, so it has no watchlists. Use a key of your own.";

function limitsOf(call: Call) {
	return PLAN_LIMITS[call.principal?.plan ?? "demo"].registry;
}

function beyondLimit(what: "watchlists" | "watchedNumbers", maximum: number): Problem {
	const detail =
		what === "watchlists"
			? `The plan allows ${maximum} watchlists.`
			: `The plan allows ${maximum} numbers on all watchlists together.`;
	return new Problem("watchlist-limit", { detail, extensions: { maximum } });
}

async function create({ sql, clock }: WatchlistsDeps, call: Call): Promise<Response> {
	const { watchlists } = limitsOf(call);
	const holder = holderOf(call);
	const scopeId = holder?.tenantId ?? holder?.ownerId ?? newId();
	return answerOnce<WatchlistRequest>(
		sql,
		call,
		async (tx, { name, fields = ["status", "name"] }) => {
			if (!holder) throw new Problem("watchlist-limit", { detail: NO_OWNER, extensions: { maximum: 0 } });
			if ((await lockAndCount(tx, holder.ownerId)).lists >= watchlists) throw beyondLimit("watchlists", watchlists);
			const row = await insertWatchlist(tx, holder, { id: newId(), name, fields: [...fields] });
			await audit(tx, call, clock, "watchlist.create", row.id);
			const headers = { ...PRIVATE_NO_STORE, location: `/v1/watchlists/${row.id}` };
			return { status: 201, body: toRecord(row), headers };
		},
		{ scopeId },
	);
}

async function audit(tx: Tx, call: Call, clock: Clock, action: string, subject: string): Promise<void> {
	await recordAudit(tx, { actor: actorOf(call), at: clock.now(), action, subject, details: {} });
}

async function patch({ sql, clock }: WatchlistsDeps, call: Call): Promise<Response> {
	readQuery(call);
	const changes = await readJson<WatchlistPatch>(call);
	const id = idFrom(call);
	const row = await sql.begin(async (tx) => {
		const changed = await changeWatchlist(tx, takeHolder(call), id, changes);
		if (changed) await audit(tx, call, clock, "watchlist.patch", id);
		return changed;
	});
	if (!row) throw new Problem("not-found");
	return json(200, toRecord(row), PRIVATE_NO_STORE);
}

async function remove({ sql, clock }: WatchlistsDeps, call: Call): Promise<Response> {
	readQuery(call);
	const id = idFrom(call);
	await sql.begin(async (tx) => {
		if (!(await deleteWatchlist(tx, takeHolder(call), id))) throw new Problem("not-found");
		await audit(tx, call, clock, "watchlist.delete", id);
	});
	return new Response(null, { status: 204 });
}

/** Replaces the numbers of a list. Throws: not-found, watchlist-limit. */
async function writeList(
	{ sql, clock, isErased }: WatchlistsDeps,
	call: Call,
	change: (held: readonly Watched[]) => readonly Watched[],
): Promise<Response> {
	const { watchedNumbers } = limitsOf(call);
	const { ownerId } = takeHolder(call);
	const row = await sql.begin(async (tx) => {
		const { numbers } = await lockAndCount(tx, ownerId);
		const { id, count } = await take(tx, call);
		const watched = change(unpackWatched(await findNumbers(tx, id)));
		// Gap: a caller can see that a number was erased, because it is not kept on the list.
		const packed = packWatched(watched.filter(({ key }) => !isErased(digitsOf(key))));
		if (packed.count > NUMBERS_MAX) throw beyondLimit("watchedNumbers", NUMBERS_MAX);
		if (packed.count > count && numbers - count + packed.count > watchedNumbers)
			throw beyondLimit("watchedNumbers", watchedNumbers);
		await writeNumbers(tx, id, packed);
		await audit(tx, call, clock, "watchlist.documents", id);
		return take(tx, call);
	});
	return json(200, toRecord(row), PRIVATE_NO_STORE);
}

async function listDocuments({ sql, isErased }: WatchlistsDeps, call: Call): Promise<Response> {
	const { after, limit = "100" } = readQuery(call);
	const { id } = await take(sql, call);
	const from = after === undefined ? -1 : keyOf(after);
	const watched = unpackWatched(await findNumbers(sql, id)).filter(({ key }) => key > from);
	const shown = watched.filter(({ key }) => !isErased(digitsOf(key))).slice(0, Number(limit) + 1);
	const { page, place } = cutPage(shown, Number(limit), ({ key }) => digitsOf(key));
	const items = page.map(({ key, reference }) => ({
		document: digitsOf(key),
		...(reference === "" ? {} : { reference }),
	}));
	return json(200, { items, ...place }, PRIVATE_NO_STORE);
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
			const isWanted = row.kind !== "changed" || row.fields === null || shown.length > 0;
			const isOfRun = runId === undefined || row.runId === runId;
			if (reference !== undefined && isWanted && isOfRun && !view.isErased(row.document)) {
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
