import { expect, test } from "bun:test";
import { rootOfLogs, verifyConsistency } from "../../../src/archive";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";

type Growth = { from: number; to: number; fromRoot: string; toRoot: string; hashes: string[] };
type Proof = Omit<Growth, "hashes"> & { logs: Growth[] };

test("every log begins with what it was at the earlier checkpoint", async () => {
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
	for (const from of new Set([0, ...items.map(({ size }) => size)])) {
		const answer = await get(service, `/v1/archive/proofs/consistency?from=${from}&to=${newest?.size}`);
		expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
		const proof = (await answer.json()) as Proof;
		expect(proof).toMatchObject({ from, to: newest?.size, toRoot: newest?.root });
		const said = items.find(({ size }) => size === from);
		if (said) expect(proof.fromRoot).toBe(said.root);
		const hex = (text: string) => Buffer.from(text, "hex");
		for (const { from: size1, to: size2, fromRoot, toRoot, hashes } of proof.logs) {
			const claim = { size1, size2, root1: hex(fromRoot), root2: hex(toRoot), proof: hashes.map(hex) };
			expect(verifyConsistency(claim)).toBe(true);
		}
		const rootOver = (states: { size: number; root: string }[]) =>
			Buffer.from(rootOfLogs(states.map(({ size, root }) => ({ size, root: hex(root) })))).toString("hex");
		expect(rootOver(proof.logs.map((log) => ({ size: log.from, root: log.fromRoot })))).toBe(proof.fromRoot);
		expect(rootOver(proof.logs.map((log) => ({ size: log.to, root: log.toRoot })))).toBe(proof.toRoot);
	}
}, 240_000);
