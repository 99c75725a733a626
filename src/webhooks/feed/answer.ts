/** How the feed is answered: a page, at once or after a wait, or a line that stays open. */
import type { Sql } from "../../database";
import { type Call, json, readQuery, tenantOf } from "../../operation";
import { type Fault, Problem } from "../../problem";
import type { Log } from "../../telemetry";
import type { Seats } from "./seats";
import { type FeedRow, readFeed } from "./store";
import { streamFeed } from "./stream";
import type { FeedWatch } from "./watch";

export type FeedDeps = {
	readonly sql: Sql;
	readonly log: Log;
	readonly isDraining: () => boolean;
};

const LIMIT_DEFAULT = 100;
/** A stream looks up from waiting so often: it notices a drain, and tells that it lives. */
const STREAM_WAIT_MS = 1_000;
/** Then the client connects again, and shows credentials that may have been revoked. */
const STREAM_LIFETIME_MS = 15 * 60_000;
/** Lines that one company may hold open in one process. */
export const STREAMS_MAX = 20;
export const SSE = "text/event-stream";

/** The events after a place; with `wait` as soon as there is one. Throws: validation-error, cursor-expired. */
export async function answerPage({ sql, isDraining }: FeedDeps, watch: FeedWatch, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const { after: given, limit = String(LIMIT_DEFAULT), wait = "0", types } = readQuery(call);
	const after = given === undefined ? undefined : Number(given);
	const deadline = performance.now() + Number(wait) * 1_000;
	for (let from = after; ; ) {
		const page = await readFrom(sql, tenantId, from, toPatterns(types), Number(limit));
		const leftMs = deadline - performance.now();
		if (page.rows.length > 0 || leftMs <= 0 || isDraining() || call.request.signal.aborted) return toAnswer(page);
		// What did not pass the filter is not looked at again.
		from = page.after;
		await watch.wait(tenantId, from, Math.min(leftMs, STREAM_WAIT_MS), call.request.signal);
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
	const from = readLastEventId(call) ?? (given === undefined ? undefined : Number(given));
	const patterns = toPatterns(types);
	const leave = seats.take(tenantId);
	const gone = new AbortController();
	const end = () => {
		gone.abort();
		leave();
	};
	call.request.signal.addEventListener("abort", end);
	const next = async (after: number, signal: AbortSignal) => {
		const page = await readFrom(sql, tenantId, after, patterns, Number(limit));
		if (page.rows.length === 0) await watch.wait(tenantId, page.after, STREAM_WAIT_MS, signal);
		return page;
	};
	try {
		// Whoever comes too late is told so by a status, not by a line that breaks.
		const first = await readFrom(sql, tenantId, from, patterns, 0);
		const endsAt = performance.now() + STREAM_LIFETIME_MS;
		const isOver = () => isDraining() || performance.now() >= endsAt;
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

/** Throws: cursor-expired. */
async function readFrom(
	sql: Sql,
	tenantId: string,
	after: number | undefined,
	patterns: readonly string[] | undefined,
	limit: number,
): Promise<Page> {
	const { last, swept, rows } = await readFeed(sql, tenantId, after ?? 0, patterns, limit + 1);
	if (after !== undefined && after < swept) throw new Problem("cursor-expired");
	const from = Math.max(after ?? 0, swept);
	const kept = rows.filter(({ sequence }) => sequence > from);
	const told = kept.slice(0, limit);
	const partial = kept.length > limit;
	return { rows: told, from, partial, after: partial ? (told.at(-1)?.sequence ?? from) : Math.max(last, from) };
}

function toAnswer({ rows, partial, after }: Page): Response {
	const events = rows.map(({ id, body }) => ({ id, ...(JSON.parse(body) as object) }));
	const headers = { "cache-control": "private, no-store" };
	return json(200, { events, count: events.length, partial, next: String(after) }, headers);
}

/** `_` of a name would stand for any character in a LIKE. */
function toPatterns(types: string | undefined): string[] | undefined {
	return types?.split(",").map((type) => type.replaceAll("_", "\\_").replace("*", "%"));
}

export function wantsStream(call: Call): boolean {
	return (call.request.headers.get("accept") ?? "").toLowerCase().includes(SSE);
}

/** Throws: validation-error. */
function readLastEventId(call: Call): number | undefined {
	const id = call.request.headers.get("last-event-id");
	if (id === null || id === "") return undefined;
	if (/^(0|[1-9]\d{0,14})$/.test(id)) return Number(id);
	const fault: Fault = { pointer: "#/header/Last-Event-ID", code: "invalid-cursor", detail: "Is not an event's id." };
	throw new Problem("validation-error", { faults: [fault] });
}
