import { expect, test } from "bun:test";
import { readyZip } from "../support/archive";

test("a caller that has the file gets 304, also for a part", async () => {
	const { url, sha256 } = await readyZip();
	for (const headers of [
		{ "if-none-match": `"${sha256}"` },
		{ "if-none-match": `"another", W/"${sha256}"` },
		{ "if-none-match": `"${sha256}"`, range: "bytes=0-9" },
	] as Record<string, string>[]) {
		const answer = await fetch(url ?? "", { headers });
		expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", `"${sha256}"`]);
	}
	expect((await fetch(url ?? "", { headers: { "if-none-match": '"another"' } })).status).toBe(200);
});

test("a guessed address learns nothing by a condition", async () => {
	const { url } = await readyZip();
	const guessed = (url ?? "").replace(/signature=.*/, "signature=guessed");
	expect((await fetch(guessed, { headers: { "if-none-match": "*" } })).status).toBe(404);
});
