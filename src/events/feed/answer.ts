/** How the feed is answered: a page, at once or after a wait, or a line that stays open. */

import type { CallerLimit } from "../../identity/rate-limits";
import type { Sql } from "../../platform/database";
import { type Call, json, NOT_KEPT, readQuery, tenantOf } from "../../platform/operation";
import { type Fault, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { mayHear, waitWhileAllowed } from "./allowed";
import { BEGINNING, LATEST, type Place, placeOf, readCursor, toCursor } from "./place";
import { type FeedPage, type FeedRow, readFeed } from "./store";
import { streamFeed } from "./stream";
import { SSE } from "./wants-stream";
import type { FeedWatch } from "./watch";

export type FeedDeps = {
	readonly sql: Sql;
	readonly log: Log;
	readonly isDraining: () => boolean;
};

const LIMIT_DEFAULT = 100;
/** Whoever waits reads again so often, although nothing has come. */
const READ_EVERY_MS = 1_000;
const STREAM_LIFETIME_MS = 15 * 60_000;
/** Lines that one company may hold open in one process. */
export const STREAMS_MAX = 20;
const AFTER = "#/query/after";
const LAST_EVENT_ID = "#/headers/last-event-id";

/** The events after a place; with `wait` as soon as there is one. Throws: validation-error, cursor-expired, rate-limit-exceeded. */
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
		const ask = { tenantId, patterns: toPatterns(types), limit: Number(limit), pointer: AFTER };
		return toAnswer(await waitForPage(deps, watch, call, ask, toAsked(after), Number(wait)));
	} finally {
		leave();
	}
}

async function waitForPage(
	{ sql, isDraining }: FeedDeps,
	watch: FeedWatch,
	call: Call,
	ask: Ask,
	after: Asked,
	waitSeconds: number,
): Promise<Page> {
	const gone = call.request.signal;
	const deadline = performance.now() + waitSeconds * 1_000;
	// Whoever has lost the right to hear while waiting is told so by the status.
	const isOver = async () => {
		await call.checkAgain?.();
		return isDraining();
	};
	for (let from: Asked = after; ; ) {
		const page = await readFrom(sql, ask, from);
		const leftMs = deadline - performance.now();
		if (page.rows.length > 0 || leftMs <= 0 || isDraining() || gone.aborted) return page;
		// What did not pass the filter is not looked at again.
		from = page.after;
		await waitWhileAllowed(watch, ask.tenantId, page.after.sequence, Math.min(leftMs, READ_EVERY_MS), gone, isOver);
	}
}

/** The events as they happen, on a line that stays open. Throws: validation-error, cursor-expired, rate-limit-exceeded. */
export async function openStream(
	{ sql, isDraining }: FeedDeps,
	watch: FeedWatch,
	callerLimit: CallerLimit,
	call: Call,
): Promise<Response> {
	const tenantId = tenantOf(call);
	const { after: given, limit = String(LIMIT_DEFAULT), types } = readQuery(call);
	const lastId = readLastEventId(call);
	const from = lastId ?? toAsked(given);
	const pointer = lastId === undefined ? AFTER : LAST_EVENT_ID;
	const ask = { tenantId, patterns: toPatterns(types), limit: Number(limit), pointer };
	const leave = callerLimit.enter(tenantId);
	const gone = new AbortController();
	const end = () => {
		gone.abort();
		leave();
	};
	call.request.signal.addEventListener("abort", end);
	const endsAt = performance.now() + STREAM_LIFETIME_MS;
	const isOver = async () => isDraining() || performance.now() >= endsAt || !(await mayHear(call));
	const next = async (after: Place, signal: AbortSignal) => {
		const page = await readFrom(sql, ask, after);
		if (page.rows.length === 0)
			await waitWhileAllowed(watch, tenantId, page.after.sequence, READ_EVERY_MS, signal, isOver);
		return page;
	};
	try {
		// Whoever comes too late is told so by a status, not by a line that breaks.
		const first = await readFrom(sql, { ...ask, limit: 0 }, from);
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
	/** Where it begins. */
	readonly from: Place;
	/** Where to go on: everything up to it has been told or does not pass the filter. */
	readonly after: Place;
	readonly partial: boolean;
};

type Ask = {
	readonly tenantId: string;
	readonly patterns: readonly string[] | undefined;
	readonly limit: number;
	/** Where the request says the place. */
	readonly pointer: string;
};
/** Undefined is before the oldest event that is kept. */
type Asked = Place | typeof LATEST | undefined;

/** Throws: cursor-expired; validation-error for a number that no event has yet, behind which a caller would wait in vain. */
async function readFrom(sql: Sql, { tenantId, patterns, limit, pointer }: Ask, asked: Asked): Promise<Page> {
	const after = asked === LATEST ? Number.MAX_SAFE_INTEGER : (asked ?? BEGINNING).sequence;
	const feed = await readFeed(sql, tenantId, after, patterns, limit + 1);
	if (typeof asked === "object") checkKept(asked, feed, pointer);
	const last = placeOf(feed.last, feed.lastId);
	const from = findBeginning(asked, feed.swept, last);
	const kept = feed.rows.filter(({ sequence }) => sequence > from.sequence);
	const told = kept.slice(0, limit);
	const partial = kept.length > limit;
	const end = told.at(-1);
	return { rows: told, from, partial, after: !partial ? last : end ? placeOf(end.sequence, end.id) : from };
}

/** Throws: cursor-expired; validation-error. */
function checkKept({ sequence, mark }: Place, { swept, last, afterId }: FeedPage, pointer: string): void {
	if (sequence < swept) throw new Problem("cursor-expired");
	// Such an event was told once, and is not there: the database is an older one.
	const isAnothers =
		mark !== null && (sequence > last || (afterId !== null && placeOf(sequence, afterId).mark !== mark));
	if (isAnothers) throw new Problem("cursor-expired");
	if (sequence > last) {
		const detail = `The newest event is ${last}; \`${LATEST}\` stands for it.`;
		throw new Problem("validation-error", { faults: [{ pointer, code: "out-of-range", detail }] });
	}
}

function findBeginning(asked: Asked, swept: number, last: Place): Place {
	if (asked === LATEST) return last;
	return asked === undefined || asked.sequence < swept ? placeOf(swept, null) : asked;
}

function toAnswer({ rows, partial, after }: Page): Response {
	const events = rows.map(({ id, body }) => ({ id, ...(JSON.parse(body) as object) }));
	return json(200, { events, count: events.length, partial, next: toCursor(after) }, NOT_KEPT);
}

/** `_` of a name would stand for any character in a LIKE. */
function toPatterns(types: string | undefined): string[] | undefined {
	return types?.split(",").map((type) => type.replaceAll("_", "\\_").replace("*", "%"));
}

/** The query's check has refused what is no cursor. */
function toAsked(after: string | undefined): Asked {
	return after === undefined || after === LATEST ? after : readCursor(after);
}

/** Throws: validation-error. */
function readLastEventId(call: Call): Place | undefined {
	const id = call.request.headers.get("last-event-id");
	if (id === null || id === "") return undefined;
	const place = readCursor(id);
	if (place) return place;
	const fault: Fault = { pointer: LAST_EVENT_ID, code: "invalid-cursor", detail: "Is not an event's id." };
	throw new Problem("validation-error", { faults: [fault] });
}
