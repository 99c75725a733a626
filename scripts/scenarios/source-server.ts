/**
 * A server of the registry's source that speaks for itself, where a real one would be too well-behaved. Each request waits until there is
 * something to answer it with, so that whoever offers decides when an ingest goes on.
 */
import { createServer, type Socket } from "node:net";

export type SourceServer = {
	readonly url: string;
	/** Answers the request that waits, or the next one; as many of them as told. */
	readonly offer: (answer: (socket: Socket) => void, requests?: number) => void;
	/** The same with a good answer. */
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
			// One that was given up meanwhile asks no more.
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
