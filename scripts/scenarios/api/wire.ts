/** Requests as raw bytes, not normalised by a client library, over kept connections. */
import { openConnection, type RawAnswer, type RawConnection } from "../../../test/support/raw-http";

export type Request = {
	readonly method: string;
	/** Path and query, sent as given. */
	readonly target: string;
	/** Sent as given; names may repeat. */
	readonly headers: readonly (readonly [string, string])[];
	readonly body?: Uint8Array;
};

/** `none` if the connection closed or timed out before a complete answer. */
export type Answer = RawAnswer | { readonly status: 0; readonly why: string };

export type Wire = {
	readonly send: (request: Request) => Promise<Answer>;
	readonly close: () => void;
};

const NO_ANSWER_MS = 60_000;
/** An event stream ends when its reader leaves. */
const STREAM_MS = 1_000;

/** One connection at a time, reopened after the service closes it. */
export function openWire(url: string, timeoutMs = NO_ANSWER_MS): Wire {
	const { port, host } = new URL(url);
	let connection: RawConnection | undefined;

	async function sendOnce(bytes: Uint8Array, patienceMs: number): Promise<Answer | "closed before"> {
		const isFresh = connection?.isOpen() !== true;
		const own = isFresh ? await openConnection(Number(port)) : connection;
		if (!own) throw new Error("a connection was opened and is none");
		connection = own;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<"late">((done) => {
			timer = setTimeout(done, patienceMs, "late");
		});
		const outcome = await Promise.race([own.send(bytes), late]);
		clearTimeout(timer);
		if (outcome !== "late" && outcome.kind === "answered") {
			if (outcome.answer.headers.connection === "close") own.close();
			return outcome.answer;
		}
		own.close();
		if (outcome === "late") return { status: 0, why: `no whole answer within ${patienceMs} ms` };
		if (!isFresh && outcome.bytes === 0) return "closed before";
		return { status: 0, why: `the connection ended with ${outcome.error} after ${outcome.bytes} bytes` };
	}

	return {
		async send(request) {
			const bytes = writeBytes(request, host);
			const patienceMs = isEndless(request) ? STREAM_MS : timeoutMs;
			const answer = await sendOnce(bytes, patienceMs);
			// A kept connection may be closed at any time; a new one must answer.
			if (answer !== "closed before") return answer;
			const again = await sendOnce(bytes, patienceMs);
			return again === "closed before" ? { status: 0, why: "closed before it was sent" } : again;
		},
		close: () => connection?.close(),
	};
}

/** A request as bytes; header texts are Latin-1. */
function writeBytes({ method, target, headers, body }: Request, host: string): Uint8Array {
	const lines = [
		`${method} ${target} HTTP/1.1`,
		`host: ${host}`,
		...headers.map(([name, value]) => `${name}: ${value}`),
	];
	if (body !== undefined) lines.push(`content-length: ${body.length}`);
	const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
	return body === undefined ? head : Buffer.concat([head, body]);
}

/** Whether the request asks for an event stream. */
export function isEndless({ headers }: Pick<Request, "headers">): boolean {
	return headers.some(([name, value]) => name === "accept" && value.includes("text/event-stream"));
}
