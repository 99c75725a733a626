/** Kept connections, judged from the receivers' side: by the connections that they see and the requests on each. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import type { Socket } from "node:net";
import {
	type KeepLimits,
	keepConnections,
	type PostOptions,
	type PostResult,
	postOnce,
} from "../../../src/platform/egress";
import { listen } from "../../support/listen";
import { createTestAuthority, type TestAuthority } from "../../support/server-certificate";
import { until } from "../../support/until";

const NAME = "hooks.example.com";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

type Seen = { readonly connection: number; readonly nth: number; readonly text: string };
type Play = (socket: Socket, seen: Seen) => void;

let closeAll: (() => Promise<void>)[] = [];
let authority: TestAuthority;
beforeAll(async () => {
	authority = await createTestAuthority();
});
afterEach(async () => {
	await Promise.all(closeAll.map((close) => close()));
	closeAll = [];
});

/** A receiver that notes each request with the number of its connection, and its place on it. */
async function startReceiver(play: Play, place: Parameters<typeof listen>[1] = {}) {
	const seen: Seen[] = [];
	let connections = 0;
	let gone = 0;
	const listener = await listen((socket) => {
		const connection = ++connections;
		let nth = 0;
		let text = "";
		socket.on("close", () => gone++);
		socket.on("data", (bytes) => {
			text += bytes.toString();
			if (!text.endsWith("{}")) return;
			const one = { connection, nth: ++nth, text };
			text = "";
			seen.push(one);
			play(socket, one);
		});
	}, place);
	closeAll.push(listener.close);
	return { port: listener.port, seen, connections: () => connections, gone: () => gone };
}

const answer: Play = (socket) => socket.write(OK);

function openSender(limits: Partial<KeepLimits> = {}) {
	const connections = keepConnections({ idleMs: 60_000, ...limits });
	return {
		connections,
		post: (port: number, change: Partial<PostOptions> & { readonly owner?: string } = {}): Promise<PostResult> => {
			const { owner = "one", ...options } = change;
			return postOnce({
				url: `http://127.0.0.1:${port}/hooks`,
				headers: { "content-type": "application/json" },
				body: Buffer.from("{}"),
				policy: {
					environment: "sandbox",
					allow: new Set([`127.0.0.1:${port}`, `${NAME}:${port}`, `b.${NAME}:${port}`]),
				},
				connectTimeoutMs: 20_000,
				totalTimeoutMs: 30_000,
				kept: { connections, owner },
				...options,
			});
		},
		/** A connection is given back a moment after its answer. */
		rest: (count: number) => until(() => connections.idle() === count),
	};
}

const connectionsOf = (seen: readonly Seen[]) => seen.map(({ connection }) => connection);

test("posts to the same place go over one connection, one after the other", async () => {
	const receiver = await startReceiver(answer);
	const { post, rest } = openSender();
	const warnings: Error[] = [];
	const note = (warning: Error) => warnings.push(warning);
	process.on("warning", note);
	for (let i = 0; i < 30; i++) {
		expect(await post(receiver.port)).toMatchObject({ ok: true, status: 200, responseBody: "ok" });
		await rest(1);
	}
	process.off("warning", note);
	expect(connectionsOf(receiver.seen)).toEqual(new Array(30).fill(1));
	// Such as of listeners that pile up on a connection.
	expect(warnings).toEqual([]);
	expect(receiver.seen.every(({ text }) => text === receiver.seen[0]?.text)).toBe(true);
});

test("another owner, another name and another address never get a kept connection", async () => {
	const receiver = await startReceiver(answer);
	const elsewhere = await startReceiver(answer, { host: "127.0.0.2", port: receiver.port });
	const { post, rest } = openSender();
	const byName = (name: string, address: string, owner = "one") =>
		post(receiver.port, { url: `http://${name}:${receiver.port}/hooks`, resolve: async () => [address], owner });
	await post(receiver.port);
	await rest(1);
	await post(receiver.port, { owner: "two" });
	await rest(2);
	await byName(NAME, "127.0.0.1");
	await rest(3);
	await byName(`b.${NAME}`, "127.0.0.1");
	await rest(4);
	expect(connectionsOf(receiver.seen)).toEqual([1, 2, 3, 4]);
	await byName(NAME, "127.0.0.2");
	await rest(5);
	expect(connectionsOf(elsewhere.seen)).toEqual([1]);
	await byName(NAME, "127.0.0.1");
	expect(connectionsOf(receiver.seen)).toEqual([1, 2, 3, 4, 3]);
});

