/** Pages that are built into one HTML file: the offline verifier of evidence files and the inbox of the public sandbox. */

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
		sdk: null,
		method: "GET",
		path: "/docs/verify",
		tag: DOCUMENTATION_TAG,
		summary: "Verify evidence files offline",
		description:
			"One HTML file in Spanish and English that checks the ZIP of `GET /v1/invoices/{docId}/evidence` in the browser and sends nothing. You can save it and " +
			"use it without the service. `bun run verify FILE.zip` does the same on the command line.",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: {
			200: {
				description: "The page.",
				mediaType: "text/html",
				headers: {
					"Cache-Control": "`no-cache`: revalidate with the ETag.",
					"Content-Disposition": "Suggested file name.",
					ETag: "Entity tag of the content.",
				},
			},
			304: { description: "Not modified." },
		},
		problems: [],
		handle: async (call) => answerRepresentation(call, await page()),
	};
}

/** Built by `scripts/build-inbox.ts`; a test compares it with its sources. */
const INBOX_FILE = "inbox/inbox.html";

/** `GET /inbox`: public. The page requests events itself, like any caller. Only the public sandbox has it, where the demo key sends no webhooks. */
export function inboxOperations({ environment }: { environment: Environment }): Operation[] {
	if (environment !== "public-sandbox") return [];
	const page = memoize(() => representBuilt(INBOX_FILE));
	return [
		{
			id: "getInbox",
			sdk: null,
			method: "GET",
			path: "/inbox",
			tag: DOCUMENTATION_TAG,
			summary: "Show the sandbox inbox",
			description:
				"Only in the public sandbox, where the demo key sends no webhooks. A page in Spanish and English that follows the events of `GET /v1/events` in the browser, " +
				"with the credentials of the demo client or of a company. It holds one connection, which counts as one poll every quarter of an hour.",
			credentials: PUBLIC,
			parameters: [CONDITIONAL],
			answers: {
				200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
				304: { description: "Not modified.", headers: CACHE_HEADERS },
			},
			problems: [],
			handle: async (call) => answerRepresentation(call, await page()),
		},
	];
}

const DATA = join(import.meta.dir, "../../../../data");

/** A page of `data` with the policy in its text, which is stricter than that of our other pages. `frame-ancestors` works as a header only. */
export async function representBuilt(
	file: string,
	headers: Readonly<Record<string, string>> = {},
): Promise<Representation> {
	const text = await Bun.file(join(DATA, file)).text();
	const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(text)?.[1];
	if (!policy) throw new Error(`data/${file} has no policy; build it again`);
	return represent(text, {
		...PAGE_HEADERS,
		"content-security-policy": `${policy}; frame-ancestors 'none'`,
		...headers,
	});
}
