/** A document's evidence leaves the service and is verified without it, by what the service itself publishes. */
import { afterAll, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { toZip } from "../../src/archive";
import { type EvidenceOptions, verifyEvidence } from "../../src/archive/verifier";
import { documentOf } from "../api/support/documents";
import { untilArchived } from "../api/support/evidence";
import { findBrowser, openBrowser } from "../support/browser";
import { get, sharedService } from "../support/service";

const LIMIT_MS = 120_000;
const browserPath = findBrowser();

type Published = {
	readonly items: readonly { readonly size: number; readonly note: string }[];
	readonly keys: readonly { readonly key: string }[];
};

const fetchJson = async <T>(path: string): Promise<T> => (await get(await sharedService(), path)).json() as Promise<T>;

async function evidenceOf(state: "accepted" | "rejected" | "failed", over = {}): Promise<Uint8Array> {
	const { docId } = await documentOf(state, over);
	return (await untilArchived(`/v1/invoices/${docId}/evidence`)).bytes();
}

function proofOf(bytes: Uint8Array): { readonly key: string; readonly checkpoint: string } {
	return JSON.parse(Buffer.from(unzipSync(bytes)["proof.json"] ?? []).toString());
}

/** The checks that failed, and those that were not checked. */
async function judge(bytes: Uint8Array, options: Partial<EvidenceOptions> = {}) {
	const { checks, verdict } = await verifyEvidence(bytes, { now: new Date(), ...options });
	const open = checks.filter(({ ok }) => ok === null).map(({ name }) => name);
	return { failed: checks.filter(({ ok }) => ok === false), open, verdict: verdict.en };
}

test(
	"evidence verifies under the published key for every final status",
	async () => {
		const files = [
			{ bytes: await evidenceOf("accepted"), open: ["summary-signature", "issuer", "consistency"] },
			{ bytes: await evidenceOf("accepted", { type: "32" }), open: ["issuer", "consistency"] },
			{ bytes: await evidenceOf("rejected"), open: ["summary-signature", "issuer", "consistency"] },
			{ bytes: await evidenceOf("failed"), open: ["summary-signature", "issuer", "answers", "consistency"] },
		];
		const { keys } = await fetchJson<Published>("/v1/archive/checkpoints");
		for (const { bytes, open } of files) {
			const { key: own } = proofOf(bytes);
			const judged = await judge(bytes, { key: keys.find(({ key }) => key === own)?.key });
			expect<unknown>(judged).toEqual({ failed: [], open, verdict: "The evidence holds" });
		}
	},
	LIMIT_MS,
);

test(
	"a later checkpoint and its consistency proof show that the archive only grew",
	async () => {
		const bytes = await evidenceOf("accepted");
		const own = Number(proofOf(bytes).checkpoint.split("\n")[1]);
		// The next document's evidence waits for a checkpoint that covers it, so one of another size is there then.
		await evidenceOf("accepted", { client_request_id: crypto.randomUUID() });
		const { items } = await fetchJson<Published>("/v1/archive/checkpoints?limit=100");
		const other = items.findLast(({ size }) => size !== own);
		if (!other) throw new Error("expected checkpoints of two sizes");
		const [from, to] = [Math.min(own, other.size), Math.max(own, other.size)];
		const consistency = await fetchJson(`/v1/archive/proofs/consistency?from=${from}&to=${to}`);
		const judged = await judge(bytes, { checkpoint: other.note, consistency });
		expect(judged.failed).toEqual([]);
		expect(judged.open).not.toContain("consistency");
	},
	LIMIT_MS,
);

test(
	"a changed part is found",
	async () => {
		const entries = Object.entries(unzipSync(await evidenceOf("accepted")));
		for (const [name] of entries.filter(([one]) => one !== "README.txt")) {
			const changed = entries.map(([one, bytes]): [string, Uint8Array] => {
				const copy = new Uint8Array(bytes);
				// White space between the members of JSON means nothing.
				const at = copy.findIndex((byte, n) => n >= copy.length / 2 && byte > 0x20);
				if (one === name) copy[at] = (copy[at] ?? 0) ^ 2;
				return [one, copy];
			});
			expect({ name, isFound: (await judge(toZip(changed))).failed.length > 0 }).toEqual({ name, isFound: true });
		}
	},
	LIMIT_MS,
);

test.skipIf(browserPath === undefined)(
	"the verifier page accepts it in a browser without further requests",
	async () => {
		const bytes = await evidenceOf("accepted");
		const service = await sharedService();
		const { context, close } = await openBrowser(browserPath ?? "");
		afterAll(close);
		const page = await context.newPage();
		const requests: string[] = [];
		page.on("request", (request) => requests.push(new URL(request.url()).pathname));
		await page.goto(`${service.url}/docs/verify`);
		const file = { name: "evidence.zip", mimeType: "application/zip", buffer: Buffer.from(bytes) };
		await page.setInputFiles("#files", file);
		await page.locator('section.result[data-ok="true"]').waitFor({ timeout: LIMIT_MS });
		expect(requests).toEqual(["/docs/verify"]);
	},
	LIMIT_MS,
);