test("a name that leads to a private address is blocked, whatever connection is open", async () => {
	const receiver = await startReceiver(answer);
	const { post, rest } = openSender();
	const url = `http://${NAME}:${receiver.port}/hooks`;
	const resolve = async () => ["127.0.0.1"];
	expect((await post(receiver.port, { url, resolve })).ok).toBe(true);
	await rest(1);
	const policy = { environment: "sandbox", allow: new Set<string>() } as const;
	expect((await post(receiver.port, { url, resolve, policy })).error).toBe("blocked-address");
	expect(receiver.seen).toHaveLength(1);
});

test("an idle connection that the receiver closes is not used again", async () => {
	const receiver = await startReceiver((socket, { connection }) => {
		socket.write(OK);
		if (connection === 1) setTimeout(() => socket.end(), 20);
	});
	const { post, rest } = openSender();
	expect((await post(receiver.port)).ok).toBe(true);
	await rest(0);
	expect((await post(receiver.port)).ok).toBe(true);
	expect(connectionsOf(receiver.seen)).toEqual([1, 2]);
});

test("a kept connection closed under a request costs one fresh repeat", async () => {
	const receiver = await startReceiver((socket, { nth }) => (nth === 2 ? socket.end() : socket.write(OK)));
	const { post, rest } = openSender();
	await post(receiver.port);
	await rest(1);
	expect(await post(receiver.port)).toMatchObject({ ok: true, status: 200 });
	expect(connectionsOf(receiver.seen)).toEqual([1, 1, 2]);
	const [, second, again] = receiver.seen.map(({ text }) => text.replace(/connection: .*\r\n/i, ""));
	expect(again).toBe(second ?? "");
	// The place has shown what it does to kept connections.
	for (let i = 0; i < 3; i++) expect((await post(receiver.port)).ok).toBe(true);
	expect(connectionsOf(receiver.seen)).toEqual([1, 1, 2, 3, 4, 5]);
});

test("a reset costs one repeat too, and a failing fresh connection fails", async () => {
	const receiver = await startReceiver((socket, { connection, nth }) => {
		if (connection === 1 && nth === 1) socket.write(OK);
		else socket.resetAndDestroy();
	});
	const { post, rest } = openSender();
	await post(receiver.port);
	await rest(1);
	expect(await post(receiver.port)).toMatchObject({ ok: false, error: "connection-reset" });
	expect(connectionsOf(receiver.seen)).toEqual([1, 1, 2]);
	expect(await post(receiver.port)).toMatchObject({ ok: false, error: "connection-reset" });
	expect(connectionsOf(receiver.seen)).toEqual([1, 1, 2, 3]);
});

test("a partial answer is final, and nothing is sent again", async () => {
	for (const bytes of ["H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"]) {
		const receiver = await startReceiver((socket, { nth }) => (nth === 1 ? socket.write(OK) : socket.end(bytes)));
		const { post, connections } = openSender();
		await post(receiver.port);
		await until(() => connections.idle() === 1);
		expect(await post(receiver.port)).toMatchObject({ ok: false, error: "connection-reset" });
		expect(connectionsOf(receiver.seen)).toEqual([1, 1]);
	}
});

test("a silent receiver on a kept connection gets no second request", async () => {
	const receiver = await startReceiver((socket, { nth }) => (nth === 1 ? socket.write(OK) : undefined));
	const { post, rest } = openSender();
	await post(receiver.port);
	await rest(1);
	expect(await post(receiver.port, { totalTimeoutMs: 3_000 })).toMatchObject({ ok: false, error: "timeout" });
	await until(() => receiver.gone() === 1);
	expect(connectionsOf(receiver.seen)).toEqual([1, 1]);
});

