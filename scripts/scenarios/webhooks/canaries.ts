/** Listeners on local addresses that must never be called: each connection is counted and gets a tempting success. */
import { connect, createServer, type Server } from "node:net";

export type Canaries = {
	/** The same port on all addresses. */
	readonly port: number;
	readonly addresses: readonly string[];
	/** Connections so far. */
	readonly hits: () => number;
	/** Connects to each once, to show that they count. */
	readonly callAll: () => Promise<void>;
	readonly stop: () => void;
};

const LOOPBACKS = Array.from({ length: 9 }, (_, i) => `127.0.0.${i + 1}`);
const TRIES_MAX = 20;

/** On 127.0.0.1 to 127.0.0.9, and on ::1 if the machine has it. */
export async function startCanaries(): Promise<Canaries> {
	for (let tries = 1; ; tries++) {
		const servers: Server[] = [];
		let hits = 0;
		const open = async (address: string, port: number) => {
			const server = createServer((socket) => {
				hits++;
				// A client that hangs up has already been counted.
				socket.on("error", () => socket.destroy());
				socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
			});
			await new Promise<void>((listening, fail) => {
				server.once("error", fail);
				server.listen(port, address, listening);
			});
			servers.push(server);
			const bound = server.address();
			if (typeof bound !== "object" || !bound) throw new Error("the system gave no port");
			return bound.port;
		};
		const stop = () => {
			for (const server of servers) server.close();
		};
		try {
			const port = await open("127.0.0.1", 0);
			for (const address of LOOPBACKS.slice(1)) await open(address, port);
			const addresses = [...LOOPBACKS, ...((await hasIpv6(open, port)) ? ["::1"] : [])];
			const callAll = () => callEach(addresses, port);
			return { port, addresses, hits: () => hits, callAll, stop };
		} catch (error) {
			// The port is free on one address but taken on another.
			stop();
			if (tries === TRIES_MAX) throw error;
		}
	}
}

async function hasIpv6(open: (address: string, port: number) => Promise<number>, port: number): Promise<boolean> {
	try {
		await open("::1", port);
		return true;
	} catch (error) {
		if ((error as { code?: string }).code === "EADDRINUSE") throw error;
		return false;
	}
}

async function callEach(addresses: readonly string[], port: number): Promise<void> {
	for (const address of addresses) {
		await new Promise<void>((answered, fail) => {
			const socket = connect(port, address);
			socket.once("error", fail);
			socket.once("data", () => {
				socket.destroy();
				answered();
			});
		});
	}
}
