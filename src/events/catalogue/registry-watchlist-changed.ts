import { Type } from "@sinclair/typebox";
import { defineEvent, EXAMPLE_OTHER, OTHER_ID, text } from "./definition";

/** Sent after a registry run instead of more than a thousand `registry.record_changed`. */
export const registryWatchlistChanged = defineEvent({
	name: "registry.watchlist_changed",
	sentWhen: "A registry run changed more than 1,000 numbers of your watchlists. It replaces their single events.",
	members: {
		registry: Type.Object({
			run_id: text(),
			counts: Type.Object({
				...{ added: Type.Integer(), changed: Type.Integer(), removed: Type.Integer() },
				risk: Type.Integer({ description: "Entries that are no longer ACTIVO, or are removed." }),
			}),
			watchlists: Type.Array(
				Type.Object({ id: text(), changes: Type.Integer(), link: text("Where its changes are listed.") }),
				{ maxItems: 20 },
			),
			watchlistsOmitted: Type.Integer({ description: "Further watchlists, which are not listed." }),
		}),
	},
	example: {
		...EXAMPLE_OTHER,
		registry: {
			run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
			counts: { added: 40, changed: 2_310, removed: 12, risk: 610 },
			watchlists: [
				{
					...{ id: OTHER_ID, changes: 2_362 },
					link: `/v1/watchlists/${OTHER_ID}/changes?run_id=0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f`,
				},
			],
			watchlistsOmitted: 0,
		},
	},
});
