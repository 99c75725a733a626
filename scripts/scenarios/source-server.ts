/**
 * A raw server for the registry's source, which can misbehave where a real one would not. Each request waits until an answer is offered, so
 * the
 * scenario decides when an ingest continues.
 */
import { createServer, type Socket } from "node:net";

export type SourceServer = {
	readonly url: string;
	/** Answers the waiting or next request, or the given number of them. */
	readonly offer: (answer: (socket: Socket) => void, requests?: number) => void;
	/** Offers a good answer. */
	readonly offerFile: (bytes: Uint8Array) => void;
	readonly close: () => Promise<void>;
};

export async function serveSource(): Promise<SourceServer> {
	const open = new Set<Socket>();
	const waiting: Socket[] = [];
	let offered: ((socket: Socket) => void) | undefined;
	let timesLeft = 0;
	const serve = () => {
		while (offered && timesLeft > 0) {
			const socket = waiting.shift();
			if (!socket) return;
			// The client has given up.
			if (socket.destroyed) continue;
			timesLeft--;
			offered(socket);
		}
	};
	const server = createServer((socket) => {
		open.add(socket);
		socket.on("close", () => open.delete(socket));
		socket.on("error", () => socket.destroy());
		socket.once("data", () => {
			waiting.push(socket);
			serve();
		});
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the server has no port");
	const offer: SourceServer["offer"] = (answer, requests = 1) => {
		offered = answer;
		timesLeft = requests;
		serve();
	};
	return {
		url: `http://127.0.0.1:${address.port}/`,
		offer,
		offerFile: (bytes) =>
			offer((socket) => {
				socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
				socket.end(bytes);
			}),
		close: async () => {
			for (const socket of open) socket.destroy();
			await new Promise((closed) => server.close(closed));
		},
	};
}
