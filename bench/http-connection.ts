/**
 * One kept HTTP/1.1 connection over a plain socket, one request at a time.
 *
 * The runtime's `fetch` would cost more than the measured server. This client supports only what a load needs: requests are sent as given,
 * an
 * answer has a `Content-Length` (or a status without a body) and may come in pieces. Anything else is an error, because misread answers
 * would
 * invalidate the measurement.
 */
import type { Socket } from "bun";

export type Answer = {
	readonly status: number;
	/** Evaluated on demand, like the text. */
	readonly hasHeader: (name: string) => boolean;
	readonly text: () => string;
};
export type Connection = {
	/** Sends a request and passes on its answer; the previous one must be answered. The bytes may be reused after the return. */
	readonly send: (request: Uint8Array, answered: (answer: Answer) => void) => void;
	readonly close: () => void;
};

const HEAD_END = Buffer.from("\r\n\r\n");

/** Connects. `lost` is called once with the reason why no more answers come. */
export async function openConnection(url: URL, lost: (error: Error) => void): Promise<Connection> {
	let answered: ((answer: Answer) => void) | undefined;
	/** The incomplete answer so far. */
	let received: Buffer | undefined;
	let unsent: Uint8Array | undefined;
	let isClosed = false;

	const fail = (socket: Socket, error: Error): void => {
		if (isClosed) return;
		isClosed = true;
		socket.end();
		lost(error);
	};
	const write = (socket: Socket, bytes: Uint8Array): void => {
		const count = Math.max(0, socket.write(bytes));
		unsent = count < bytes.length ? bytes.slice(count) : undefined;
	};
	const socket = await Bun.connect({
		hostname: url.hostname,
		port: Number(url.port),
		socket: {
			binaryType: "buffer",
			data(socket, piece) {
				const bytes = received ? Buffer.concat([received, piece]) : piece;
				const answer = readAnswer(bytes);
				if (answer === "more") {
					received = Buffer.from(bytes);
					return;
				}
				received = undefined;
				const deliver = answered;
				answered = undefined;
				if (answer instanceof Error) fail(socket, answer);
				else if (deliver) deliver(answer);
				else fail(socket, new Error("an answer came without a request"));
			},
			drain(socket) {
				if (unsent) write(socket, unsent);
			},
			error: (socket, error) => fail(socket, error),
			close: (socket) => fail(socket, new Error("the server closed a connection")),
		},
	});
	// Requests are small and each is awaited: the kernel must not wait for more.
	socket.setNoDelay(true);
	return {
		send(request, deliver) {
			if (answered) throw new Error("a connection was given a second request before the first was answered");
			answered = deliver;
			write(socket, request);
		},
		close() {
			isClosed = true;
			socket.end();
		},
	};
}

/** The answer in these bytes, if complete. */
function readAnswer(bytes: Buffer): Answer | Error | "more" {
	const headEnd = bytes.indexOf(HEAD_END);
	if (headEnd < 0) return "more";
	const head = bytes.toString("latin1", 0, headEnd);
	const status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
	const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
	if (length === undefined && status !== 204 && status !== 304) {
		return new Error(`expected an answer with a Content-Length, got ${JSON.stringify(head)}`);
	}
	const from = headEnd + HEAD_END.length;
	const end = from + Number(length ?? 0);
	if (bytes.length < end) return "more";
	if (bytes.length > end) return new Error("more came than one answer");
	// Most servers spell names as we request them, and converting a whole head would cost more than everything else here.
	const hasHeader = (name: string) => head.includes(`\r\n${name}:`) || head.toLowerCase().includes(`\r\n${name}:`);
	return { status, hasHeader, text: () => bytes.toString("utf8", from, end) };
}
