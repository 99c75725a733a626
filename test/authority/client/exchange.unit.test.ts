import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Exchange, exchange } from "../../../src/authority/client/exchange";
import { makeTlsCertificate } from "./support/certificate";
import { findClosedPort, type RawServer, rawAnswer, startRawServer } from "./support/raw-server";

const body = new TextEncoder().encode("<ECF>ñ</ECF>");
const limits = { connectTimeoutMs: 2_000, answerTimeoutMs: 2_000 };
/** Short only where the test waits for it, since a machine may pause for a moment anywhere else. */
const soonAnswered = { ...limits, answerTimeoutMs: 500 };
const soonConnected = { ...limits, connectTimeoutMs: 500 };

const servers: RawServer[] = [];
afterAll(() => {
	for (const server of servers) server.close();
});

async function serve(answer: (socket: Socket, request: string) => void): Promise<RawServer> {
	const server = await startRawServer(answer);
	servers.push(server);
	return server;
}

function post(url: string, times = limits): Promise<Exchange> {
	return exchange({ method: "POST", url: new URL(url), headers: { "content-type": "text/plain" }, body }, times);
}

function brief(result: Exchange): string {
	return result.reached === "answer" ? `answer ${result.answer.status}` : `${result.reached} ${result.fault}`;
}

const half = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf";
const halfChunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n";

const faults: readonly [name: string, answer: (socket: Socket) => void, reading: string][] = [
	["closed before an answer", (socket) => socket.end(), "unknown authority-connection-lost"],
	["reset before an answer", (socket) => socket.resetAndDestroy(), "unknown authority-connection-lost"],
	["closed in the head", (socket) => socket.end("HTTP/1.1 200 OK\r\nconte"), "unknown authority-connection-lost"],
	["closed in the body", (socket) => socket.end(half), "unknown authority-connection-lost"],
	[
		"reset in the body",
		(socket) => socket.write(half, () => socket.resetAndDestroy()),
		"unknown authority-connection-lost",
	],
	["closed in a chunked body", (socket) => socket.end(halfChunked), "unknown authority-connection-lost"],
	[
		"used for something that is not HTTP",
		(socket) => socket.end("220 smtp ready\r\n\r\n"),
		"unknown authority-connection-lost",
	],
	[
		"given two lengths",
		(socket) => socket.end(rawAnswer(200, "full", { "Content-Length": "8" })),
		"unknown authority-connection-lost",
	],
	[
		"given an endless head",
		(socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(400_000)}\r\n\r\n`),
		"unknown authority-connection-lost",
	],
	[
		"given more than 1 MiB",
		(socket) => socket.end(rawAnswer(200, "a".repeat(1024 * 1024 + 1))),
		"unknown authority-answer-unreadable",
	],
	[
		"given more than 1 MiB without a length",
		(socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${"a".repeat(3_000_000)}`),
		"unknown authority-answer-unreadable",
	],
	["answered with exactly 1 MiB", (socket) => socket.end(rawAnswer(200, "a".repeat(1024 * 1024))), "answer 200"],
	[
		"answered with 100 and then 200",
		(socket) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${rawAnswer(200, "ok")}`),
		"answer 200",
	],
	["answered with an empty 401", (socket) => socket.end(rawAnswer(401, "")), "answer 401"],
	["answered with 503", (socket) => socket.end(rawAnswer(503, "later", { "retry-after": "1" })), "answer 503"],
];

for (const [name, answer, reading] of faults) {
	test(`a connection ${name} gives ${reading}, and the request is sent once`, async () => {
		const server = await serve(answer);
		expect(brief(await post(server.url))).toBe(reading);
		expect(server.received.length).toBe(1);
		expect(server.received[0]).toEndWith(Buffer.from(body).toString("latin1"));
	});
}

const pauses: readonly [status: number, headers: Record<string, string>, pauseMs: number | undefined][] = [
	[503, { "retry-after": "2" }, 2_000],
	[429, { "retry-after": "30" }, 30_000],
	[503, { "retry-after": "86400" }, 300_000],
	[503, { "retry-after": "Fri, 20 Nov 2026 18:00:07 GMT", date: "Fri, 20 Nov 2026 18:00:00 GMT" }, 7_000],
	[503, { "retry-after": "0" }, undefined],
	[503, { "retry-after": "soon" }, undefined],
	[503, {}, undefined],
	[500, { "retry-after": "5" }, undefined],
	[200, { "retry-after": "5" }, undefined],
];

test("a service that refuses work gets the pause that it asks for, up to five minutes", async () => {
	for (const [status, headers, pauseMs] of pauses) {
		const server = await serve((socket) => socket.end(rawAnswer(status, "", headers)));
		const result = await post(server.url);
		expect(result.reached === "answer" ? result.answer.retryAfterMs : result.reached).toBe(pauseMs);
	}
});

const slow: readonly [name: string, answer: (socket: Socket) => void][] = [
	["never", () => undefined],
	["with a head and then never", (socket) => socket.write(half)],
	[
		"drop by drop",
		(socket) => {
			socket.write(half);
			const drip = setInterval(() => socket.write("."), 20);
			socket.on("close", () => clearInterval(drip));
		},
	],
];

for (const [name, answer] of slow) {
	test(`an authority that answers ${name} leaves the outcome unknown after the limit`, async () => {
		const server = await serve(answer);
		expect(brief(await post(server.url, soonAnswered))).toBe("unknown authority-timeout");
		expect(server.received.length).toBe(1);
	});
}

test("a refused connection and an unknown host certainly reach no server", async () => {
	expect(brief(await post(`http://127.0.0.1:${await findClosedPort()}`))).toBe("nothing authority-unreachable");
	expect(brief(await post("http://authority.invalid"))).toBe("nothing authority-unreachable");
});

