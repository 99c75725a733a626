/** Answers of the feed: a page, at once or after a wait, or a stream. */
import type { CallerLimit } from "../../identity/rate-limits";
import type { Sql } from "../../platform/database";
import { type Call, json, PRIVATE_NO_STORE, readQuery, tenantOf } from "../../platform/operation";
import { type Fault, msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { BEGINNING, type Cursor, cursorOf, formatCursor, LATEST, readCursor } from "./cursor";
import { type FeedPage, type FeedRow, readFeed } from "./store";
import { SSE, streamFeed } from "./stream";
import type { FeedWatch } from "./watch";

export type FeedDeps = {
	readonly sql: Sql;
	readonly log: Log;
	readonly isDraining: () => boolean;
};

const LIMIT_DEFAULT = 100;
/** Longest time between two reads of a waiting request, in milliseconds. */
const READ_EVERY_MS = 1_000;
/** Time between two checks of credentials and draining, in milliseconds. They cost no query. */
const CHECK_EVERY_MS = 250;
const STREAM_LIFETIME_MS = 15 * 60_000;
/** Waiting requests and streams that one company may have open in one process. */
export const STREAMS_MAX = 20;
const AFTER = "#/query/after";
const LAST_EVENT_ID = "#/headers/last-event-id";

/** The events after a position; with `wait`, as soon as there is one. Throws: validation-error, cursor-expired, rate-limit-exceeded. */
export async function answerPage(
	deps: FeedDeps,
	watch: FeedWatch,
	callerLimit: CallerLimit,
	call: Call,
): Promise<Response> {
	const tenantId = tenantOf(call);
	const { after, limit = String(LIMIT_DEFAULT), wait = "0", types } = readQuery(call);
	const leave = Number(wait) > 0 ? callerLimit.enter(tenantId) : () => undefined;
	try {
		const query = { tenantId, patterns: toPatterns(types), limit: Number(limit), pointer: AFTER };
		return toAnswer(await waitForPage(deps, watch, call, query, toStart(after), Number(wait)));
	} finally {
		leave();
	}
}

async function waitForPage(
	{ sql, isDraining }: FeedDeps,
	watch: FeedWatch,
	call: Call,
	query: FeedQuery,
	after: Start,
	waitSeconds: number,
): Promise<Page> {
	const gone = call.request.signal;
	const deadline = performance.now() + waitSeconds * 1_000;
	// A caller whose credential ends during the wait gets the status of that.
	const isOver = async () => {
		await call.checkAgain?.();
		return isDraining();
	};
	for (let from: Start = after; ; ) {
		const page = await readFrom(sql, query, from);
		const leftMs = deadline - performance.now();
		if (page.rows.length > 0 || leftMs <= 0 || isDraining() || gone.aborted) return page;
		// Events that the filter excludes are not read again.
		from = page.after;
		await waitWhileAllowed(watch, query.tenantId, page.after.sequence, Math.min(leftMs, READ_EVERY_MS), gone, isOver);
	}
}

/** A stream of the events as they happen. Throws: validation-error, cursor-expired, rate-limit-exceeded. */
export async function openStream(
	{ sql, isDraining }: FeedDeps,
	watch: FeedWatch,
	callerLimit: CallerLimit,
	call: Call,
): Promise<Response> {
	const tenantId = tenantOf(call);
	const { after: given, limit = String(LIMIT_DEFAULT), types } = readQuery(call);
	const lastId = readLastEventId(call);
	const from = lastId ?? toStart(given);
	const pointer = lastId === undefined ? AFTER : LAST_EVENT_ID;
	const query = { tenantId, patterns: toPatterns(types), limit: Number(limit), pointer };
	const leave = callerLimit.enter(tenantId);
	const gone = new AbortController();
	const end = () => {
		gone.abort();
		leave();
	};
	call.request.signal.addEventListener("abort", end);
	const endsAt = performance.now() + STREAM_LIFETIME_MS;
	const isOver = async () => isDraining() || performance.now() >= endsAt || !(await isAllowed(call));
	const next = async (after: Cursor, signal: AbortSignal) => {
		const page = await readFrom(sql, query, after);
		if (page.rows.length === 0)
			await waitWhileAllowed(watch, tenantId, page.after.sequence, READ_EVERY_MS, signal, isOver);
		return page;
	};
	try {
		// An expired cursor is answered with a status, not with a stream that breaks.
		const first = await readFrom(sql, { ...query, limit: 0 }, from);
		const stream = streamFeed({ next, isOver }, first.from, gone.signal, end);
		return new Response(stream, {
			headers: { "content-type": `${SSE}; charset=utf-8`, "cache-control": "no-store", "x-accel-buffering": "no" },
		});
	} catch (error) {
		end();
		throw error;
	}
}

type Page = {
	readonly rows: readonly FeedRow[];
	readonly from: Cursor;
	/** Where to continue: every event up to here was returned or does not match the filter. */
	readonly after: Cursor;
	readonly partial: boolean;
};

type FeedQuery = {
	readonly tenantId: string;
	readonly patterns: readonly string[] | undefined;
	readonly limit: number;
	/** The request's member that holds the cursor. */
	readonly pointer: string;
};
/** Where to start; undefined means before the oldest stored event. */
type Start = Cursor | typeof LATEST | undefined;

/** Throws: cursor-expired; validation-error for a number that no event has yet. */
async function readFrom(sql: Sql, { tenantId, patterns, limit, pointer }: FeedQuery, start: Start): Promise<Page> {
	const after = start === LATEST ? Number.MAX_SAFE_INTEGER : (start ?? BEGINNING).sequence;
	const feed = await readFeed(sql, tenantId, after, patterns, limit + 1);
	if (typeof start === "object") checkKept(start, feed, pointer);
	const last = cursorOf(feed.last, feed.lastId);
	const from = findBeginning(start, feed.swept, last);
	const kept = feed.rows.filter(({ sequence }) => sequence > from.sequence);
	const rows = kept.slice(0, limit);
	const partial = kept.length > limit;
	const end = rows.at(-1);
	return { rows, from, partial, after: !partial ? last : end ? cursorOf(end.sequence, end.id) : from };
}

/** Throws: cursor-expired; validation-error. */
function checkKept({ sequence, mark }: Cursor, { swept, last, afterId }: FeedPage, pointer: string): void {
	if (sequence < swept) throw new Problem("cursor-expired");
	// The marked event does not exist, or is another: an older database was restored.
	const isReplaced =
		mark !== null && (sequence > last || (afterId !== null && cursorOf(sequence, afterId).mark !== mark));
	if (isReplaced) throw new Problem("cursor-expired");
	if (sequence > last) {
		const detail = msg`The newest event is ${last}. \`${LATEST}\` stands for it.`;
		throw new Problem("validation-error", { faults: [{ pointer, code: "out-of-range", detail }] });
	}
}

function findBeginning(start: Start, swept: number, last: Cursor): Cursor {
	if (start === LATEST) return last;
	return start === undefined || start.sequence < swept ? cursorOf(swept, null) : start;
}

function toAnswer({ rows, partial, after }: Page): Response {
	const events = rows.map(({ id, body }) => ({ id, ...(JSON.parse(body) as object) }));
	return json(200, { events, count: events.length, partial, next: formatCursor(after) }, PRIVATE_NO_STORE);
}

/** In a LIKE, an unescaped `_` would match any character. */
function toPatterns(types: string | undefined): string[] | undefined {
	return types?.split(",").map((type) => type.replaceAll("_", "\\_").replace("*", "%"));
}

/** The query's check has refused any text that is not a cursor. */
function toStart(after: string | undefined): Start {
	return after === undefined || after === LATEST ? after : readCursor(after);
}

/** Throws: validation-error. */
function readLastEventId(call: Call): Cursor | undefined {
	const id = call.request.headers.get("last-event-id");
	if (id === null || id === "") return undefined;
	const cursor = readCursor(id);
	if (cursor) return cursor;
	const fault: Fault = { pointer: LAST_EVENT_ID, code: "invalid-cursor", detail: msg`The value is not an event's id.` };
	throw new Problem("validation-error", { faults: [fault] });
}

/** Waits for an event, at most until `isOver` or the time-out. */
async function waitWhileAllowed(
	watch: FeedWatch,
	tenantId: string,
	after: number,
	timeoutMs: number,
	gone: AbortSignal,
	isOver: () => Promise<boolean>,
): Promise<void> {
	const deadline = performance.now() + timeoutMs;
	for (let leftMs = timeoutMs; leftMs > 0 && !gone.aborted; leftMs = deadline - performance.now()) {
		const hasEvent = await watch.wait(tenantId, after, Math.min(leftMs, CHECK_EVERY_MS), gone);
		if ((await isOver()) || hasEvent) return;
	}
}

/** False if a credential of the call has ended. Throws service-unavailable if that cannot be checked; the stream then breaks. */
async function isAllowed(call: Call): Promise<boolean> {
	try {
		await call.checkAgain?.();
		return true;
	} catch (error) {
		// Who has left a company's team gets 404.
		if (error instanceof Problem && error.status < 500) return false;
		throw error;
	}
}
