/** The public operations of an archive without a checkpoint. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkpointOperations } from "../../../src/archive";
import type { Call } from "../../../src/platform/operation";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

async function ask(path: string): Promise<Response> {
	const url = new URL(`http://localhost${path}`);
	const operation = checkpointOperations({ sql: database.sql }).find((one) => one.path === url.pathname);
	if (!operation) throw new Error(`no operation at ${path}`);
	const call: Call = { request: new Request(url.href), url, requestId: "1", remoteAddress: "", params: {}, operation };
	return operation.handle(call);
}

test("without checkpoints none is listed and only empty proofs exist", async () => {
	await expect(ask("/v1/archive/checkpoints/latest")).rejects.toMatchObject({
		slug: "not-found",
		detail: { template: "The archive has not signed a checkpoint yet." },
	});
	expect(await (await ask("/v1/archive/checkpoints")).json()).toEqual({
		...{ items: [], count: 0, partial: false, next: null, keys: [] },
	});
	expect(await (await ask("/v1/archive/proofs/consistency?from=0&to=0")).json()).toMatchObject({
		from: 0,
		to: 0,
		logs: Array.from({ length: 64 }, (_, log) => ({ log, from: 0, to: 0, hashes: [] })),
	});
	await expect(ask("/v1/archive/proofs/consistency?from=0&to=1")).rejects.toMatchObject({ slug: "validation-error" });
});
