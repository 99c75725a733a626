import { Type } from "@sinclair/typebox";
import { defineEvent, EXAMPLE_OTHER, word } from "./definition";

/** Sent when a test set ends. */
export const certificationCompleted = defineEvent({
	name: "certification.completed",
	sentWhen:
		"A certification test set ended. `status` is the result, `docId` the set's id, and `certification` says whether the authority judged it.",
	members: {
		status: word(["passed", "failed", "expired", "cancelled"]),
		certification: Type.Object({
			mode: word(["simulate", "authority"], "Who judged the set."),
			run: Type.Integer({ minimum: 1 }),
		}),
	},
	example: { ...EXAMPLE_OTHER, status: "passed", certification: { mode: "authority", run: 1 } },
});
