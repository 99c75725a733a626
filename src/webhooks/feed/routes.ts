/** The operation of the feed: everything that a tenant can be told, in one order without gaps, to read at its own pace. */
import { Type } from "@sinclair/typebox";
import type { Sql } from "../../database";
import { type Call, json, NEEDS_BOTH, type Operation, type Parameter, readQuery, tenantOf } from "../../operation";
import { type Fault, Problem } from "../../problem";
import type { Log } from "../../telemetry";
import { createSeats, type Seats } from "./seats";
import { type FeedRow, readFeed } from "./store";
import { streamFeed } from "./stream";
import { createFeedWatch, type FeedWatch } from "./watch";

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
const STREAMS_MAX = 20;
const SSE = "text/event-stream";

const EXAMPLE = {
	events: [
		{
			...{ id: "0192f190-7a00-7b11-9c22-334455667788", sequence: 48_213, event: "invoice.accepted" },
			...{ docId: "0192f110-7a00-7b11-9c22-334455667788", trackId: "0192f110-7a00-7b11-9c22-334455667789" },
			...{ tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566", occurredAt: "2026-11-20T14:20:00.902Z", docVersion: 4 },
			...{ encf: "E310000000001", status: "accepted" },
		},
	],
	...{ count: 1, partial: false, next: "48213" },
};

const FeedAnswer = Type.Object({
	events: Type.Array(
		Type.Object(
			{
				id: Type.String(),
				sequence: Type.Integer(),
				event: Type.String(),
				docId: Type.String(),
				trackId: Type.String(),
				tenantId: Type.String(),
				occurredAt: Type.String(),
			},
			{ additionalProperties: true, description: "The body that webhooks get, with the event's id." },
		),
	),
	count: Type.Integer(),
	partial: Type.Boolean({ description: "More is there already." }),
	next: Type.String({ description: "Send it as `after`, also when nothing came." }),
});

const query = (name: string, description: string, pattern: string, faultDetail: string): Parameter => ({
	...{ name, in: "query", required: false, description, schema: Type.String({ maxLength: 200, pattern, faultDetail }) },
});

export function feedOperations(deps: FeedDeps): Operation[] {
	const watch = createFeedWatch(deps);
	const seats = createSeats(STREAMS_MAX);
	return [
		{
			id: "listEvents",
			...{ method: "GET", path: "/v1/events", tag: "Events", summary: "Read the company's events in their order" },
			description:
				"All events since a place, oldest first: numbered without gaps, each once. Webhooks carry the same `sequence`, so a receiver sees " +
				"what it has missed and reads it here. `wait` holds the line until something comes. With `Accept: text/event-stream` the " +
				"line stays open for a quarter of an hour, and `Last-Event-ID` says where to go on; a company holds " +
				`${STREAMS_MAX} such lines at most. Events are kept for 30 days.`,
			...{ credentials: NEEDS_BOTH, scope: "events:read" },
			parameters: [
				query(
					"after",
					"`next` of the page before, or a `sequence`; from the oldest kept when absent.",
					"^(0|[1-9]\\d{0,14})$",
					"Send the `next` of a page or a sequence.",
				),
				query("limit", "1 to 1000, default 100.", "^([1-9]\\d{0,2}|1000)$", "Send a number from 1 to 1000."),
				query(
					"wait",
					"Seconds to wait for an event when there is none, 0 to 25.",
					"^(\\d|1\\d|2[0-5])$",
					"Send whole seconds from 0 to 25.",
				),
				query(
					"types",
					"Names or families, separated by commas: `invoice.accepted,certificate.*`. All when absent.",
					"^[a-z_]+\\.(\\*|[a-z_]+)(,[a-z_]+\\.(\\*|[a-z_]+)){0,9}$",
					"Send one to ten names or families, such as invoice.accepted,certificate.*.",
				),
				{
					...{ name: "Last-Event-ID", in: "header", required: false, schema: Type.String() },
					description: "Of a stream that broke: the last `id` that arrived; it counts before `after`.",
				},
			],
			answers: {
				200: { description: "The events.", schema: FeedAnswer, example: EXAMPLE, alsoMediaTypes: [SSE] },
			},
			problems: ["validation-error", "cursor-expired", "rate-limit-exceeded"],
			handle: (call) => (wantsStream(call) ? openStream(deps, watch, seats, call) : readPage(deps, watch, call)),
		},
	];
}

async function readPage({ sql, isDraining }: FeedDeps, watch: FeedWatch, call: Call): Promise<Response> {
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

async function openStream(
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

function wantsStream(call: Call): boolean {
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
