/** The inbox of the public sandbox, where the demo key's companies are sent no webhooks: a page that follows a company's events in the browser, with the company's credentials. */
import { memoize } from "../../../platform/concurrency";
import { type Operation, PUBLIC } from "../../../platform/operation";
import type { Environment } from "../../../platform/values";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL } from "../../server/representation";
import { representBuilt } from "../built-page";

/** Built by `scripts/build-inbox.ts`; a test compares it with its sources. */
const FILE = "inbox/inbox.html";

/** `GET /inbox`; public, and the same for everybody: the page asks for events itself, as any caller does. Elsewhere there is none. */
export function inboxOperations({ environment }: { environment: Environment }, tag: string): Operation[] {
	if (environment !== "public-sandbox") return [];
	const page = memoize(() => representBuilt(FILE));
	return [
		{
			id: "getInbox",
			method: "GET",
			path: "/inbox",
			tag,
			summary: "What webhooks would have brought",
			description:
				"Public sandbox only, where nobody's receiver is called for the demo key. A page, in Spanish and English, that follows the events of `GET /v1/events` in the " +
				"browser with the demo client's credentials or those of a company. It holds one line, which counts as a poll every quarter of an hour.",
			credentials: PUBLIC,
			parameters: [CONDITIONAL],
			answers: {
				200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
				304: { description: "The caller has it already.", headers: CACHE_HEADERS },
			},
			problems: [],
			handle: async (call) => answerRepresentation(call, await page()),
		},
	];
}
