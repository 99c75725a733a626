/** Requests that no client library sends, on sockets: lengths that lie, heads that are too big, bodies that never come. */
import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { head, sendRaw, toResponse } from "../../support/raw-request";
import { buildInvoice, get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { expectProblem, expectUnauthorised } from "../support/problem";
import { tenantA } from "../support/tenants";

const MIB = 1024 * 1024;
let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const credentials = () => Object.entries(tenant.headers).map(([name, value]) => `${name}: ${value}`);
const invoiceHead = (...lines: string[]) =>
	head(service.url, "POST /v1/invoices", [
		...credentials(),
		`Idempotency-Key: ${crypto.randomUUID()}`,
		"Content-Type: application/json",
		...lines,
	]);

function* repeated(chunk: Buffer, times: number, before: string, frame = false): Generator<Buffer | string> {
	yield before;
	for (let i = 0; i < times; i++) yield frame ? `${chunk.length.toString(16)}\r\n${chunk}\r\n` : chunk;
	if (frame) yield "0\r\n\r\n";
}
const chunk = Buffer.alloc(64 * 1024, " ");

describe("the body of an unauthenticated request is not read", () => {
	test("no token and malformed JSON", async () => {
		const answer = await fetch(`${service.url}/v1/invoices`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: "{",
		});
		await expectUnauthorised(answer);
	});

	test("no token and 50 MB: the answer comes before a mebibyte is read", async () => {
		const start = head(service.url, "POST /v1/invoices", [
			"Content-Type: application/json",
			`Content-Length: ${50 * MIB}`,
		]);
		// Nothing but the head is sent: a service that wanted the body would wait for it.
		const silent = await sendRaw(service.url, [start], 5_000);
		await expectUnauthorised(toResponse(silent));
		// A client that cannot wait: the answer comes while it is still sending.
		async function* slowly() {
			yield start;
			for (let i = 0; i < 800; i++) {
				yield chunk;
				await Bun.sleep(2);
			}
		}
		const hasty = await sendRaw(service.url, slowly(), 10_000);
		await expectUnauthorised(toResponse(hasty));
		expect(hasty.bytesSent).toBeLessThan(4 * MIB);
	}, 120_000);

	test("the body is not read without scope, with a wrong method or at an unknown path", async () => {
		const length = `Content-Length: ${50 * MIB}`;
		const nothing = await sendRaw(service.url, [head(service.url, "POST /nothing", [length])]);
		await expectProblem(toResponse(nothing), 404, "not-found");
		const wrong = await sendRaw(service.url, [head(service.url, "PUT /v1/invoices", [length])]);
		await expectProblem(toResponse(wrong), 405, "method-not-allowed");
	});
});

describe("three mebibytes", () => {
	test("declared by Content-Length are refused before the body", async () => {
		const answer = await sendRaw(service.url, [invoiceHead(`Content-Length: ${3 * MIB}`)], 5_000);
		await expectProblem(toResponse(answer), 413, "payload-too-large");
	});

	test("in chunks are cut at the limit", async () => {
		const answer = await sendRaw(service.url, repeated(chunk, 48, invoiceHead("Transfer-Encoding: chunked"), true));
		await expectProblem(toResponse(answer), 413, "payload-too-large");
	});

	test("bytes behind the Content-Length are neither body nor another request", async () => {
		// The listener may refuse the rest before our answer to the first two bytes is out.
		const answer = await sendRaw(service.url, repeated(chunk, 48, invoiceHead("Content-Length: 2")));
		expect(answer.status).toBe(400);
		expect(answer.bytesSent).toBeLessThan(4 * MIB);
	});
});

test("a body shorter than its Content-Length stores nothing when the caller leaves", async () => {
	const invoice = buildInvoice(tenant);
	const body = JSON.stringify(invoice);
	const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
	await new Promise((opened) => socket.once("connect", opened));
	socket.write(invoiceHead(`Content-Length: ${Buffer.byteLength(body) + 1}`) + body);
	const other = await get(service, "/livez");
	expect(other.status).toBe(200);
	socket.destroy();
	expect((await get(service, `/v1/invoices?encf=${invoice.encf}`, tenant.headers)).status).toBe(200);
	const rows = await service.sql`select 1 from documents where encf = ${String(invoice.encf)}`;
	expect(rows).toHaveLength(0);
});

