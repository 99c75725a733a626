/** Invoices that are too big, by their own word or by what comes. */
import { beforeAll, expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { buildInvoice, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

const LIMIT = 2 * 1024 * 1024;
let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const send = (body: Uint8Array<ArrayBuffer> | ReadableStream, headers: Record<string, string> = {}) =>
	fetch(`${service.url}/v1/invoices`, {
		method: "POST",
		headers: {
			...tenant.headers,
			"idempotency-key": crypto.randomUUID(),
			"content-type": "application/json",
			...headers,
		},
		body,
	});
const tooLarge = async (answer: Promise<Response>) => {
	expect((await expectProblem(answer, 413, "payload-too-large")).limitBytes).toBe(LIMIT);
};
const padded = (bytes: number) => {
	// A company's name may have letters of two bytes.
	const text = Buffer.from(JSON.stringify(buildInvoice(tenant)));
	return Buffer.concat([text, Buffer.alloc(bytes - text.length, " ")]);
};

test("two mebibytes are read, one byte more is not", async () => {
	expect((await send(padded(LIMIT))).status).toBe(202);
	await tooLarge(send(padded(LIMIT + 1)));
});

test("three mebibytes without a length are cut at the limit", async () => {
	const chunk = Buffer.alloc(64 * 1024, " ");
	let left = 48;
	const stream = new ReadableStream({
		pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
	});
	await tooLarge(send(stream));
});

test("a compressed body counts by what is in it", async () => {
	for (const [encoding, pack] of [["gzip", gzipSync] as const, ["zstd", zstdCompressSync] as const]) {
		await tooLarge(send(pack(padded(LIMIT + 1)), { "content-encoding": encoding }));
		expect((await send(pack(padded(LIMIT)), { "content-encoding": encoding })).status).toBe(202);
	}
});

test("a bomb of half a gibibyte is refused without being unpacked", async () => {
	const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024));
	expect(bomb.length).toBeLessThan(LIMIT);
	const before = process.memoryUsage.rss();
	await tooLarge(send(bomb, { "content-encoding": "gzip" }));
	await tooLarge(send(zstdCompressSync(Buffer.alloc(64 * 1024 * 1024)), { "content-encoding": "zstd" }));
	expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 1024 * 1024);
}, 120_000);

test("the key of a refused body is free", async () => {
	const key = crypto.randomUUID();
	await tooLarge(send(padded(LIMIT + 1), { "idempotency-key": key }));
	expect((await postInvoice(service, tenant, buildInvoice(tenant), { "idempotency-key": key })).status).toBe(202);
});
