import { Type } from "@sinclair/typebox";
import { defineEvent, EXAMPLE_OTHER, text } from "./definition";

/** Sent when a type reaches 20, 5 or 0 percent of its numbers. */
export const sequenceLow = defineEvent({
	name: "sequence.low",
	sentWhen: "A type has few numbers left. `low` names the type and the count.",
	members: {
		low: Type.Object({
			type: text("e-CF type."),
			available: Type.Integer({ description: "Numbers left." }),
			percent: Type.Integer({ description: "The threshold that was reached, as a percentage of all numbers." }),
		}),
	},
	example: { ...EXAMPLE_OTHER, low: { type: "31", available: 200, percent: 20 } },
});
