import { Type } from "@sinclair/typebox";
import { defineEvent, EXAMPLE_OTHER, word } from "./definition";

const STATUSES = ["operational", "degraded", "maintenance", "outage", "unknown"] as const;

/** Sent by the watch of the authority, to each company that subscribes. */
export const authorityStatusChanged = defineEvent({
	name: "authority.status_changed",
	sentWhen:
		"The status of the authority's services changed. `status` is the new status, `authorityStatus.from` the previous one, and `occurredAt` the time of the change.",
	members: {
		status: word(STATUSES),
		authorityStatus: Type.Object({
			authorityEnvironment: word(["test", "certification", "production"]),
			from: word(STATUSES, "The previous status."),
			contingency: Type.Boolean({ description: "True if documents are now issued in contingency." }),
		}),
	},
	example: {
		...EXAMPLE_OTHER,
		status: "outage",
		authorityStatus: { authorityEnvironment: "production", from: "operational", contingency: true },
	},
});
