/** Bodies in forms that are not read. */
import { beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { buildInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const send = (
	headers: Record<string, string>,
	body: string | Uint8Array<ArrayBuffer> = JSON.stringify(buildInvoice(tenant)),
) =>
	fetch(`${service.url}/v1/invoices`, {
		method: "POST",
		headers: { ...tenant.headers, "idempotency-key": crypto.randomUUID(), ...headers },
		body,
	});

test.each([
	...["text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
	...["application/jsonp", "application/json-patch+json", "application/problem+json", "json", "*/*", "application/*"],
	...["application/json; charset=iso-8859-1", 'application/json; charset="latin1"', "application/json;charset=utf-16"],
])("Content-Type %s is refused", async (type) => {
	await expectProblem(send({ "content-type": type }), 415, "unsupported-media-type");
});

test("a missing Content-Type is refused", async () => {
	await expectProblem(send({}, new Uint8Array(Buffer.from("{}"))), 415, "unsupported-media-type");
});

test.each([
	...["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"],
	...['application/json; charset="utf-8"', "application/json; profile=x"],
])("Content-Type %s is read", async (type) => {
	expect((await send({ "content-type": type })).status).toBe(202);
});

test.each(["br", "deflate", "compress", "x-gzip", "gzip, gzip", "constructor", "__proto__"])(
	"Content-Encoding %s is refused",
	async (encoding) => {
		const body = gzipSync(JSON.stringify(buildInvoice(tenant)));
		const answer = send({ "content-type": "application/json", "content-encoding": encoding }, body);
		await expectProblem(answer, 415, "unsupported-media-type");
	},
);

test("compression that is broken is a malformed body", async () => {
	for (const encoding of ["gzip", "zstd"]) {
		const answer = send({ "content-type": "application/json", "content-encoding": encoding }, "not compressed");
		await expectProblem(answer, 400, "malformed-json");
	}
	const half = gzipSync(JSON.stringify(buildInvoice(tenant))).subarray(0, 60);
	const answer = send({ "content-type": "application/json", "content-encoding": "gzip" }, half);
	await expectProblem(answer, 400, "malformed-json");
});