test("pipelining closes the connection; a repeat with the key finds the result", async () => {
	const invoices = [buildInvoice(tenant), buildInvoice(tenant)];
	const keys = invoices.map(() => crypto.randomUUID());
	const headers = (place: number) => ({ ...tenant.headers, "Idempotency-Key": String(keys[place]) });
	const requests = invoices.map((invoice, place) => {
		const body = JSON.stringify(invoice);
		const lines = Object.entries(headers(place)).map(([name, value]) => `${name}: ${value}`);
		const length = `Content-Length: ${Buffer.byteLength(body)}`;
		return head(service.url, "POST /v1/invoices", [...lines, "Content-Type: application/json", length]) + body;
	});
	const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
	const closed = new Promise((done) => socket.once("close", done));
	let answered = 0;
	socket.on("data", (bytes) => (answered += bytes.length));
	socket.write(requests.join(""));
	await closed;
	expect(answered).toBe(0);
	const repeat = (place: number) => post(service, "/v1/invoices", headers(place), invoices[place]);
	await until(async () => (await repeat(0)).status === 200);
	expect((await repeat(0)).headers.get("idempotency-replayed")).toBe("true");
	expect((await repeat(1)).status).toBe(202);
});

test("a chunked body with a trailer is refused; an unknown Expect is ignored", async () => {
	const body = JSON.stringify(buildInvoice(tenant));
	const chunks = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\nX-Sum: 1\r\n\r\n`;
	const trailed = await sendRaw(service.url, [invoiceHead("Transfer-Encoding: chunked") + chunks]);
	expect([trailed.status, trailed.body]).toEqual([400, ""]);
	expect((await sendRaw(service.url, [head(service.url, "GET /livez", ["Expect: 200-ok"])])).status).toBe(200);
});

test.each([
	["one header", `X-Long: ${"x".repeat(20_000)}`],
	["many headers", Array.from({ length: 90 }, (_, i) => `X-${i}: ${"x".repeat(500)}`).join("\r\n")],
])("a head above 16 KiB gets a problem: %s", async (_, lines) => {
	const answer = await sendRaw(service.url, [head(service.url, "GET /livez", [lines])]);
	expect(await expectProblem(toResponse(answer), 431, "headers-too-large")).toMatchObject({ limitBytes: 16_384 });
});

test.each([
	["a head above 64 KiB", `X-Long: ${"x".repeat(70_000)}`],
	["two hundred headers", Array.from({ length: 201 }, (_, i) => `X-${i}: 1`).join("\r\n")],
])("%s is refused by the listener without a problem document", async (_, lines) => {
	const answer = await sendRaw(service.url, [head(service.url, "GET /livez", [lines])]);
	expect([answer.status, answer.body]).toEqual([431, ""]);
});

test.each(["GET /livez", "GET /v1/authority/document/990000001", "GET /v1/invoices"])(
	"%s with two Host headers is refused",
	async (line) => {
		for (const host of ["other", new URL(service.url).host]) {
			const lines = [...credentials(), `Host: ${host}`, "Connection: close"];
			const answer = await sendRaw(service.url, [head(service.url, line, lines)]);
			await expectProblem(toResponse(answer), 400, "validation-error", ["#/headers/host repeated"]);
		}
		const keyed = [`x-api-key: ${tenant.apiKey}`, "Host: other", "Connection: close"];
		expect((await sendRaw(service.url, [head(service.url, line, keyed)])).status).toBe(400);
	},
);

test.each(["PROPFIND", "TRACE", "QUERY", "PURGE", "LINK", "OPTIONS", "SEARCH"])(
	"the method %s gets 405",
	async (method) => {
		for (const path of ["/livez", "/v1/invoices", "/v1/authority/document/990000001", "/v1/auth/token"]) {
			const answer = await sendRaw(service.url, [head(service.url, `${method} ${path}`, ["Connection: close"])]);
			await expectProblem(toResponse(answer), 405, "method-not-allowed");
			expect(answer.headers.get("allow")).toMatch(/GET|POST/);
		}
	},
);

test("a method that HTTP does not know ends the connection", async () => {
	for (const method of ["FOO", "get"]) {
		const answer = sendRaw(service.url, [head(service.url, `${method} /livez`)]);
		await expect(answer).rejects.toThrow("closed without an answer");
	}
});

test.each([
	["no Host", "GET /livez HTTP/1.1\r\n\r\n"],
	[
		"two lengths that differ",
		"POST /v1/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
	],
	[
		"a length and chunks",
		"POST /v1/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	],
	["a negative length", "POST /v1/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n\r\n{}"],
	["a length in words", "POST /v1/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n{}"],
	["another version", "GET /livez HTTP/3.7\r\nHost: x\r\n\r\n"],
	["garbage", "\u0000\u0001\u0002\r\n\r\n"],
	["a space in a header's name", "GET /livez HTTP/1.1\r\nHost: x\r\nBad Name: x\r\n\r\n"],
])(
	"%s: the listener refuses it or closes, and never answers 2xx or 5xx of ours",
	async (_, text) => {
		const answer = await sendRaw(service.url, [text], 3_000).catch((error: Error) => error);
		if (answer instanceof Error) expect(answer.message).toMatch(/closed without an answer|no whole answer/);
		else expect([400, 401, 411, 413, 417, 501, 505]).toContain(answer.status);
		expect((await get(service, "/livez")).status).toBe(200);
	},
	120_000,
);

test.each(["", "a b", "a/b?c#d@e", "user:secret@host", "[::1", "x:abc", "x:99999", "%", "é"])(
	"a Host of %j gets a problem document",
	async (host) => {
		const answer = await sendRaw(service.url, [`GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`]);
		await expectProblem(toResponse(answer), 400, "validation-error", ["#/headers/host invalid-host"]);
	},
);

test.each<[string, string, boolean, number]>([
	["its health", "GET /livez", false, 200],
	["its readiness, with a query", "GET /readyz?x=1", false, 200],
	["a look-up with a caller's credentials", "GET /v1/authority/document/990000001", true, 200],
	["a search", "GET /v1/authority/document:search?q=PANADERIA&field=name", true, 200],
	["a list with a caller's credentials", "GET /v1/invoices?limit=1", true, 200],
	["what needs credentials", "GET /v1/invoices", false, 401],
	["a path that looks like another host", "GET //livez", false, 404],
])("without a Host, as HTTP/1.0 allows, the service itself is asked for %s", async (_, line, isKnown, status) => {
	const lines = [`${line} HTTP/1.0`, ...(isKnown ? credentials() : []), "", ""];
	expect((await sendRaw(service.url, [lines.join("\r\n")])).status).toBe(status);
});

test("an invalid Host is refused the same way", async () => {
	const answer = await sendRaw(service.url, ["CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]);
	await expectProblem(toResponse(answer), 400, "validation-error", ["#/headers/host invalid-host"]);
});

test("two requests on one connection get two answers, whatever the first was", async () => {
	const first = head(service.url, "POST /v1/invoices", ["Content-Type: application/json", "Content-Length: 2"]);
	const second = head(service.url, "GET /livez", ["Connection: close"]);
	const texts = await new Promise<string>((resolve, reject) => {
		const socket = connect(Number(new URL(service.url).port), "127.0.0.1", () => socket.write(`${first}{}${second}`));
		let text = "";
		socket.on("data", (data) => (text += data));
		socket.on("close", () => resolve(text));
		socket.on("error", reject);
	});
	expect(texts.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
});

test("forty callers with half a request do not delay others", async () => {
	const port = Number(new URL(service.url).port);
	const sockets = Array.from({ length: 40 }, (_, i) => {
		const socket = connect(port, "127.0.0.1");
		socket.on("error", () => socket.destroy());
		socket.write(
			i % 2 === 0 ? "POST /v1/invoices HTTP/1.1\r\nHost: x\r\nX-Sl" : `${invoiceHead("Content-Length: 5000")}{"type"`,
		);
		return socket;
	});
	for (let i = 0; i < 10; i++) expect((await get(service, "/livez")).status).toBe(200);
	for (const socket of sockets) socket.destroy();
});
