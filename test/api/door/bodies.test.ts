/** Bodies that are no documents, at each operation that reads one. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { ProblemSlug } from "../../../src/platform/problem";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	const scopes = ["company:write", "invoices:write", "invoices:read", "webhooks:test", "registry:purge"] as const;
	tenant = await createTenant(service, { scopes });
});

const PATHS = [
	"/v1/invoices",
	"/v1/invoices:batch",
	"/v1/invoices:status",
	"/v1/company",
	"/v1/auth/token",
	"/v1/auth/revoke",
	"/v1/webhooks/test",
	"/v1/authority/document/888888887:purge",
];

/** Where a token would only be taken for a client's proof, none is sent. */
const headersFor = (path: string) => ({
	...(path.startsWith("/v1/auth/") ? {} : tenant.headers),
	"idempotency-key": crypto.randomUUID(),
	"content-type": "application/json",
});
const send = (path: string, body: string | Uint8Array<ArrayBuffer>) =>
	fetch(`${service.url}${path}`, { method: "POST", headers: headersFor(path), body });

const bytes = (...parts: (string | number[])[]) =>
	Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

const MALFORMED: [string, string | Uint8Array<ArrayBuffer>][] = [
	["white space", " \n\t "],
	["an open object", "{"],
	["a closing comma", '{"a":1,}'],
	["a comment", '{"a":1}//x'],
	["single quotes", "{'a':1}"],
	["a name without quotes", "{a:1}"],
	["two documents", '{"a":1}{"b":2}'],
	["NaN", '{"a":NaN}'],
	["Infinity", '{"a":-Infinity}'],
	["a hexadecimal number", '{"a":0x10}'],
	["a leading zero", '{"a":01}'],
	["a plus sign", '{"a":+1}'],
	["a bare control character", '{"a":"\u0001"}'],
	["a broken escape", '{"a":"\\x41"}'],
	["a word", "undefined"],
	["HTML", "<html></html>"],
	["a form", "type=31&encf=E310000000001"],
	["UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le")],
	["an invalid byte", bytes('{"a":"', [0xff], '"}')],
	["an overlong slash", bytes('{"a":"', [0xc0, 0xaf], '"}')],
	["a surrogate in UTF-8", bytes('{"a":"', [0xed, 0xa0, 0x80], '"}')],
	["half a character", bytes('{"a":"', [0xf0, 0x9f, 0x98], '"}')],
	["a code point beyond the last", bytes('{"a":"', [0xf4, 0x90, 0x80, 0x80], '"}')],
	["a duplicate member", '{"a":1,"a":2}'],
	["a duplicate member, escaped", '{"a":1,"\\u0061":2}'],
	["a duplicate member deep inside", '{"x":[{"a":{"b":1,"b":1}}]}'],
];

const found = async (path: string, body: string | Uint8Array<ArrayBuffer>, slug: ProblemSlug) => {
	const problem = await expectProblem(send(path, body), 400, slug);
	return problem;
};

describe.each(PATHS)("POST %s", (path) => {
	test("malformed bodies are malformed-json, all of them", async () => {
		for (const [name, body] of MALFORMED) {
			const problem = await found(path, body, "malformed-json");
			expect(`${name}: ${problem.detail}`).toMatch(/: \S/);
		}
	});

	test("deep nesting is refused before anything is parsed, open or closed", async () => {
		const depths = ["[".repeat(200_000), `${"[".repeat(100_000)}${"]".repeat(100_000)}`, '{"a":'.repeat(30_000)];
		for (const body of [...depths, `${"[".repeat(17)}${"]".repeat(17)}`]) {
			const limit = path.includes(":purge") ? 16_000 : path.includes("/auth/") ? 8_000 : 250_000;
			const { errors } = await found(path, body.slice(0, limit), "validation-error");
			expect(errors).toEqual([{ pointer: "", code: "too-deep", detail: expect.any(String) }]);
		}
	});

	test("text that XML or the database could not hold is refused, with its place", async () => {
		for (const escaped of [
			"\\u0000",
			"\\u0001",
			"\\u000b",
			"\\u001f",
			"\\ufffe",
			"\\uffff",
			"\\ud800",
			"\\udc00",
			"\\udc00\\ud800",
		]) {
			const value = await found(path, `{"reason":"a${escaped}b"}`, "validation-error");
			expect(value.errors).toContainEqual(expect.objectContaining({ pointer: "/reason", code: "illegal-character" }));
			const name = await found(path, `{"a${escaped}b":1}`, "validation-error");
			expect(name.errors?.map((fault) => fault.code)).toContain("illegal-character");
		}
	});

	test("JSON that is not an object is invalid", async () => {
		for (const body of ["null", "1", "true", '"x"', "[]", "[{}]", '"\\u0041"'])
			await found(path, body, "validation-error");
	});
});

test("an empty body is malformed if required, and absent otherwise", async () => {
	for (const path of PATHS.filter((one) => one !== "/v1/webhooks/test")) await found(path, "", "malformed-json");
	await expectProblem(send("/v1/webhooks/test", ""), 422, "webhook-not-configured");
});

test("members of Object.prototype are unknown members", async () => {
	for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
		const invoice = JSON.stringify(buildInvoice(tenant)).replace(/}$/, `,"${name}":{"polluted":"yes"}}`);
		const answer = postInvoice(service, tenant, invoice);
		await expectProblem(answer, 400, "validation-error", [`/${name} unknown-field`]);
	}
	expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("pointers escape slashes and tildes", async () => {
	const answer = postInvoice(service, tenant, { ...buildInvoice(tenant), "a/b~c": 1 });
	await expectProblem(answer, 400, "validation-error", ["/a~1b~0c unknown-field"]);
});

test("numbers that overflow are refused where a number is expected", async () => {
	const text = JSON.stringify(buildInvoice(tenant)).replace('"line_number":1', '"line_number":1e400');
	expect((await postInvoice(service, tenant, text)).status).toBe(400);
});

test("white space around a document is allowed", async () => {
	const text = ` \n\t\r${JSON.stringify(buildInvoice(tenant))}\r\n `;
	expect((await postInvoice(service, tenant, text)).status).toBe(202);
});
