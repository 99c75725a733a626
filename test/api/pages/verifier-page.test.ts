/** The verifier's page as the service gives it out. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VERIFIER_FILE } from "../../../scripts/build-verifier";
import { type Served, serveDeclared } from "../support/declared-operations";

const built = readFileSync(join(import.meta.dir, "../../..", VERIFIER_FILE), "utf8");

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

test("the page is the built file with its own policy and a file name", async () => {
	const answer = await fetch(`${served.url}/docs/verify`);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
	expect(answer.headers.get("content-disposition")).toBe('inline; filename="sello-verify.html"');
	const policy = answer.headers.get("content-security-policy") ?? "";
	expect(policy).toStartWith("default-src 'none'; script-src 'sha256-");
	expect(policy).toEndWith("frame-ancestors 'none'");
	expect((await answer.text()) === built).toBe(true);
});

test("a caller that has it gets 304, and the documentation links to it", async () => {
	const first = await fetch(`${served.url}/docs/verify`);
	await first.text();
	const again = await fetch(`${served.url}/docs/verify`, {
		headers: { "if-none-match": first.headers.get("etag") ?? "" },
	});
	expect(again.status).toBe(304);
	expect(await (await fetch(`${served.url}/docs/en`)).text()).toContain('href="/docs/verify"');
});
