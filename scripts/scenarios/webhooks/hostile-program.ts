/**
 * Malicious receivers in a separate program, one port for each kind.
 *
 *   GET /       {kind: {port, connections, open, longestMs}}; longestMs is the duration of the longest connection
 */
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { type Listener, listen } from "../../../test/support/listen";
import { createTestAuthority } from "../../../test/support/server-certificate";

const OK = "HTTP/1.1 200 OK\r\n";
const GIB = 1024 ** 3;
const chunk = Buffer.alloc(65_536, "x");
/** Compressed size small enough for a reader that stops after 64 KiB. */
const bomb = gzipSync(Buffer.alloc(56 * 1024 ** 2));
const hints = `HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n`.repeat(200);
const badTls = await (await createTestAuthority()).issue("hooks.example.com");

const kinds: Readonly<Record<string, (socket: Socket) => void>> = {
	stalls: () => undefined,
	drips(socket) {
		socket.write(`${OK}content-length: 100000\r\n\r\n`);
		const timer = setInterval(() => socket.write("x"), 1_000);
		socket.on("close", () => clearInterval(timer));
	},
	"sends-1-GiB"(socket) {
		socket.write(`${OK}content-length: ${GIB}\r\n\r\n`);
		pour(socket, chunk, GIB);
	},
	"gzip-bomb"(socket) {
		socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
		socket.end(bomb);
	},
	"100-kB-headers": (socket) => socket.end(`${OK}x-long: ${"y".repeat(100_000)}\r\ncontent-length: 0\r\n\r\n`),
	"1xx-flood": (socket) => pour(socket, Buffer.from(hints), Number.POSITIVE_INFINITY),
	"bad-certificate": (socket) => socket.end(`${OK}content-length: 0\r\n\r\n`),
	"closes-mid-headers": (socket) => socket.end(`${OK}content-le`),
	resets: (socket) => socket.resetAndDestroy(),
};

/** Writes as fast as the peer reads. */
function pour(socket: Socket, bytes: Buffer, left: number): void {
	let rest = left;
	const more = () => {
		while (rest > 0 && !socket.destroyed) {
			rest -= bytes.length;
			if (!socket.write(bytes)) return;
		}
	};
	socket.on("drain", more);
	more();
}

type Seen = { readonly listener: Listener; open: number; longestMs: number };

const seen = new Map<string, Seen>();
for (const [kind, act] of Object.entries(kinds)) {
	const listener = await listen(
		(socket) => {
			const from = performance.now();
			const one = seen.get(kind);
			if (one) one.open++;
			// The end is only noticed while reading.
			socket.resume();
			socket.on("close", () => {
				if (!one) return;
				one.open--;
				one.longestMs = Math.max(one.longestMs, Math.round(performance.now() - from));
			});
			act(socket);
		},
		kind === "bad-certificate" ? { tls: badTls } : {},
	);
	seen.set(kind, { listener, open: 0, longestMs: 0 });
}

const report = createServer((_, response) => {
	const all = [...seen].map(([kind, { listener, open, longestMs }]) => {
		return [kind, { port: listener.port, connections: listener.connections(), open, longestMs }] as const;
	});
	response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(Object.fromEntries(all)));
});
report.listen(0, "127.0.0.1", () => {
	const address = report.address();
	if (typeof address !== "object" || !address) throw new Error("the system gave no port");
	console.log(JSON.stringify({ msg: "ready", url: `http://127.0.0.1:${address.port}` }));
});
process.on("SIGTERM", () => process.exit(0));
