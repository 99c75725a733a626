import { Type } from "@sinclair/typebox";
import { defineEvent, EXAMPLE_OTHER, OTHER_ID, text, word } from "./definition";

/** Sent after a registry run, one for each number that is on a watchlist. */
export const registryRecordChanged = defineEvent({
	name: "registry.record_changed",
	sentWhen: "A registry run added, changed or removed a number that is on one of your watchlists.",
	members: {
		registry: Type.Object({
			document: text("The number, digits only."),
			change: word(["added", "changed", "removed"]),
			risk: Type.Boolean({ description: "The entry was ACTIVO and is no longer, or is removed." }),
			fields: Type.Array(
				Type.Object({ field: text(), was: text("Its first 150 characters."), is: text("Its first 150 characters.") }),
				{ description: "The watched values that changed." },
			),
			run_id: text(),
			watchlists: Type.Array(Type.Object({ id: text(), reference: Type.Optional(text("Yours, from the list.")) }), {
				maxItems: 20,
			}),
			watchlistsOmitted: Type.Integer({ description: "Further watchlists, which are not listed." }),
		}),
	},
	example: {
		...EXAMPLE_OTHER,
		registry: {
			...{ document: "131880681", change: "changed", risk: true },
			fields: [{ field: "status", was: "ACTIVO", is: "SUSPENDIDO" }],
			run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
			watchlists: [{ id: OTHER_ID, reference: "SUP-4711" }],
			watchlistsOmitted: 0,
		},
	},
});
