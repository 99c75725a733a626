/** The proxy of the fault harness: each toxic does what it says, and only there. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type Link, startTcpProxy, type TcpProxy, type Toxic } from "../support/tcp-proxy";
import { until } from "../support/until";

const stops: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
	for (const stop of stops.splice(0).reverse()) await stop();
});

/** For ever, as far as a test is concerned. */
const LONG_MS = 3_600_000;

type End = {
	readonly socket: Socket;
	text: string;
	chunks: number;
	isEnded: boolean;
	error: string;
	isClosed: boolean;
};

function follow(socket: Socket): End {
	const end: End = { socket, text: "", chunks: 0, isEnded: false, error: "", isClosed: false };
	socket.on("data", (chunk: Buffer) => {
		end.text += chunk.toString();
		end.chunks++;
	});
	socket.on("end", () => {
		end.isEnded = true;
	});
	socket.on("error", (error: Error & { code?: string }) => {
		end.error = error.code ?? error.message;
	});
	socket.on("close", () => {
		end.isClosed = true;
	});
	return end;
}

/** A server that keeps its connections, behind a proxy. */
async function open(onChunk?: (link: Link, direction: string, chunk: Buffer) => void) {
	const accepted: End[] = [];
	const server: Server = createServer({ allowHalfOpen: true }, (socket) => accepted.push(follow(socket)));
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	const port = typeof address === "object" && address ? address.port : 0;
	const proxy = await startTcpProxy({ port, ...(onChunk ? { onChunk } : {}) });
	stops.push(
		() => new Promise((closed) => server.close(closed)),
		() => {
			for (const { socket } of accepted) socket.destroy();
		},
		() => proxy.stop(),
	);
	return { proxy, accepted, port };
}

async function dial(proxy: TcpProxy): Promise<End> {
	const client = follow(connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true }));
	stops.push(() => client.socket.destroy());
	await new Promise((connected) => client.socket.once("connect", connected));
	return client;
}

async function dialPair(proxy: TcpProxy, accepted: readonly End[]): Promise<{ client: End; server: End }> {
	const before = accepted.length;
	const client = await dial(proxy);
	await until(() => accepted.length > before);
	const server = accepted[before];
	if (!server) throw new Error("the server has accepted nothing");
	return { client, server };
}

/** Sends upstream and proves by the other direction, which is healthy, that nothing has come. */
async function proveSilence(client: End, server: End): Promise<void> {
	client.socket.write("up");
	server.socket.write("down");
	await until(() => client.text.endsWith("down"));
	expect(server.text).toBe("");
}

test("without a toxic bytes and ends pass both ways", async () => {
	const { proxy, accepted } = await open();
	const { client, server } = await dialPair(proxy, accepted);
	client.socket.write("question");
	await until(() => server.text === "question");
	client.socket.end();
	await until(() => server.isEnded);
	server.socket.end("answer");
	await until(() => client.isEnded);
	expect(client.text).toBe("answer");
	await until(() => proxy.links().length === 0);
	expect(proxy.count()).toBe(1);
});

const holdingBack: readonly Toxic[] = [
	{ type: "latency", latencyMs: LONG_MS },
	{ type: "bandwidth", bytesPerSecond: 0.0001 },
	{ type: "timeout", timeoutMs: 0 },
	{ type: "timeout", timeoutMs: LONG_MS },
];
describe.each(holdingBack)("%j", (toxic) => {
	test("holds a direction back, the other one not, and lets go when it is taken away", async () => {
		const { proxy, accepted } = await open();
		const { client, server } = await dialPair(proxy, accepted);
		const remove = proxy.add("upstream", toxic);
		await proveSilence(client, server);
		client.socket.write("!");
		remove();
		await until(() => server.text === "up!");
	});

	test("stands on one connection when it was put there", async () => {
		const { proxy, accepted } = await open();
		const first = await dialPair(proxy, accepted);
		const second = await dialPair(proxy, accepted);
		proxy.links()[0]?.add("upstream", toxic);
		second.client.socket.write("other");
		await until(() => second.server.text === "other");
		await proveSilence(first.client, first.server);
	});
});

