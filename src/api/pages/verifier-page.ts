/** The offline verifier of evidence files: one page that needs nothing else, to be used here or saved and opened as a file. */
import { memoize } from "../../platform/concurrency";
import { type Operation, PUBLIC } from "../../platform/operation";
import { answerRepresentation, CONDITIONAL } from "../server/representation";
import { representBuilt } from "./built-page";

/** Built by `scripts/build-verifier.ts`; a test compares it with its sources. */
const FILE = "verifier/verify.html";
const FILE_NAME = "sello-verify.html";

/** `GET /docs/verify`; public. */
export function verifierPageOperation(tag: string): Operation {
	const page = memoize(() => representBuilt(FILE, { "content-disposition": `inline; filename="${FILE_NAME}"` }));
	return {
		id: "getVerifierPage",
		method: "GET",
		path: "/docs/verify",
		tag,
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
