/** Servers of raw bytes on loopback, for receivers that no HTTP library can simulate. */
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export type Listener = {
	readonly port: number;
	/** Connections made so far. */
	readonly connections: () => number;
	readonly close: () => Promise<void>;
};

type Place = {
	readonly host?: string;
	readonly port?: number;
	readonly tls?: { readonly key: string; readonly cert: string };
};

/** Starts a TCP or TLS server; `close` ends its connections too. */
export async function listen(onSocket: (socket: Socket) => void, place: Place = {}): Promise<Listener> {
	const sockets = new Set<Socket>();
	const server = place.tls ? createTlsServer(place.tls, onSocket) : createServer(onSocket);
	let connections = 0;
	server.on("connection", (socket: Socket) => {
		connections++;
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
	});
	for (const name of ["connection", "secureConnection"]) {
		// Clients that disconnect midway are expected here.
		server.on(name, (socket: Socket) => socket.on("error", () => socket.destroy()));
	}
	await new Promise<void>((done, failed) => {
		server.once("error", failed);
		server.listen(place.port ?? 0, place.host ?? "127.0.0.1", done);
	});
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP port");
	return {
		port: address.port,
		connections: () => connections,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((done) => server.close(done));
		},
	};
}

/** Waits for the first bytes of a request, then runs the rest. */
export const onRequest = (play: (socket: Socket) => void) => (socket: Socket) => {
	socket.once("data", () => play(socket));
};

/** Writes repeatedly until the client disconnects. */
export function writeEvery(ms: number, socket: Socket, bytes: string): void {
	const timer = setInterval(() => socket.write(bytes), ms);
	socket.on("close", () => clearInterval(timer));
}