test("an unfinished handshake has certainly sent nothing of the request", async () => {
	const server = await serve(() => undefined);
	expect(brief(await post(server.url.replace("http:", "https:"), soonConnected))).toBe("nothing authority-unreachable");
	expect(server.received[0]).not.toContain("POST");
});

test("a broken handshake or a server without TLS has certainly been sent nothing", async () => {
	const plain = await serve((socket) => socket.end(rawAnswer(200, "ok")));
	const closing = createServer((socket) => socket.destroy());
	await new Promise<void>((resolve) => closing.listen(0, "127.0.0.1", resolve));
	const { port } = closing.address() as AddressInfo;
	expect(brief(await post(`https://127.0.0.1:${port}`))).toBe("nothing authority-unreachable");
	expect(brief(await post(plain.url.replace("http:", "https:"), soonConnected))).toBe("nothing authority-unreachable");
	expect(plain.received[0]).not.toContain("POST");
	closing.close();
});

test("a certificate is verified before a byte is sent: trusted root and right name", async () => {
	const directory = mkdtempSync(join(tmpdir(), "sello-tls-"));
	const files = await makeTlsCertificate();
	writeFileSync(join(directory, "root.pem"), files.cert);
	const seen: string[] = [];
	const fetch = async (request: Request) => {
		seen.push(await request.text());
		return new Response("ok");
	};
	const server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: files, fetch });
	const call = async (host: string, trusted: boolean) => {
		const child = Bun.spawn(
			[process.execPath, join(import.meta.dir, "support/call-over-tls.ts"), `https://${host}:${server.port}`],
			{
				env: { ...process.env, ...(trusted ? { NODE_EXTRA_CA_CERTS: join(directory, "root.pem") } : {}) },
				stdout: "pipe",
			},
		);
		return (await new Response(child.stdout).text()).trim();
	};
	try {
		expect(await call("localhost", false)).toBe("nothing authority-unreachable");
		expect(await call("127.0.0.1", true)).toBe("nothing authority-unreachable");
		expect(seen).toEqual([]);
		expect(await call("localhost", true)).toBe("answer 200");
		expect(seen).toEqual(["<ECF></ECF>"]);
	} finally {
		await server.stop(true);
		rmSync(directory, { recursive: true });
	}
});

test("no redirect is followed", async () => {
	const target = await serve((socket) => socket.end(rawAnswer(200, "stolen")));
	for (const status of [301, 302, 303, 307, 308]) {
		const server = await serve((socket) => socket.end(rawAnswer(status, "", { location: target.url })));
		expect(brief(await post(server.url))).toBe(`answer ${status}`);
	}
	expect(target.received).toEqual([]);
});

test("every request has its own connection, an exact length and no cookie", async () => {
	const server = await serve((socket) =>
		socket.write(rawAnswer(200, "ok", { "set-cookie": "a=b; Path=/", connection: "keep-alive" })),
	);
	for (let i = 0; i < 3; i++) expect(brief(await post(`${server.url}/x?y=z`))).toBe("answer 200");
	expect(server.received.length).toBe(3);
	for (const request of server.received) {
		expect(request).toStartWith("POST /x?y=z HTTP/1.1\r\n");
		expect(request.toLowerCase()).toContain(`\r\ncontent-length: ${body.length}\r\n`);
		expect(request.toLowerCase()).not.toContain("cookie");
		expect(request.toLowerCase()).not.toContain("transfer-encoding");
	}
});

test("a request whose sender may no longer send is not written", async () => {
	let taken = 0;
	const server = await serve((socket) => {
		taken++;
		socket.end(rawAnswer(200, "taken"));
	});
	const request = {
		method: "POST",
		url: new URL(server.url),
		headers: { "content-type": "text/plain" },
		body,
	} as const;
	const results = [true, false, true].map((isMine) => exchange({ ...request, maySend: () => isMine }, limits));
	expect((await Promise.all(results)).map(brief)).toEqual(["answer 200", "nothing send-withdrawn", "answer 200"]);
	expect(taken).toBe(2);
	const asked: number[] = [];
	await exchange({ ...request, maySend: (takesMaxMs) => asked.push(takesMaxMs) > 0 }, limits);
	expect(asked).toEqual([limits.answerTimeoutMs]);
});
