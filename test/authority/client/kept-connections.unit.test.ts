/** Queries share connections and are repeated after a closed one; requests with a body never are. */
import { afterEach, expect, test } from "bun:test";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createKeptConnections, exchange } from "../../../src/authority/client/exchange";

const limits = { connectTimeoutMs: 2_000, answerTimeoutMs: 2_000 };

let server: Server | undefined;
afterEach(() => {
	server?.closeAllConnections();
	server?.close();
});

/** A server that records the connection of each request; `closes` ends connections without an answer. */
async function serve(closes: (requestNumber: number) => boolean = () => false) {
	const sockets: Socket[] = [];
	server = createServer((request, response) => {
		sockets.push(request.socket);
		if (closes(sockets.length)) return void request.socket.destroy();
		request.resume();
		request.on("end", () => response.end("answered"));
	});
	await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
	const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
	const kept = createKeptConnections();
	return {
		sockets,
		ask: () => exchange({ method: "GET", url, headers: {} }, limits, kept),
		send: () => exchange({ method: "POST", url, headers: {}, body: new Uint8Array(8) }, limits),
	};
}

test("consecutive queries share a connection", async () => {
	const { sockets, ask } = await serve();
	for (let i = 0; i < 3; i++) expect((await ask()).reached).toBe("answer");
	expect(new Set(sockets).size).toBe(1);
});

test("each request with a body has its own connection", async () => {
	const { sockets, ask, send } = await serve();
	await ask();
	await send();
	await send();
	expect(new Set(sockets).size).toBe(3);
});

test("a query whose kept connection was closed is repeated once over a fresh one", async () => {
	const { sockets, ask } = await serve((n) => n === 2);
	await ask();
	expect((await ask()).reached).toBe("answer");
	expect(sockets).toHaveLength(3);
	expect(sockets[2]).not.toBe(sockets[0] as Socket);
});

test("a query is not repeated twice", async () => {
	const { sockets, ask } = await serve((n) => n >= 2);
	await ask();
	expect((await ask()).reached).toBe("unknown");
	expect(sockets).toHaveLength(3);
});

test("a submission is never repeated", async () => {
	const { sockets, send } = await serve(() => true);
	expect((await send()).reached).toBe("unknown");
	expect(sockets).toHaveLength(1);
});
