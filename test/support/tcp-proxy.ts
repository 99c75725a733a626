/**
 * A TCP proxy that simulates network faults, controlled by an object in the process of the test, like Toxiproxy.
 *
 *   client ──upstream toxics──▶ proxy ──▶ server
 *   client ◀──────────────────  proxy ◀──downstream toxics── server
 *
 * Model: a toxic applies to one direction of all connections or of one. Toxics act on a chunk in the order in which they were added. The
 * chunks of a direction keep their order. A new toxic affects open connections, and a removed one releases what it held back.
 *
 *   latency      each chunk waits `latencyMs`, plus or minus `jitterMs`
 *   bandwidth    at most `bytesPerSecond`
 *   slow_close   the end of the stream is passed on `delayMs` late
 *   timeout      nothing is passed on; the connection is closed after `timeoutMs`, or hangs when that is 0
 *   reset_peer   both sides get a RST `timeoutMs` after the toxic meets the connection
 *   slicer       chunks are cut to `sliceBytes` and sent `delayMs` apart
 *   limit_data   after `bytes` the connection is closed
 *
 * Quirk: a black hole still takes the sender's bytes into the kernel's buffers, as a real one does until its buffer is full.
 * Source: github.com/Shopify/toxiproxy, README.
 */
import { connect, createServer, type Server, type Socket } from "node:net";

export type Direction = "upstream" | "downstream";

export type Toxic =
	| { readonly type: "latency"; readonly latencyMs: number; readonly jitterMs?: number }
	| { readonly type: "bandwidth"; readonly bytesPerSecond: number }
	| { readonly type: "slow_close"; readonly delayMs: number }
	| { readonly type: "timeout"; readonly timeoutMs: number }
	| { readonly type: "reset_peer"; readonly timeoutMs: number }
	| { readonly type: "slicer"; readonly sliceBytes: number; readonly delayMs: number }
	| { readonly type: "limit_data"; readonly bytes: number };

/** One client's connection through the proxy. */
export type Link = {
	readonly id: number;
	/** Adds a toxic to this connection only; returns its removal. */
	readonly add: (direction: Direction, toxic: Toxic) => () => void;
	/** Ends both sides at once with a RST. */
	readonly reset: () => void;
	readonly isOpen: () => boolean;
};

export type TcpProxy = {
	readonly port: number;
	/** Adds a toxic to all present and future connections; returns its removal. */
	readonly add: (direction: Direction, toxic: Toxic) => () => void;
	/** Removes the toxics that apply to all connections. */
	readonly heal: () => void;
	/** Sets the target of new connections. */
	readonly setTarget: (port: number) => void;
	/** While false, open and new connections are closed at once with a RST, as without a listener. */
	readonly setEnabled: (isEnabled: boolean) => void;
	/** Open connections. */
	readonly links: () => readonly Link[];
	/** All connections since the start. */
	readonly count: () => number;
	readonly stop: () => Promise<void>;
};

export type ProxyOptions = {
	/** The target port on loopback. */
	readonly port: number;
	/** Receives each chunk as sent, before any toxic. */
	readonly onChunk?: (link: Link, direction: Direction, chunk: Buffer) => void;
};

/** Starts a proxy on a free loopback port. */
export async function startTcpProxy(options: ProxyOptions): Promise<TcpProxy> {
	const toxics = createToxicSet();
	const links = new Set<Link>();
	let target = options.port;
	let isEnabled = true;
	let count = 0;

	const server: Server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
		count++;
		if (!isEnabled) {
			client.on("error", ignore);
			client.resetAndDestroy();
			return;
		}
		const upstream = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
		const link = join(count, client, upstream, toxics, options.onChunk);
		links.add(link);
		let open = 2;
		for (const socket of [client, upstream]) {
			socket.once("close", () => {
				open--;
				if (open === 0) links.delete(link);
			});
		}
	});
	await new Promise<void>((listening, fail) => {
		server.once("error", fail);
		server.listen(0, "127.0.0.1", listening);
	});
	const address = server.address();
	if (typeof address !== "object" || !address) throw new Error("the system gave no port");
	return {
		port: address.port,
		add: (direction, toxic) => toxics.add(direction, toxic),
		heal: () => toxics.clear(),
		setTarget: (port) => {
			target = port;
		},
		setEnabled: (enabled) => {
			isEnabled = enabled;
			if (!enabled) for (const link of links) link.reset();
		},
		links: () => [...links],
		count: () => count,
		stop: async () => {
			for (const link of links) link.reset();
			await new Promise<void>((closed) => server.close(() => closed()));
		},
	};
}

/** Socket errors are caused on purpose; the other side sees the connection end. */
const ignore = () => undefined;

/** An active toxic with the actions for its removal. */
type Standing = {
	readonly direction: Direction;
	readonly toxic: Toxic;
	readonly gone: Promise<void>;
	readonly go: () => void;
};

type ToxicSet = {
	readonly add: (direction: Direction, toxic: Toxic) => () => void;
	readonly clear: () => void;
	readonly list: (direction: Direction) => readonly Standing[];
	/** Calls back for each added toxic; returns the end of the watch. */
	readonly watch: (added: () => void) => () => void;
};