test("an unrequested answer is ignored", async () => {
	const unasked = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
	const plays: Play[] = [
		(socket) => socket.write(OK + unasked),
		(socket) => {
			socket.write(OK);
			setTimeout(() => socket.write(unasked), 20);
		},
	];
	for (const play of plays) {
		const receiver = await startReceiver((socket, seen) =>
			seen.connection === 1 ? play(socket, seen) : socket.write(OK),
		);
		const { post } = openSender();
		expect(await post(receiver.port)).toMatchObject({ ok: true, status: 200 });
		await until(() => receiver.gone() === 1);
		expect(await post(receiver.port)).toMatchObject({ ok: true, status: 200 });
		expect(connectionsOf(receiver.seen)).toEqual([1, 2]);
	}
});

test("a connection on which more came than an answer is not used again", async () => {
	const receiver = await startReceiver((socket) =>
		socket.write("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok"),
	);
	const { connections, post } = openSender();
	for (const n of [1, 2, 3]) expect([n, await post(receiver.port)]).toMatchObject([n, { ok: true, status: 204 }]);
	expect(receiver.seen.map(({ connection, nth }) => [connection, nth])).toEqual([
		[1, 1],
		[2, 1],
		[3, 1],
	]);
	await until(() => receiver.gone() === 3);
	expect(connections.idle()).toBe(0);
});

test("answers that are too long, late or wrong leave no connection behind", async () => {
	const plays: Play[] = [
		(socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${"x".repeat(70_000)}`),
		() => undefined,
		(socket) => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
		(socket) => socket.write(OK.replace("OK\r\n", "OK\r\nConnection: close\r\n")),
		(socket) => socket.write(OK.replace("1.1", "1.0")),
	];
	for (const play of plays) {
		const receiver = await startReceiver(play);
		const { post, connections } = openSender();
		await post(receiver.port, { totalTimeoutMs: 3_000 });
		await until(() => receiver.gone() === 1);
		expect(connections.idle()).toBe(0);
	}
});

test("idle connections are few for a place and bounded in all, and end by themselves", async () => {
	const receiver = await startReceiver(answer);
	const other = await startReceiver(answer);
	const { post, rest } = openSender({ idleMaxOfPlace: 2, idleMax: 3, idleMs: 1_000 });
	await Promise.all(Array.from({ length: 6 }, () => post(receiver.port)));
	await until(() => receiver.gone() === 4);
	await Promise.all(Array.from({ length: 6 }, () => post(other.port)));
	await until(() => other.gone() === 5 || receiver.gone() > 4);
	await rest(0);
	await until(() => receiver.gone() === 6 && other.gone() === 6);
});

test("a connection that has become old is not kept any longer", async () => {
	const receiver = await startReceiver(answer);
	const { post } = openSender({ ageMaxMs: 0 });
	for (let i = 0; i < 3; i++) expect((await post(receiver.port)).ok).toBe(true);
	expect(connectionsOf(receiver.seen)).toEqual([1, 2, 3]);
	await until(() => receiver.gone() === 3);
});

test("over TLS each new connection checks the certificate", async () => {
	const tls = await authority.issue(NAME);
	const other = await createTestAuthority();
	const receiver = await startReceiver(answer, { tls });
	const { post, rest } = openSender();
	const url = `https://${NAME}:${receiver.port}/hooks`;
	const attempt = (ca: string) => post(receiver.port, { url, resolve: async () => ["127.0.0.1"], ca });
	for (let i = 0; i < 3; i++) {
		expect((await attempt(authority.ca)).ok).toBe(true);
		await rest(1);
	}
	expect(connectionsOf(receiver.seen)).toEqual([1, 1, 1]);
	expect((await attempt(other.ca)).error).toBe("tls-error");
	expect(receiver.seen).toHaveLength(3);
});
