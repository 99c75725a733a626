/** The offline verifier of evidence files: one page that needs nothing else, to be used here or saved and opened as a file. */
import { join } from "node:path";
import { type Operation, PUBLIC } from "../operation";
import { PAGE_HEADERS } from "./html";
import { answerRepresentation, onDemand, type Representation, represent } from "./representation";

/** Built by `scripts/build-verifier.ts`; a test compares it with its sources. */
const FILE = join(import.meta.dir, "../../data/verifier/verify.html");
const FILE_NAME = "sello-verify.html";

/** `GET /docs/verify`; public. */
export function verifierPageOperation(tag: string): Operation {
	const page = onDemand(makePage);
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

/** Under the page's own policy, which is stricter than that of our other pages. */
async function makePage(): Promise<Representation> {
	const text = await Bun.file(FILE).text();
	const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(text)?.[1];
	if (!policy) throw new Error(`${FILE} has no policy: build it again with scripts/build-verifier.ts`);
	return represent(text, {
		...PAGE_HEADERS,
		"content-security-policy": `${policy}; frame-ancestors 'none'`,
		"content-disposition": `inline; filename="${FILE_NAME}"`,
	});
}