/** Toxics in order; code that waits for one is notified when it is removed or another is added. */
function createToxicSet(): ToxicSet {
	let standing: readonly Standing[] = [];
	const watchers = new Set<() => void>();
	const remove = (one: Standing) => {
		standing = standing.filter((other) => other !== one);
		one.go();
	};
	return {
		add(direction, toxic) {
			const { promise: gone, resolve: go } = Promise.withResolvers<void>();
			const one: Standing = { direction, toxic, gone, go };
			standing = [...standing, one];
			for (const notify of watchers) notify();
			return () => remove(one);
		},
		clear: () => {
			for (const one of standing) remove(one);
		},
		list: (direction) => standing.filter((one) => one.direction === direction),
		watch(added) {
			watchers.add(added);
			return () => watchers.delete(added);
		},
	};
}

/** Connects two sockets through the toxics. */
function join(id: number, client: Socket, server: Socket, shared: ToxicSet, onChunk: ProxyOptions["onChunk"]): Link {
	const own = createToxicSet();
	let isOpen = true;
	const reset = () => {
		isOpen = false;
		for (const socket of [client, server]) if (!socket.destroyed) socket.resetAndDestroy();
	};
	const close = () => {
		isOpen = false;
		for (const socket of [client, server]) if (!socket.destroyed) socket.destroy();
	};
	const link: Link = { id, add: (direction, toxic) => own.add(direction, toxic), reset, isOpen: () => isOpen };
	const standing = (direction: Direction) => [...shared.list(direction), ...own.list(direction)];
	const carry = (direction: Direction, from: Socket, to: Socket) =>
		carryChunks({
			from,
			to,
			close,
			standing: () => standing(direction),
			seen: (c) => onChunk?.(link, direction, c),
		});
	carry("upstream", client, server);
	carry("downstream", server, client);

	// A reset also affects idle connections.
	const met = new Set<Standing>();
	const meet = () => {
		for (const one of [...standing("upstream"), ...standing("downstream")]) {
			if (one.toxic.type !== "reset_peer" || met.has(one)) continue;
			met.add(one);
			setTimeout(reset, one.toxic.timeoutMs);
		}
	};
	const unwatch = [shared.watch(meet), own.watch(meet)];
	meet();
	for (const socket of [client, server]) {
		socket.on("error", reset);
		socket.once("close", () => {
			isOpen = false;
			for (const end of unwatch) end();
		});
	}
	return link;
}

type Carried = {
	readonly from: Socket;
	readonly to: Socket;
	readonly close: () => void;
	readonly standing: () => readonly Standing[];
	readonly seen: (chunk: Buffer) => void;
};

/** Carries one direction: each chunk through the toxics that are active at that time, then the end. */
function carryChunks({ from, to, close, standing, seen }: Carried): void {
	let turn: Promise<void> = Promise.resolve();
	/** Bytes that each limit has passed. */
	const passed = new Map<Standing, number>();

	async function carry(chunk: Buffer): Promise<void> {
		let pieces: { bytes: Buffer; delayMs: number }[] = [{ bytes: chunk, delayMs: 0 }];
		for (const one of standing()) {
			const { toxic, gone } = one;
			switch (toxic.type) {
				case "latency": {
					const jitterMs = (Math.random() * 2 - 1) * (toxic.jitterMs ?? 0);
					await Promise.race([Bun.sleep(Math.max(0, toxic.latencyMs + jitterMs)), gone]);
					break;
				}
				case "bandwidth":
					await Promise.race([Bun.sleep((chunk.length / toxic.bytesPerSecond) * 1_000), gone]);
					break;
				case "timeout":
					if (toxic.timeoutMs === 0) await gone;
					else if (await Promise.race([gone.then(() => false), Bun.sleep(toxic.timeoutMs).then(() => true)]))
						return close();
					break;
				case "slicer":
					pieces = pieces.flatMap(({ bytes }) => slice(bytes, toxic.sliceBytes, toxic.delayMs));
					break;
				case "limit_data": {
					const before = passed.get(one) ?? 0;
					const left = Math.max(0, toxic.bytes - before);
					passed.set(one, before + chunk.length);
					if (chunk.length <= left && chunk.length > 0) break;
					if (left > 0 && to.writable) await write(to, chunk.subarray(0, left));
					return close();
				}
				case "slow_close":
				case "reset_peer":
					break;
			}
		}
		for (const { bytes, delayMs } of pieces) {
			if (!to.writable) return;
			await write(to, bytes);
			if (delayMs > 0) await Bun.sleep(delayMs);
		}
	}

	async function end(): Promise<void> {
		for (const { toxic, gone } of standing()) {
			if (toxic.type === "slow_close") await Promise.race([Bun.sleep(toxic.delayMs), gone]);
			if (toxic.type === "timeout" && toxic.timeoutMs === 0) await gone;
		}
		if (to.writable) to.end();
	}

	from.on("data", (chunk: Buffer) => {
		seen(chunk);
		turn = turn.then(() => carry(chunk));
	});
	from.on("end", () => {
		turn = turn.then(end);
	});
}

function slice(bytes: Buffer, size: number, delayMs: number): { bytes: Buffer; delayMs: number }[] {
	const pieces: { bytes: Buffer; delayMs: number }[] = [];
	for (let at = 0; at < bytes.length; at += size) pieces.push({ bytes: bytes.subarray(at, at + size), delayMs });
	return pieces;
}

/** Resolves when the kernel has the bytes, or the socket has ended. */
function write(to: Socket, bytes: Buffer): Promise<void> {
	return new Promise((written) => {
		to.write(bytes, () => written());
	});
}
