import { afterEach, beforeAll, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { keepConnections, type PostOptions, type PostResult, postOnce } from "../../../src/platform/egress";
import { type Listener, listen, onRequest, writeEvery } from "../../support/listen";
import { createTestAuthority, type TestAuthority } from "../../support/server-certificate";

const NAME = "hooks.example.com";

let open: Listener[] = [];
let authority: TestAuthority;
beforeAll(async () => {
	authority = await createTestAuthority();
});
afterEach(async () => {
	await Promise.all(open.map((listener) => listener.close()));
	open = [];
});

async function start(...args: Parameters<typeof listen>): Promise<Listener> {
	const listener = await listen(...args);
	open.push(listener);
	return listener;
}

/** Posts to a receiver on loopback that the policy names. */
function post(port: number, options: Partial<PostOptions> = {}): Promise<PostResult> {
	return postOnce({
		url: `http://127.0.0.1:${port}/hooks?a=b`,
		headers: { "content-type": "application/json" },
		body: Buffer.from('{"sum":"1.00 ñ"}'),
		policy: { environment: "sandbox", allow: new Set([`127.0.0.1:${port}`, `${NAME}:${port}`]) },
		connectTimeoutMs: 20_000,
		totalTimeoutMs: 30_000,
		...options,
	});
}

const answerWith = (head: string, body = "") => onRequest((socket) => socket.end(`${head}\r\n\r\n${body}`));

test("the body arrives unchanged, with its headers, on its own connection", async () => {
	let seen = "";
	const receiver = await start((socket) =>
		socket.on("data", (bytes) => {
			seen += bytes.toString();
			if (seen.endsWith("}")) socket.end("HTTP/1.1 204 No Content\r\n\r\n");
		}),
	);
	const result = await post(receiver.port, { headers: { "content-type": "application/json", "x-one": "1" } });
	expect(result).toMatchObject({ ok: true, status: 204, responseBody: "" });
	expect(result.error).toBeUndefined();
	const [head = "", body] = seen.split("\r\n\r\n");
	expect(body).toBe('{"sum":"1.00 ñ"}');
	const lines = head.toLowerCase().split("\r\n");
	expect(lines[0]).toBe("post /hooks?a=b http/1.1");
	expect(lines.slice(1).sort()).toEqual([
		"connection: close",
		"content-length: 17",
		"content-type: application/json",
		`host: 127.0.0.1:${receiver.port}`,
		"x-one: 1",
	]);
});

test("any 2xx is a success and no other status is", async () => {
	for (const status of [200, 201, 202, 204, 299, 301, 304, 400, 404, 410, 429, 500, 503]) {
		const receiver = await start(answerWith(`HTTP/1.1 ${status} X\r\nContent-Length: 0`));
		const result = await post(receiver.port);
		expect(result).toMatchObject({ ok: status < 300, status });
		expect(result.error).toBeUndefined();
	}
});

test("a redirect is never followed", async () => {
	const canary = await start((socket) => socket.destroy(), { host: "127.0.0.9" });
	for (const status of [301, 302, 303, 307, 308]) {
		const location = `http://127.0.0.9:${canary.port}/stolen`;
		const receiver = await start(answerWith(`HTTP/1.1 ${status} X\r\nLocation: ${location}\r\nContent-Length: 0`));
		// Even when the policy would allow the new place.
		const allow = new Set([`127.0.0.1:${receiver.port}`, `127.0.0.9:${canary.port}`]);
		const result = await post(receiver.port, { policy: { environment: "sandbox", allow } });
		expect(result).toMatchObject({ ok: false, status });
	}
	expect(canary.connections()).toBe(0);
});

test("what the resolver answered first is what is dialled, and it is asked once", async () => {
	let hosts: string[] = [];
	const receiver = await start(answerWith("HTTP/1.1 200 OK\r\nContent-Length: 0"), { host: "127.0.0.2" });
	const canary = await start((socket) => socket.destroy(), { host: "127.0.0.3", port: receiver.port });
	for (let round = 1; round <= 20; round++) {
		hosts = [];
		const result = await post(receiver.port, {
			url: `http://${NAME}:${receiver.port}/`,
			resolve: async (host) => (hosts.push(host) === 1 ? ["127.0.0.2"] : ["127.0.0.3"]),
		});
		expect(result.ok).toBe(true);
		expect(hosts).toEqual([NAME]);
	}
	expect(receiver.connections()).toBe(20);
	expect(canary.connections()).toBe(0);
});

test("a name that turns from public to private never reaches the private address", async () => {
	const canary = await start((socket) => socket.destroy(), { host: "127.0.0.4" });
	const policy = { environment: "sandbox", allow: new Set<string>() } as const;
	const url = `http://${NAME}:${canary.port}/`;
	// 3ffe::/16 was given back in 2006 and is routed nowhere: the first round dials it in vain.
	const answers = [
		["3ffe::1"],
		["127.0.0.4"],
		["127.0.0.4", "::1"],
		["::ffff:127.0.0.4"],
		["::ffff:7f00:4"],
		["127.0.0.4"],
	];
	const results: (string | undefined)[] = [];
	for (const answer of answers) {
		results.push((await post(canary.port, { url, policy, resolve: async () => answer, connectTimeoutMs: 100 })).error);
	}
	expect(results[0]).not.toBe("blocked-address");
	expect(results.slice(1)).toEqual(new Array(5).fill("blocked-address"));
	expect(canary.connections()).toBe(0);
});

test("of a mixed answer only the public part is dialled", async () => {
	const canary = await start((socket) => socket.destroy(), { host: "127.0.0.4" });
	const policy = { environment: "sandbox", allow: new Set<string>() } as const;
	for (const answer of [
		["127.0.0.4", "3ffe::1"],
		["3ffe::1", "127.0.0.4"],
		["not an address", "10.0.0.1", "3ffe::1"],
	]) {
		const url = `http://${NAME}:${canary.port}/`;
		const result = await post(canary.port, { url, policy, resolve: async () => answer, connectTimeoutMs: 100 });
		expect(result.error).not.toBe("blocked-address");
		expect(result.ok).toBe(false);
	}
	expect(canary.connections()).toBe(0);
});

test("a URL that was stored under a wider policy is not called under a narrower one", async () => {
	const canary = await start((socket) => socket.destroy());
	const urls = [
		`http://127.0.0.1:${canary.port}/`,
		`http://localhost:${canary.port}/`,
		`https://[::1]:${canary.port}/`,
	];
	for (const url of [...urls, "file:///etc/hostname", "not a url"]) {
		const result = await post(canary.port, { url, policy: { environment: "production", allow: new Set() } });
		expect(result).toMatchObject({ ok: false, error: "blocked-address" });
	}
	expect(canary.connections()).toBe(0);
});

test("a resolver that fails, finds nothing or hangs ends the attempt", async () => {
	const url = "https://hooks.example.com/";
	const fails = async () => Promise.reject(new Error("ENOTFOUND"));
	expect((await post(1, { url, resolve: fails })).error).toBe("dns-error");
	expect((await post(1, { url, resolve: async () => [] })).error).toBe("dns-error");
	const result = await post(1, { url, resolve: () => new Promise(() => undefined), connectTimeoutMs: 50 });
	expect(result.error).toBe("timeout");
	expect(result.durationMs).toBeLessThan(5_000);
});

test("proxy variables of the environment are not obeyed", async () => {
	const receiver = await start(answerWith("HTTP/1.1 200 OK\r\nContent-Length: 0"));
	const proxy = await start((socket) => socket.destroy(), { host: "127.0.0.5" });
	const script = `
		import { keepConnections, postOnce } from "${import.meta.dir}/../../../src/platform/egress";
		const policy = { environment: "sandbox", allow: new Set(["hooks.example.com:${receiver.port}"]) };
		const url = "http://hooks.example.com:${receiver.port}/";
		const options = { url, headers: {}, body: new Uint8Array(2), policy, resolve: async () => ["127.0.0.1"] };
		const kept = { connections: keepConnections(), owner: "one" };
		const results = [await postOnce(options), await postOnce({ ...options, kept })];
		console.log(results.map(({ status }) => status).join());
		process.exit();`;
	const address = `http://127.0.0.5:${proxy.port}`;
	const variables = { HTTP_PROXY: address, http_proxy: address, HTTPS_PROXY: address, ALL_PROXY: address };
	const child = Bun.spawn([process.execPath, "-e", script], {
		env: { ...process.env, ...variables, NODE_USE_ENV_PROXY: "1" },
		stdout: "pipe",
	});
	expect((await new Response(child.stdout).text()).trim()).toBe("200,200");
	expect(proxy.connections()).toBe(0);
});

const HEAD = "HTTP/1.1 200 OK\r\n";
const bomb = gzipSync(Buffer.alloc(50_000_000));

const say = (bytes: string) => onRequest((socket) => socket.write(bytes));
const sayAndClose = (bytes: string) => onRequest((socket) => socket.end(bytes));
const sayAndRepeat = (bytes: string, ms: number, again: string) =>
	onRequest((socket) => {
		socket.write(bytes);
		writeEvery(ms, socket, again);
	});
/** Writes as fast as the other side reads, for as long as it reads. */
function pour(socket: Socket, again: string, first = "") {
	const bytes = again.repeat(2_000);
	const more = () => {
		while (!socket.destroyed && socket.write(bytes));
	};
	socket.on("drain", more);
	socket.write(first);
	more();
}
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const EARLY_HINTS = "HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n";
const SWITCH = "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
const BULK = "x".repeat(30_000);

/** Receivers that misbehave, and how an attempt on each must end within its time. */
const misbehaviours: [what: string, error: string | undefined, play: Parameters<typeof listen>[0]][] = [
	["accepts and says nothing", "timeout", () => undefined],
	["reads and says nothing", "timeout", (socket) => socket.resume()],
	["drips a byte at a time", "timeout", sayAndRepeat(`${HEAD}Content-Length: 9999\r\n\r\n`, 30, "x")],
	["drips its headers", "timeout", sayAndRepeat(HEAD, 30, "x: y\r\n")],
	["goes on with interim answers", "timeout", sayAndRepeat(EARLY_HINTS, 200, EARLY_HINTS)],
	["never stops", "too-large", sayAndRepeat(`${HEAD}\r\n`, 1, BULK)],
	["announces a gigabyte", "too-large", sayAndRepeat(`${HEAD}Content-Length: 1000000000\r\n\r\n`, 1, BULK)],
	["sends 100 kB of headers", "too-large", say(`${HEAD}x: ${"a".repeat(100_000)}\r\n\r\n`)],
	["never ends its headers", "too-large", sayAndRepeat(HEAD, 1, `x: ${"a".repeat(5_000)}\r\n`)],
	["closes without a word", "connection-reset", onRequest((socket) => socket.end())],
	["closes in its headers", "connection-reset", sayAndClose(`${HEAD}Content-Le`)],
	["closes in its body", "connection-reset", sayAndClose(`${HEAD}Content-Length: 100\r\n\r\nabc`)],
	["closes before the last chunk", "connection-reset", sayAndClose(`${CHUNKED}3\r\nabc\r\n`)],
	["resets", "connection-reset", onRequest((socket) => socket.resetAndDestroy())],
	["speaks another protocol", "malformed-response", say("SSH-2.0-OpenSSH_9.2\r\n")],
	["sends a broken chunk", "malformed-response", say(`${CHUNKED}zz\r\n`)],
	["fills the wire with interim answers", "too-large", onRequest((socket) => pour(socket, EARLY_HINTS))],
	["fills the wire with blank lines", "too-large", onRequest((socket) => pour(socket, "\r\n"))],
	["never ends a chunk's length", "too-large", onRequest((socket) => pour(socket, "0", CHUNKED))],
	["switches protocols unasked", "malformed-response", say(SWITCH)],
	[
		"sends a gzip bomb",
		undefined,
		onRequest((socket) => {
			socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
			socket.end(bomb);
		}),
	],
];

const roads = [
	["", (): Partial<PostOptions> => ({})],
	[" where connections are kept", () => ({ kept: { connections: keepConnections(), owner: "one" } })],
] as const;
for (const [[what, error, play], [where, change]] of misbehaviours.flatMap((one) =>
	roads.map((road) => [one, road] as const),
)) {
	test(`a receiver that ${what} ends the attempt in time${where}`, async () => {
		const receiver = await start(play);
		const before = process.memoryUsage().rss;
		// Short only where waiting is the point: a busy machine may take its time for the others.
		const limits = error === "timeout" ? { connectTimeoutMs: 400, totalTimeoutMs: 600 } : {};
		const result = await post(receiver.port, { ...limits, ...change() });
		expect(result.error).toBe(error as PostResult["error"]);
		expect(result.ok).toBe(error === undefined);
		expect(result.durationMs).toBeLessThan(40_000);
		expect(result.responseBody.length).toBeLessThanOrEqual(4_096);
		expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
	});
}

test("a port without a listener is a refused connection", async () => {
	const gone = await listen(() => undefined);
	await gone.close();
	expect(await post(gone.port)).toMatchObject({ ok: false, error: "connection-refused" });
});

test("an answer of exactly the limit is whole, one byte more is too large", async () => {
	const answer = (n: number) => answerWith(`${HEAD}Content-Length: ${n}`, "x".repeat(n));
	expect((await post((await start(answer(65_536))).port)).ok).toBe(true);
	expect(await post((await start(answer(65_537))).port)).toMatchObject({ ok: false, status: 200, error: "too-large" });
});

test("the first 4 KiB of the answer are kept as text that a database can hold", async () => {
	const body = `a\u0000${"ñ".repeat(4_000)}`;
	const receiver = await start(answerWith(`HTTP/1.1 500 X\r\nContent-Length: ${Buffer.byteLength(body)}`, body));
	const { responseBody } = await post(receiver.port);
	expect(responseBody).toBe(`a\ufffd${"ñ".repeat(2_047)}`);
});

test.each([
	["HTTP/1.1 204 No Content\r\nContent-Length: 2", "ok", { ok: true, status: 204, responseBody: "" }],
	["HTTP/1.1 200 OK\r\nContent-Length: 2", "okay", { ok: true, status: 200, responseBody: "ok" }],
	["HTTP/1.1 304 Not Modified\r\nContent-Length: 2", "ok", { ok: false, status: 304, responseBody: "" }],
])("what comes behind the whole answer %p does not spoil it", async (head, body, expected) => {
	const receiver = await start(answerWith(head, body));
	const result = await post(receiver.port);
	expect(result).toMatchObject(expected);
	expect(result.error).toBeUndefined();
});

test("Retry-After is read as seconds or as a date, and nothing else", async () => {
	const ask = async (value: string) => {
		const receiver = await start(answerWith(`HTTP/1.1 503 X\r\nRetry-After: ${value}\r\nContent-Length: 0`));
		return (await post(receiver.port)).retryAfterSeconds;
	};
	expect(await ask("120")).toBe(120);
	expect(await ask("0")).toBe(0);
	expect(await ask(new Date(Date.now() - 60_000).toUTCString())).toBe(0);
	const soon = await ask(new Date(Date.now() + 60_000).toUTCString());
	expect(soon).toBeGreaterThan(55);
	expect(soon).toBeLessThanOrEqual(61);
	for (const odd of ["-1", "1.5", "soon", "2030-01-01", "1e3"]) expect([odd, await ask(odd)]).toEqual([odd, undefined]);
});

test("a certificate that does not fit fails the attempt before anything is said", async () => {
	const other = await createTestAuthority();
	let heard = 0;
	const serve = async (tls: { key: string; cert: string }) => {
		const onSocket = onRequest((socket) => {
			heard++;
			socket.end("HTTP/1.1 204 No Content\r\n\r\n");
		});
		return (await start(onSocket, { tls })).port;
	};
	const attempt = async (tls: { key: string; cert: string }, ca: string | undefined = authority.ca) => {
		const port = await serve(tls);
		const url = `https://${NAME}:${port}/`;
		return post(port, { url, resolve: async () => ["127.0.0.1"], ...(ca === "" ? {} : { ca }) });
	};
	const fitting = await authority.issue(NAME);
	expect(await attempt(fitting)).toMatchObject({ ok: true, status: 204 });
	expect(heard).toBe(1);
	expect((await attempt(fitting, "")).error).toBe("tls-error");
	expect((await attempt(fitting, other.ca)).error).toBe("tls-error");
	expect((await attempt(await authority.issue("other.example.com"))).error).toBe("tls-error");
	expect((await attempt(await authority.issue(NAME, new Date(Date.now() - 1_000)))).error).toBe("tls-error");
	expect(heard).toBe(1);
});

test("what fills the wire under TLS is seen as well", async () => {
	const receiver = await start(
		onRequest((socket) => pour(socket, "\r\n")),
		{ tls: await authority.issue(NAME) },
	);
	const url = `https://${NAME}:${receiver.port}/`;
	const result = await post(receiver.port, { url, resolve: async () => ["127.0.0.1"], ca: authority.ca });
	expect(result).toMatchObject({ ok: false, error: "too-large" });
});

test("a receiver that never shakes hands, or has no TLS at all, ends the attempt", async () => {
	const silent = await start(() => undefined);
	const url = (port: number) => ({ url: `https://127.0.0.1:${port}/` });
	const result = await post(silent.port, { ...url(silent.port), connectTimeoutMs: 100, totalTimeoutMs: 5_000 });
	expect(result.error).toBe("timeout");
	expect(result.durationMs).toBeLessThan(8_000);
	const plain = await start((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
	expect((await post(plain.port, url(plain.port))).error).toBe("tls-error");
});
