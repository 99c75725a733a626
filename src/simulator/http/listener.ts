/**
 * The HTTP listener: reads a request completely, passes it on, and writes the answer or breaks the connection.
 *
 * It uses `node:http`, because the runtime's own server cannot close a connection without answering.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Answer } from "./answer";

/** Largest request body; the authority publishes no limit. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

export type RawRequest = {
	readonly method: string;
	/** Path and query as received. */
	readonly target: string;
	readonly header: (name: string) => string | undefined;
	readonly body: Uint8Array<ArrayBuffer>;
};

export type Listener = {
	readonly port: number;
	/** Stops listening and breaks all connections; later ones are refused. */
	readonly shut: () => Promise<void>;
	/** Listens again, on the same port. */
	readonly open: () => Promise<void>;
	readonly stop: () => Promise<void>;
};

export async function listen(
	place: { host: string; port: number },
	respond: (request: RawRequest) => Promise<Answer>,
): Promise<Listener> {
	const stopping = new AbortController();
	const open = new Set<Promise<void>>();
	const server = createServer((request, response) => {
		const exchange = carryOut(request, response, respond, stopping.signal).finally(() => open.delete(exchange));
		open.add(exchange);
	});
	const listenOn = (port: number) =>
		new Promise<void>((resolve, reject) => {
			server.once("error", reject);
			server.listen(port, place.host, () => {
				server.off("error", reject);
				resolve();
			});
		});
	const close = () =>
		server.listening ? new Promise<void>((resolve) => server.close(() => resolve())) : Promise.resolve();
	await listenOn(place.port);
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the listener has no TCP address");
	const { port } = address;
	return {
		port,
		shut: async () => {
			const closed = close();
			server.closeAllConnections();
			await closed;
		},
		open: () => listenOn(port),
		stop: async () => {
			stopping.abort();
			const closed = close();
			await Promise.all(open);
			server.closeAllConnections();
			await closed;
		},
	};
}

async function carryOut(
	request: IncomingMessage,
	response: ServerResponse,
	respond: (request: RawRequest) => Promise<Answer>,
	stopping: AbortSignal,
): Promise<void> {
	try {
		const body = await readBody(request, stopping);
		if (!body) return void request.socket.destroy();
		const headers = request.headers;
		const answer = await respond({
			method: request.method ?? "GET",
			target: request.url ?? "/",
			header: (name) => [headers[name]].flat()[0],
			body,
		});
		if (answer.afterMs > 0) await waitForTurn(answer.afterMs, response, stopping);
		await write(request, response, answer);
	} catch (error) {
		if (!stopping.aborted) {
			const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
			console.error(JSON.stringify({ level: "error", event: "request.failed", msg: "request failed", error: message }));
		}
		// A defect must not look like a verdict: the caller sees a broken connection and asks again.
		request.socket.destroy();
	}
}

/** Waits, unless the caller gives up or the listener stops. */
async function waitForTurn(ms: number, response: ServerResponse, stopping: AbortSignal): Promise<void> {
	const gone = new AbortController();
	const giveUp = () => gone.abort();
	response.once("close", giveUp);
	try {
		await wait(ms, undefined, { signal: AbortSignal.any([gone.signal, stopping]) });
	} catch (error) {
		if (!gone.signal.aborted) throw error;
	} finally {
		response.off("close", giveUp);
	}
}

/** The complete body; undefined if it is too large or incomplete, or the listener is stopping. */
function readBody(request: IncomingMessage, stopping: AbortSignal): Promise<Uint8Array<ArrayBuffer> | undefined> {
	return new Promise((resolve) => {
		const chunks: Uint8Array[] = [];
		let sizeBytes = 0;
		const giveUp = () => resolve(undefined);
		stopping.addEventListener("abort", giveUp, { once: true });
		const settle = (body: Uint8Array<ArrayBuffer> | undefined) => {
			stopping.removeEventListener("abort", giveUp);
			resolve(body);
		};
		request.on("data", (chunk: Uint8Array) => {
			sizeBytes += chunk.length;
			if (sizeBytes > BODY_BYTES_MAX) settle(undefined);
			else chunks.push(chunk);
		});
		request.on("end", () => settle(join(chunks, sizeBytes)));
		request.on("error", () => settle(undefined));
		request.on("aborted", () => settle(undefined));
	});
}

function join(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array<ArrayBuffer> {
	const whole = new Uint8Array(sizeBytes);
	let at = 0;
	for (const chunk of chunks) {
		whole.set(chunk, at);
		at += chunk.length;
	}
	return whole;
}

async function write(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
	if (answer.delivery === "none") return void request.socket.destroy();
	const bytes = Buffer.from(answer.body, "utf8");
	response.writeHead(answer.status, { ...answer.headers, "content-length": String(bytes.length) });
	if (answer.delivery === "whole") return void response.end(bytes);
	await new Promise<void>((resolve) => response.write(bytes.subarray(0, bytes.length >> 1), () => resolve()));
	request.socket.destroy();
}
