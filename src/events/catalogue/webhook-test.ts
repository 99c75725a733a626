import { type Static, Type } from "@sinclair/typebox";
import { COMMON, type EventDefinition, EXAMPLE_OTHER, text, word } from "./definition";

/**
 * The body that `POST /v1/webhooks/test` sends under any event's name. It has the five common members only, so it has a schema of its own.
 * `names` are the events that can be requested.
 */
export const createTestEventSchema = (names: readonly string[]) =>
	Type.Object(
		{
			event: word(names),
			...COMMON,
			docId: text("Refers to nothing; the same holds for `trackId`."),
			test: Type.Literal(true),
		},
		{ $id: "TestEvent", description: "What `POST /v1/webhooks/test` sends, whatever the name of the event." },
	);
export type TestEventBody = Static<ReturnType<typeof createTestEventSchema>>;

export function exampleTest<Name extends string>(event: Name): { readonly event: Name } {
	const { sequence: _, ...common } = EXAMPLE_OTHER;
	return { event, ...common, test: true } as { readonly event: Name };
}

/** Sent by the test operation alone: it is not stored and not in the feed. */
export const webhookTest: EventDefinition<"webhook.test"> = {
	name: "webhook.test",
	schema: createTestEventSchema(["webhook.test"]),
	example: exampleTest("webhook.test"),
	sentWhen: "`POST /v1/webhooks/test` sends it when you name no other event.",
	keptDays: 0,
};
