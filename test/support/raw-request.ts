/** Raw HTTP on a socket, for requests that no client library would send. */
import { connect } from "node:net";

export type RawAnswer = {
	readonly status: number;
	readonly headers: Headers;
	readonly body: string;
	/** Bytes that were sent before the answer was complete. */
	readonly bytesSent: number;
};

type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** Sends the chunks unchanged and reads one answer; the service may answer before all is sent. */
export function sendRaw(url: string, chunks: Chunks, timeoutMs = 10_000): Promise<RawAnswer> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve, reject) => {
		const socket = connect(Number(port), hostname);
		let received = Buffer.alloc(0);
		let isOver = false;
		const timer = setTimeout(() => finish(new Error(`no whole answer within ${timeoutMs} ms: ${received}`)), timeoutMs);
		const finish = (result: RawAnswer | Error) => {
			if (isOver) return;
			isOver = true;
			clearTimeout(timer);
			socket.destroy();
			if (result instanceof Error) reject(result);
			else resolve(result);
		};
		socket.on("data", (data: Buffer) => {
			received = Buffer.concat([received, data]);
			const answer = parseAnswer(received, socket.bytesWritten, false);
			if (answer) finish(answer);
		});
		// A server that refuses a body closes while we still write; its answer before that counts.
		const end = () => finish(parseAnswer(received, socket.bytesWritten, true) ?? new Error("closed without an answer"));
		socket.on("close", end);
		socket.on("error", end);
		socket.on("connect", () => {
			void (async () => {
				for await (const chunk of chunks) {
					if (isOver) return;
					if (!socket.write(chunk))
						await Promise.race([new Promise((done) => socket.once("drain", done)), Bun.sleep(200)]);
				}
			})().catch(finish);
		});
	});
}

/** The head of a request: its line, `Host` and the given headers. */
export function head(url: string, line: string, headers: readonly string[] = []): string {
	return [`${line} HTTP/1.1`, `Host: ${new URL(url).host}`, ...headers, "", ""].join("\r\n");
}

function parseAnswer(bytes: Buffer, bytesSent: number, isClosed: boolean): RawAnswer | undefined {
	const end = bytes.indexOf("\r\n\r\n");
	if (end < 0) return undefined;
	const [line = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
	const headers = new Headers(
		lines.map((one): [string, string] => [one.slice(0, one.indexOf(":")), one.slice(one.indexOf(":") + 1).trim()]),
	);
	const body = bytes.subarray(end + 4);
	const length = headers.get("content-length");
	if (length !== null && body.length < Number(length)) return undefined;
	if (length === null && !isClosed && !/^HTTP\/1\.1 (204|304)/.test(line)) return undefined;
	return { status: Number(line.split(" ")[1]), headers, body: body.toString("utf8"), bytesSent };
}

/** The answer as `fetch` would return it, without the address. */
export function toResponse(answer: RawAnswer): Response {
	return new Response(answer.body, { status: answer.status, headers: answer.headers });
}
