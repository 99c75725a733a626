/**
 * HTTP/1.1 on a plain socket: opened in advance, kept alive, one request at a time. A client library would repeat, reconnect and pool, so
 * that a cut request could not be recognised.
 */
import { connect, type Socket } from "node:net";

export type RawAnswer = {
	readonly status: number;
	/** Names are in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
};

/** The error of a request that was not sent because the connection had ended. */
export const NOT_SENT = "not sent";

/** How a request ended: with a whole answer, or with the connection after `bytes` of an answer. */
export type RawOutcome =
	| { readonly kind: "answered"; readonly answer: RawAnswer; readonly ms: number }
	| { readonly kind: "ended"; readonly bytes: number; readonly error: string; readonly ms: number };

export type RawConnection = {
	/** Sends a whole request and waits for the outcome. One request at a time. */
	readonly send: (request: Uint8Array) => Promise<RawOutcome>;
	/** True until either side has ended it. */
	readonly isOpen: () => boolean;
	readonly close: () => void;
};

/** Opens a connection. Throws the system's error when it is refused. */
export async function openConnection(port: number): Promise<RawConnection> {
	const socket = connect({ port, host: "127.0.0.1", noDelay: true });
	await new Promise<void>((connected, fail) => {
		socket.once("connect", connected);
		socket.once("error", fail);
	});
	return follow(socket);
}

function follow(socket: Socket): RawConnection {
	let received = Buffer.alloc(0);
	let ended: string | undefined;
	let waiting: ((outcome: RawOutcome) => void) | undefined;
	let sentAt = 0;

	const settle = (outcome: RawOutcome) => {
		const answer = waiting;
		waiting = undefined;
		answer?.(outcome);
	};
	const end = (error: string) => {
		ended ??= error;
		settle({ kind: "ended", bytes: received.length, error: ended, ms: performance.now() - sentAt });
		socket.destroy();
	};
	socket.on("data", (chunk: Buffer) => {
		received = Buffer.concat([received, chunk]);
		const read = readAnswer(received);
		if (!read) return;
		received = received.subarray(read.length);
		settle({ kind: "answered", answer: read.answer, ms: performance.now() - sentAt });
	});
	socket.on("error", (error: Error & { code?: string }) => end(error.code ?? error.message));
	socket.on("end", () => end("closed"));
	socket.on("close", () => end("closed"));

	return {
		send: (request) =>
			new Promise((resolve) => {
				sentAt = performance.now();
				if (ended !== undefined) return resolve({ kind: "ended", bytes: 0, error: NOT_SENT, ms: 0 });
				waiting = resolve;
				socket.write(request);
			}),
		isOpen: () => ended === undefined,
		close: () => end("closed by us"),
	};
}

export type RawRequest = {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
};

/** The bytes of a request. */
export function writeRequest({ method, path, headers, body }: RawRequest): Uint8Array {
	const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
	const lines = Object.entries({ host: "127.0.0.1", ...headers, ...length }).map(
		([name, value]) => `${name}: ${value}`,
	);
	return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

/** The first answer in the bytes when it is complete, with a Content-Length or in chunks. */
export function readAnswer(bytes: Buffer): { answer: RawAnswer; length: number } | undefined {
	const headEnd = bytes.indexOf("\r\n\r\n");
	if (headEnd < 0) return undefined;
	const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
	const headers: Record<string, string> = {};
	for (const line of lines)
		headers[line.slice(0, line.indexOf(":")).toLowerCase()] = line.slice(line.indexOf(":") + 1).trim();
	const from = headEnd + 4;
	const content =
		headers["transfer-encoding"] === "chunked" ? readChunks(bytes, from) : readLength(bytes, from, headers);
	if (!content) return undefined;
	const status = Number(statusLine.split(" ")[1]);
	return { answer: { status, headers, body: content.body.toString("utf8") }, length: content.end };
}

type Content = { readonly body: Buffer; readonly end: number };

function readLength(bytes: Buffer, from: number, headers: Readonly<Record<string, string>>): Content | undefined {
	const end = from + Number(headers["content-length"] ?? 0);
	return bytes.length < end ? undefined : { body: bytes.subarray(from, end), end };
}

function readChunks(bytes: Buffer, from: number): Content | undefined {
	const parts: Buffer[] = [];
	for (let at = from; ; ) {
		const lineEnd = bytes.indexOf("\r\n", at);
		if (lineEnd < 0) return undefined;
		const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
		const end = lineEnd + 2 + size + 2;
		if (bytes.length < end) return undefined;
		if (size === 0) return { body: Buffer.concat(parts), end };
		parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
		at = end;
	}
}
