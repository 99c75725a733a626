import { expect, test } from "bun:test";
import { verifyConsistency } from "../../../src/archive";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";

type Proof = { from: number; to: number; fromRoot: string; toRoot: string; hashes: string[] };

test("the younger tree begins with the older one, whichever two sizes are named", async () => {
	const service = await sharedService();
	for (const over of [{}, { client_request_id: "consistency-1" }, { client_request_id: "consistency-2" }]) {
		const { docId } = await documentOf("accepted", over);
		await (await untilArchived(`/v1/invoices/${docId}/proof`)).body?.cancel();
	}
	const { items } = (await (await get(service, "/v1/archive/checkpoints?limit=100")).json()) as {
		items: { size: number; root: string }[];
	};
	const newest = items.at(-1);
	expect(newest?.size).toBeGreaterThanOrEqual(3);
	for (const from of new Set([0, 1, 2, ...items.map(({ size }) => size)])) {
		const answer = await get(service, `/v1/archive/proofs/consistency?from=${from}&to=${newest?.size}`);
		expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
		const proof = (await answer.json()) as Proof;
		expect(proof).toMatchObject({ from, to: newest?.size, toRoot: newest?.root });
		const said = items.find(({ size }) => size === from);
		if (said) expect(proof.fromRoot).toBe(said.root);
		const hex = (text: string) => Buffer.from(text, "hex");
		const claim = { size1: from, size2: proof.to, root1: hex(proof.fromRoot), root2: hex(proof.toRoot) };
		expect(verifyConsistency({ ...claim, proof: proof.hashes.map(hex) })).toBe(true);
	}
}, 240_000);
