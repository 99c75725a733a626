/** The operation of the feed: everything that a tenant can be told, in one order without gaps, to read at its own pace. */
import { Type } from "@sinclair/typebox";
import { createCallerLimit } from "../../identity/rate-limits";
import { NEEDS_BOTH, type Operation, type Parameter, queryParameter } from "../../platform/operation";
import { AnyEvent } from "../catalogue/event-schemas";
import { answerPage, type FeedDeps, openStream, STREAMS_MAX } from "./answer";
import { checkPlace, LATEST } from "./place";
import { SSE, wantsStream } from "./wants-stream";
import { createFeedWatch } from "./watch";

export type { FeedDeps } from "./answer";

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
			[Type.Object({ id: Type.String({ description: "The event's own." }), sequence: Type.Integer() }), AnyEvent],
			{ description: "The body that webhooks get, with the event's id." },
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
	const callerLimit = createCallerLimit({
		max: STREAMS_MAX,
		policy: "open-lines",
		detail: `A company holds ${STREAMS_MAX} waiting requests and streams open at most.`,
		retryAfter: 5,
	});
	return [
		{
			id: "listEvents",
			...{ method: "GET", path: "/v1/events", tag: "Events", summary: "Read the company's events in their order" },
			description:
				"All events since a place, oldest first: numbered without gaps, each once. Webhooks carry the same `sequence`, so a receiver sees " +
				"what it has missed and reads it here. `wait` holds the line until something comes. With `Accept: text/event-stream` the " +
				"line stays open for a quarter of an hour, and `Last-Event-ID` says where to go on. Each request counts as one poll, however long it waits; a company holds " +
				`${STREAMS_MAX} lines of both kinds at most. Events are kept for 30 days.`,
			...{ credentials: NEEDS_BOTH, scope: "events:read", limit: "poll" },
			parameters: [
				queryParameter(
					"after",
					`\`next\` of the page before, or a \`sequence\`; \`${LATEST}\` for what happens from now on; from the oldest kept when absent. ` +
						"`next` is known again after an older database was restored, whose numbers may be given once more; a sequence is believed.",
					Type.String({ maxLength: 200 }),
					checkPlace,
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
			handle: (call) =>
				wantsStream(call) ? openStream(deps, watch, callerLimit, call) : answerPage(deps, watch, callerLimit, call),
		},
	];
}