test("latency, when it is short, only delays", async () => {
	const { proxy, accepted } = await open();
	const { client, server } = await dialPair(proxy, accepted);
	proxy.add("upstream", { type: "latency", latencyMs: 5, jitterMs: 5 });
	for (let n = 0; n < 10; n++) client.socket.write(`${n}`);
	await until(() => server.text === "0123456789");
});

test("a time-out closes the connection, and its bytes never come", async () => {
	const { proxy, accepted } = await open();
	const { client, server } = await dialPair(proxy, accepted);
	proxy.add("upstream", { type: "timeout", timeoutMs: 5 });
	client.socket.write("lost");
	await until(() => client.isEnded && server.isEnded);
	expect(server.text).toBe("");
});

test("a slow close delays the end and nothing else", async () => {
	const { proxy, accepted } = await open();
	const { client, server } = await dialPair(proxy, accepted);
	const remove = proxy.add("upstream", { type: "slow_close", delayMs: LONG_MS });
	client.socket.end("last words");
	await until(() => server.text === "last words");
	expect(server.isEnded).toBe(false);
	remove();
	await until(() => server.isEnded);
});

test("a reset ends connections that are open and those to come with a RST", async () => {
	const { proxy, accepted } = await open();
	const { client } = await dialPair(proxy, accepted);
	proxy.add("upstream", { type: "reset_peer", timeoutMs: 1 });
	await until(() => client.isClosed);
	expect(client.error).toBe("ECONNRESET");
	const next = await dial(proxy);
	await until(() => next.isClosed);
	expect(next.error).toBe("ECONNRESET");
});

test("a slicer cuts chunks and changes no byte", async () => {
	const { proxy, accepted } = await open();
	const { client, server } = await dialPair(proxy, accepted);
	proxy.add("upstream", { type: "slicer", sliceBytes: 3, delayMs: 2 });
	client.socket.write("0123456789");
	await until(() => server.text === "0123456789");
	expect(server.chunks).toBeGreaterThan(1);
});

test("a limit lets its bytes through and closes the connection", async () => {
	const { proxy, accepted } = await open();
	const { client, server } = await dialPair(proxy, accepted);
	proxy.add("upstream", { type: "limit_data", bytes: 7 });
	client.socket.write("01234");
	await until(() => server.text === "01234");
	client.socket.write("56789");
	await until(() => client.isEnded && server.isEnded);
	expect(server.text).toBe("0123456");
});

test("heal takes away what stands on all connections", async () => {
	const { proxy, accepted } = await open();
	const { client, server } = await dialPair(proxy, accepted);
	for (const toxic of holdingBack) proxy.add("upstream", toxic);
	await proveSilence(client, server);
	proxy.heal();
	await until(() => server.text === "up");
});

test("disabled, it ends open connections and refuses new ones until enabled", async () => {
	const { proxy, accepted } = await open();
	const { client } = await dialPair(proxy, accepted);
	proxy.setEnabled(false);
	await until(() => client.isClosed);
	const refused = await dial(proxy);
	await until(() => refused.isClosed);
	proxy.setEnabled(true);
	const { client: next, server } = await dialPair(proxy, accepted);
	next.socket.write("back");
	await until(() => server.text === "back");
	expect(accepted).toHaveLength(2);
});

test("a new target takes new connections only", async () => {
	const first = await open();
	const second = await open();
	const { client, server } = await dialPair(first.proxy, first.accepted);
	first.proxy.setTarget(second.port);
	const moved = await dialPair(first.proxy, second.accepted);
	moved.client.socket.write("new");
	client.socket.write("old");
	await until(() => moved.server.text === "new" && server.text === "old");
});

test("chunks are shown before any toxic, with their connection", async () => {
	const seen: string[] = [];
	const { proxy, accepted } = await open((link, direction, chunk) => seen.push(`${link.id} ${direction} ${chunk}`));
	const { client, server } = await dialPair(proxy, accepted);
	proxy.add("upstream", { type: "timeout", timeoutMs: 0 });
	await proveSilence(client, server);
	expect(seen.sort()).toEqual(["1 downstream down", "1 upstream up"]);
});
