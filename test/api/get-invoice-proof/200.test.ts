import { expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";

test("the proof is that of the evidence and is not cached", async () => {
	const { docId } = await documentOf("accepted");
	const answer = await untilArchived(`/v1/invoices/${docId}/proof`);
	expect(answer.headers.get("cache-control")).toBe("private, no-store");
	const proof = (await answer.json()) as Record<string, unknown>;
	const evidence = unzipSync(await (await untilArchived(`/v1/invoices/${docId}/evidence`)).bytes());
	expect(JSON.parse(new TextDecoder().decode(evidence["proof.json"]))).toEqual(proof);
	expect(proof).toMatchObject({ format: "sello-proof/2", docId });
});
