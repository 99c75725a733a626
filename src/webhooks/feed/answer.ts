/** How the feed is answered: a page, at once or after a wait, or a line that stays open. */
import type { Sql } from "../../database";
import { type Call, json, NOT_KEPT, readQuery, tenantOf } from "../../operation";
import { type Fault, Problem } from "../../problem";
import type { Log } from "../../telemetry";
import { mayHear, waitWhileAllowed } from "./allowed";
import type { Seats } from "./seats";
import { type FeedRow, readFeed } from "./store";
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
const LAST_EVENT_ID = "#/header/Last-Event-ID";
/** Stands for the place behind the newest event. */
export const LATEST = "latest";

/** The events after a place; with `wait` as soon as there is one. Throws: validation-error, cursor-expired, rate-limit-exceeded. */
export async function answerPage(deps: FeedDeps, watch: FeedWatch, seats: Seats, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const { after, limit = String(LIMIT_DEFAULT), wait = "0", types } = readQuery(call);
	const leave = Number(wait) > 0 ? seats.take(tenantId) : () => undefined;
	try {
		const ask = { tenantId, patterns: toPatterns(types), limit: Number(limit), pointer: AFTER };
		return toAnswer(await waitForPage(deps, watch, call, ask, toPlace(after), Number(wait)));
	} finally {
		leave();
	}
}

async function waitForPage(
	{ sql, isDraining }: FeedDeps,
	watch: FeedWatch,
	call: Call,
	ask: Ask,
	after: Place,
	waitSeconds: number,
): Promise<Page> {
	const gone = call.request.signal;
	const deadline = performance.now() + waitSeconds * 1_000;
	// Whoever has lost the right to hear while waiting is told so by the status.
	const isOver = async () => {
		await call.checkAgain?.();
		return isDraining();
	};
	for (let from = after; ; ) {
		const page = await readFrom(sql, ask, from);
		const leftMs = deadline - performance.now();
		if (page.rows.length > 0 || leftMs <= 0 || isDraining() || gone.aborted) return page;
		// What did not pass the filter is not looked at again.
		from = page.after;
		await waitWhileAllowed(watch, ask.tenantId, page.after, Math.min(leftMs, READ_EVERY_MS), gone, isOver);
	}
}

/** The events as they happen, on a line that stays open. Throws: validation-error, cursor-expired, rate-limit-exceeded. */
export async function openStream(
	{ sql, isDraining }: FeedDeps,
	watch: FeedWatch,
	seats: Seats,
	call: Call,
): Promise<Response> {
	const tenantId = tenantOf(call);
	const { after: given, limit = String(LIMIT_DEFAULT), types } = readQuery(call);
	const lastId = readLastEventId(call);
	const from = lastId ?? toPlace(given);
	const pointer = lastId === undefined ? AFTER : LAST_EVENT_ID;
	const ask = { tenantId, patterns: toPatterns(types), limit: Number(limit), pointer };
	const leave = seats.take(tenantId);
	const gone = new AbortController();
	const end = () => {
		gone.abort();
		leave();
	};
	call.request.signal.addEventListener("abort", end);
	const endsAt = performance.now() + STREAM_LIFETIME_MS;
	const isOver = async () => isDraining() || performance.now() >= endsAt || !(await mayHear(call));
	const next = async (after: number, signal: AbortSignal) => {
		const page = await readFrom(sql, ask, after);
		if (page.rows.length === 0) await waitWhileAllowed(watch, tenantId, page.after, READ_EVERY_MS, signal, isOver);
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
	readonly from: number;
	/** Where to go on: everything up to it has been told or does not pass the filter. */
	readonly after: number;
	readonly partial: boolean;
};

type Ask = {
	readonly tenantId: string;
	readonly patterns: readonly string[] | undefined;
	readonly limit: number;
	/** Where the request says the place. */
	readonly pointer: string;
};
/** An event's number; undefined is before the oldest one kept. */
type Place = number | typeof LATEST | undefined;

/** Throws: cursor-expired; validation-error for a number that no event has yet, behind which a caller would wait in vain. */
async function readFrom(sql: Sql, { tenantId, patterns, limit, pointer }: Ask, place: Place): Promise<Page> {
	const asked = place === LATEST ? Number.MAX_SAFE_INTEGER : (place ?? 0);
	const { last, swept, rows } = await readFeed(sql, tenantId, asked, patterns, limit + 1);
	if (typeof place === "number" && place < swept) throw new Problem("cursor-expired");
	if (typeof place === "number" && place > last) {
		const detail = `The newest event is ${last}; \`${LATEST}\` stands for it.`;
		throw new Problem("validation-error", { faults: [{ pointer, code: "out-of-range", detail }] });
	}
	const from = place === LATEST ? last : Math.max(asked, swept);
	const kept = rows.filter(({ sequence }) => sequence > from);
	const told = kept.slice(0, limit);
	const partial = kept.length > limit;
	return { rows: told, from, partial, after: partial ? (told.at(-1)?.sequence ?? from) : Math.max(last, from) };
}

function toAnswer({ rows, partial, after }: Page): Response {
	const events = rows.map(({ id, body }) => ({ id, ...(JSON.parse(body) as object) }));
	return json(200, { events, count: events.length, partial, next: String(after) }, NOT_KEPT);
}

/** `_` of a name would stand for any character in a LIKE. */
function toPatterns(types: string | undefined): string[] | undefined {
	return types?.split(",").map((type) => type.replaceAll("_", "\\_").replace("*", "%"));
}

function toPlace(after: string | undefined): Place {
	return after === undefined || after === LATEST ? after : Number(after);
}

/** Throws: validation-error. */
function readLastEventId(call: Call): number | undefined {
	const id = call.request.headers.get("last-event-id");
	if (id === null || id === "") return undefined;
	if (/^(0|[1-9]\d{0,14})$/.test(id)) return Number(id);
	const fault: Fault = { pointer: LAST_EVENT_ID, code: "invalid-cursor", detail: "Is not an event's id." };
	throw new Problem("validation-error", { faults: [fault] });
}
