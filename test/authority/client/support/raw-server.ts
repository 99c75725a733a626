/** TCP servers that answer with exactly the given bytes, on a free port. */
import { createServer, type Socket } from "node:net";

export type RawServer = {
	readonly port: number;
	readonly url: string;
	/** What each connection has sent, in the order of the connections. */
	readonly received: string[];
	readonly close: () => void;
};

/** `answer` is called once a connection, when its request is there as a whole. */
export async function startRawServer(answer: (socket: Socket, request: string) => void): Promise<RawServer> {
	const received: string[] = [];
	const open = new Set<Socket>();
	const server = createServer((socket) => {
		const index = received.push("") - 1;
		let answered = false;
		open.add(socket);
		socket.on("close", () => open.delete(socket));
		// A peer that goes away is what these servers are for.
		socket.on("error", () => socket.destroy());
		socket.on("data", (bytes) => {
			const request = received[index] + bytes.toString("latin1");
			received[index] = request;
			if (answered || !isWhole(request)) return;
			answered = true;
			answer(socket, request);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the server has no port");
	return {
		port: address.port,
		url: `http://127.0.0.1:${address.port}`,
		received,
		close: () => {
			server.close();
			for (const socket of open) socket.destroy();
		},
	};
}

/** A port without a listener. */
export async function findClosedPort(): Promise<number> {
	const server = await startRawServer(() => undefined);
	server.close();
	return server.port;
}

/** Head and body of an answer as they stand on the wire. */
export function rawAnswer(status: number, body: string, headers: Record<string, string> = {}): string {
	const length = Buffer.byteLength(body);
	const lines = Object.entries({ "content-length": String(length), ...headers }).map(
		([name, value]) => `${name}: ${value}`,
	);
	return `HTTP/1.1 ${status} Word\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

function isWhole(request: string): boolean {
	const end = request.indexOf("\r\n\r\n");
	if (end < 0) return false;
	const length = Number(/\r\ncontent-length: (\d+)/i.exec(request.slice(0, end + 2))?.[1] ?? 0);
	return request.length >= end + 4 + length;
}
