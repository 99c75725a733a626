/** The operation of the feed. */

import { Type } from "@sinclair/typebox";
import { createCallerLimit } from "../../identity/rate-limits";
import { headerParameter, NEEDS_BOTH, type Operation, type Parameter, queryParameter } from "../../platform/operation";
import { type Message, msg } from "../../platform/problem";
import { AnyEvent, EVENTS_KEPT_DAYS } from "../catalogue";
import { answerPage, type FeedDeps, openStream, STREAMS_MAX } from "./answer";
import { checkCursor, LATEST } from "./cursor";
import { SSE, wantsStream } from "./stream";
import { createFeedWatch } from "./watch";

const EXAMPLE = {
	events: [
		{
			...{ id: "0192f190-7a00-7b11-9c22-334455667788", sequence: 48_213, event: "invoice.accepted" },
			...{ docId: "0192f110-7a00-7b11-9c22-334455667788", trackId: "0192f110-7a00-7b11-9c22-334455667789" },
			...{ tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566", occurredAt: "2026-11-20T14:20:00.902Z", docVersion: 4 },
			...{ encf: "E310000000001", status: "accepted" },
		},
	],
	...{ count: 1, partial: false, next: "48213-55667788" },
};

const FeedAnswer = Type.Object({
	events: Type.Array(
		Type.Intersect(
			[Type.Object({ id: Type.String({ description: "The event's id." }), sequence: Type.Integer() }), AnyEvent],
			{ description: "The body that webhooks send, with the event's id." },
		),
	),
	count: Type.Integer(),
	partial: Type.Boolean({ description: "True if there are more events." }),
	next: Type.String({ description: "Send it as the next `after`, even if the page is empty." }),
});

const query = (name: string, description: string, pattern: string, faultDetail: Message): Parameter => ({
	...{ name, in: "query", required: false, description, schema: Type.String({ maxLength: 200, pattern, faultDetail }) },
});

/** Streams of the console, for the people of a company together. */
const CONSOLE_STREAMS_MAX = 200;

export function feedOperations(deps: FeedDeps): Operation[] {
	const watch = createFeedWatch(deps);
	const callerLimit = createCallerLimit({
		max: STREAMS_MAX,
		policy: "open-lines",
		detail: msg`A company can have at most ${STREAMS_MAX} waiting requests and streams open.`,
		retryAfter: 5,
	});
	// Browsers of its people take no place of the company's own programs.
	const consoleLimit = createCallerLimit({
		max: CONSOLE_STREAMS_MAX,
		policy: "open-lines",
		detail: msg`People of a company can have at most ${CONSOLE_STREAMS_MAX} streams open.`,
		retryAfter: 5,
	});
	return [
		{
			id: "listEvents",
			sdk: "events.list",
			...{ method: "GET", path: "/v1/events", tag: "Events", summary: "Read the company's events in order" },
			description:
				"Returns all events after a position, oldest first, numbered without gaps, each once. Webhooks carry the same `sequence`, so a " +
				"receiver can detect missed events and read them here. With `wait`, the answer comes when there is an event. With " +
				"`Accept: text/event-stream`, the connection stays open for 15 minutes, and `Last-Event-ID` continues a stream. Each request counts " +
				`as one poll, however long it waits. A company can have ${STREAMS_MAX} waiting requests and streams open. Events are kept for ` +
				`${EVENTS_KEPT_DAYS} days.`,
			...{ credentials: NEEDS_BOTH, scope: "events:read", limit: "poll" },
			parameters: [
				queryParameter(
					"after",
					`The \`next\` of the previous page, or a \`sequence\`. \`${LATEST}\`: only events from now on. Absent: from the oldest stored event. ` +
						"Prefer `next`: it stays correct if an older database is restored, which may assign a `sequence` again.",
					Type.String({ maxLength: 200 }),
					checkCursor,
				),
				query("limit", "1 to 1000, default 100.", "^([1-9]\\d{0,2}|1000)$", msg`Send a number from 1 to 1000.`),
				query(
					"wait",
					"Seconds to wait for an event when there is none, 0 to 25.",
					"^(\\d|1\\d|2[0-5])$",
					msg`Send whole seconds from 0 to 25.`,
				),
				query(
					"types",
					"Names or families, separated by commas: `invoice.accepted,certificate.*`. All events when absent.",
					"^[a-z_]+\\.(\\*|[a-z_]+)(,[a-z_]+\\.(\\*|[a-z_]+)){0,9}$",
					msg`Send one to ten names or families, such as invoice.accepted,certificate.*.`,
				),
				headerParameter("Last-Event-ID", "The last `id` of a broken stream. It takes precedence over `after`."),
			],
			answers: {
				200: { description: "The events.", schema: FeedAnswer, example: EXAMPLE, alsoMediaTypes: [SSE] },
			},
			problems: ["validation-error", "cursor-expired", "rate-limit-exceeded"],
			handle: (call) => {
				const limit = call.principal?.person ? consoleLimit : callerLimit;
				return wantsStream(call) ? openStream(deps, watch, limit, call) : answerPage(deps, watch, limit, call);
			},
		},
	];
}
