/** The offline verifier of evidence files: one page that needs nothing else, to be used here or saved and opened as a file. */

import { join } from "node:path";
import { memoize } from "../../../platform/concurrency";
import { type Operation, PUBLIC } from "../../../platform/operation";
import type { Environment } from "../../../platform/values";
import { DOCUMENTATION_TAG, PAGE_HEADERS } from "../../html";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, type Representation, represent } from "../../representation";

/** Built by `scripts/build-verifier.ts`; a test compares it with its sources. */
const VERIFIER_FILE = "verifier/verify.html";
const FILE_NAME = "sello-verify.html";

/** `GET /docs/verify`; public. */
export function verifierPageOperation(): Operation {
	const page = memoize(() =>
		representBuilt(VERIFIER_FILE, { "content-disposition": `inline; filename="${FILE_NAME}"` }),
	);
	return {
		id: "getVerifierPage",
		method: "GET",
		path: "/docs/verify",
		tag: DOCUMENTATION_TAG,
		summary: "Verify evidence files without a network",
		description:
			"One HTML file, in Spanish and English. It checks the ZIP of `GET /v1/invoices/{docId}/evidence` in the browser and sends nothing; saved, " +
			"it does so without the service. `bun run verify FILE.zip` is the same on a command line.",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: {
			200: {
				description: "The page.",
				mediaType: "text/html",
				headers: {
					"Cache-Control": "`no-cache`: ask again with the ETag.",
					"Content-Disposition": "A name to save it under.",
					ETag: "Of the content.",
				},
			},
			304: { description: "The caller has it already." },
		},
		problems: [],
		handle: async (call) => answerRepresentation(call, await page()),
	};
}

/** The inbox of the public sandbox, where the demo key's companies are sent no webhooks: a page that follows a company's events in the browser, with the company's credentials. */

/** Built by `scripts/build-inbox.ts`; a test compares it with its sources. */
const INBOX_FILE = "inbox/inbox.html";

/** `GET /inbox`; public, and the same for everybody: the page asks for events itself, as any caller does. Elsewhere there is none. */
export function inboxOperations({ environment }: { environment: Environment }): Operation[] {
	if (environment !== "public-sandbox") return [];
	const page = memoize(() => representBuilt(INBOX_FILE));
	return [
		{
			id: "getInbox",
			method: "GET",
			path: "/inbox",
			tag: DOCUMENTATION_TAG,
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

/** Pages that were built into one file, under the policy that stands in them: it allows their own script and style alone. */

const DATA = join(import.meta.dir, "../../../../data");

/** A page of `data`, under its own policy, which is stricter than that of our other pages. A frame's rule counts as a header alone. */
export async function representBuilt(
	file: string,
	headers: Readonly<Record<string, string>> = {},
): Promise<Representation> {
	const text = await Bun.file(join(DATA, file)).text();
	const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(text)?.[1];
	if (!policy) throw new Error(`data/${file} has no policy: build it again`);
	return represent(text, {
		...PAGE_HEADERS,
		"content-security-policy": `${policy}; frame-ancestors 'none'`,
		...headers,
	});
}
