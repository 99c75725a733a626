/** More bytes than a batch may have, and more than one of its invoices may. */
import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { batchInvoice, fates, postBatch, readBatch } from "../support/batches";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

const MIB = 1024 * 1024;

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test("over 16 MiB nothing is read", async () => {
	const answer = postBatch(service, tenant, " ".repeat(16 * MIB + 1));
	expect(await expectProblem(answer, 413, "payload-too-large")).toMatchObject({ limitBytes: 16 * MIB });
});

test("an invoice over 2 MiB is refused alone", async () => {
	const large = { ...batchInvoice(tenant), notes: "x".repeat(2 * MIB) };
	const lines = [JSON.stringify(large), JSON.stringify(batchInvoice(tenant))];
	const body = await readBatch(postBatch(service, tenant, lines));
	expect(fates(body)).toEqual(["payload-too-large", 202]);
	expect(body.results[0]?.problem).toMatchObject({ limitBytes: 2 * MIB });
});

const LINES = "application/x-ndjson";
const JSON_TYPE = "application/json";

test.each<[string, string, string, string | RegExp]>([
	["bad lines", LINES, "x\n".repeat(300_000), "/invoices too-many"],
	["bad lines to the limit", LINES, "x\n".repeat(8_300_000), "/invoices too-many"],
	["blank lines", LINES, "\n".repeat(16_000_000), "/invoices too-many"],
	["a blank line", LINES, " ".repeat(2 * MIB), "/invoices too-few"],
	["empty invoices", JSON_TYPE, `{"invoices":[${"{},".repeat(5_000_000)}{}]}`, "/invoices too-many"],
	[
		"members beside the invoices",
		JSON_TYPE,
		`{${'"a":1,'.repeat(2_000_000)}"invoices":[]}`,
		/beside its invoices|times/,
	],
	["a text beside the invoices", JSON_TYPE, `{"a":"${"x".repeat(16_000_000)}"}`, /beside its invoices|times/],
])("%s are refused before anything is parsed", async (_, type, text, expected) => {
	for (const isPacked of [true, false]) {
		const packed: Record<string, string> = isPacked ? { "content-encoding": "gzip" } : {};
		const startedAt = performance.now();
		const answer = fetch(`${service.url}/v1/invoices:batch`, {
			method: "POST",
			headers: { ...tenant.headers, "content-type": type, ...packed },
			body: isPacked ? Bun.gzipSync(Buffer.from(text)) : text,
		});
		if (typeof expected === "string") await expectProblem(answer, 400, "validation-error", [expected]);
		else expect((await expectProblem(answer, 413, "payload-too-large")).detail).toMatch(expected);
		// They take less than 50 ms.
		expect(performance.now() - startedAt).toBeLessThan(2_000);
	}
});

test("an invoice of 300,000 values is refused alone", async () => {
	const text = `{"invoices":[[${"[],".repeat(300_000)}[]],${JSON.stringify(batchInvoice(tenant))}]}`;
	const { results } = await readBatch(postBatch(service, tenant, text));
	expect(results.map((one) => one.status)).toEqual([400, 202]);
	expect(results[0]?.problem).toMatchObject({ errors: [{ pointer: "", code: "too-many", maximum: 250_000 }] });
});
