/**
 * Requests that no client library sends, written to a socket: false lengths; split, cut, odd, huge or endless heads. Many hide a second
 * request
 * in what one reader takes for a body and another for a request. Its id must never be answered.
 */
import { connect } from "node:net";

/**
 * The listener's own refusals, before there is a request. They have no problem document, and this is the only list of them: 400 and 505 for
 * anything but HTTP/1.1, 413 for a body above its limit, 431 for a head above 16 KiB.
 */
export const NATIVE_REFUSALS: readonly number[] = [400, 413, 431, 505];

export type RawCase = {
	readonly name: string;
	/** Written one after another; a number is a pause in milliseconds. */
	readonly parts: readonly (string | Buffer | number)[];
	/** `refused`: by any layer, or the connection is closed; never 2xx. `any`: depends on the listener. */
	readonly verdict: "refused" | "any";
};

export type RawOutcome = { readonly statuses: readonly number[]; readonly bodies: string; readonly isClosed: boolean };

/** Id of the hidden request. */
export const HIDDEN_ID = "hidden-request-01";
const MIB = 1024 * 1024;

export function listRawCases(host: string, credentials: Readonly<Record<string, string>>): RawCase[] {
	const H = `Host: ${host}\r\n`;
	const own = Object.entries(credentials)
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join("");
	const hidden = `GET /livez HTTP/1.1\r\n${H}X-Request-Id: ${HIDDEN_ID}\r\n\r\n`;
	const post = (lines: string, body = "", who = own) =>
		`POST /v1/invoices HTTP/1.1\r\n${H}${who}Idempotency-Key: ${crypto.randomUUID()}\r\nContent-Type: application/json\r\n${lines}\r\n${body}`;
	const get = (lines: string, path = "/livez") => `GET ${path} HTTP/1.1\r\n${H}${lines}\r\n`;
	const refused = (name: string, ...parts: RawCase["parts"]): RawCase => ({ name, parts, verdict: "refused" });
	const any = (name: string, ...parts: RawCase["parts"]): RawCase => ({ name, parts, verdict: "any" });
	const transfers = [
		...[
			"chunked, identity",
			"identity, chunked",
			"xchunked",
			"chunked\t",
			" chunked",
			'"chunked"',
			"Chunked",
			"gzip, chunked",
			"chunked, chunked",
			"\u000bchunked",
			"chunked;x=y",
			"x\r\n\tchunked",
		],
	];
	const lengths = [
		"-1",
		"+5",
		"0x5",
		"5, 6",
		"5 5",
		" ",
		"five",
		"9".repeat(30),
		"5.0",
		"1e1",
		"18446744073709551616",
		"-0",
		"00000000000005a",
	];
	return [
		// Two readers, two ends of the body.
		refused("a length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden}`)),
		refused("chunks and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden}`)),
		refused(
			"two lengths that differ",
			post(`Content-Length: 2\r\nContent-Length: ${2 + hidden.length}\r\n`, `{}${hidden}`),
		),
		any("two lengths that agree", post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}")),
		refused("a space before the colon", post("Content-Length : 2\r\n", `{}`)),
		refused("a length in a folded line", post("X: a\r\n Content-Length: 2\r\n", "{}")),
		...transfers.map((value) =>
			any(`Transfer-Encoding: ${JSON.stringify(value)}`, post(`Transfer-Encoding: ${value}\r\n`, `0\r\n\r\n`)),
		),
		...transfers
			.slice(0, 6)
			.map((value) =>
				refused(
					`a length beside Transfer-Encoding: ${JSON.stringify(value)}`,
					post(`Content-Length: 2\r\nTransfer-Encoding: ${value}\r\n`, "{}"),
				),
			),
		...lengths.map((value) =>
			refused(`Content-Length: ${value.slice(0, 30)}`, post(`Content-Length: ${value}\r\n`, "{}")),
		),
		refused("a chunk's length in words", post("Transfer-Encoding: chunked\r\n", "two\r\n{}\r\n0\r\n\r\n")),
		refused("a chunk's length below zero", post("Transfer-Encoding: chunked\r\n", "-2\r\n{}\r\n0\r\n\r\n")),
		refused("a chunk of 2^64 bytes", post("Transfer-Encoding: chunked\r\n", `10000000000000000\r\n${hidden}`)),
		refused("a chunk longer than it says", post("Transfer-Encoding: chunked\r\n", `1\r\n{}${hidden}\r\n0\r\n\r\n`)),
		refused(
			"a chunk with an extension of 100 kB",
			post("Transfer-Encoding: chunked\r\n", `2;${"x".repeat(100_000)}\r\n{}\r\n0\r\n\r\n`),
		),
		any(
			"a trailer that is a length",
			post("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n"),
		),
		// Invalid heads.
		refused("no Host", "GET /livez HTTP/1.1\r\n\r\n"),
		any("two Hosts", `GET /livez HTTP/1.1\r\n${H}Host: other.example\r\n\r\n`),
		any("a Host of another", "GET /openapi.json HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
		any("a Host with odd signs", "GET /livez HTTP/1.1\r\nHost: a/b?c#d@e\r\nConnection: close\r\n\r\n"),
		refused("HTTP/3.7", `GET /livez HTTP/3.7\r\n${H}\r\n`),
		refused("HTTP/0.9", "GET /livez\r\n\r\n"),
		any("HTTP/1.0", `GET /livez HTTP/1.0\r\n${H}\r\n`),
		refused("HTTP/2 at once", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
		refused("no version", `GET /livez HTTP\r\n${H}\r\n`),
		refused("garbage", Buffer.from([0, 1, 2, 0xff, 0xfe, 13, 10, 13, 10])),
		refused("a handshake of TLS", Buffer.from("16030100a5010000a10303", "hex"), 50, "\r\n\r\n"),
		refused("bare line feeds", `GET /livez HTTP/1.1\nHost: ${host}\n\n`),
		refused("a bare carriage return", `GET /livez HTTP/1.1\rHost: ${host}\r\r`),
		refused("a space in a name", get("Bad Name: x\r\n")),
		refused("a name of nothing", get(": x\r\n")),
		refused("a line without a colon", get("nonsense\r\n")),
		refused("U+0000 in a value", get("X-A: a\u0000b\r\n")),
		refused("U+0000 in the path", get("", "/li\u0000vez")),
		refused("a space in the path", get("", "/livez /x")),
		refused("a line feed in a value", get(`X-A: a\nX-Request-Id: ${HIDDEN_ID}\r\n`)),
		refused("an unknown method", `BREW /livez HTTP/1.1\r\n${H}\r\n`),
		refused("a method in lower case", `get /livez HTTP/1.1\r\n${H}\r\n`),
		refused("TRACE", `TRACE /livez HTTP/1.1\r\n${H}\r\n`),
		refused("CONNECT", `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${H}\r\n`),
		any("OPTIONS *", `OPTIONS * HTTP/1.1\r\n${H}\r\n`),
		any("an absolute address", `GET http://${host}/livez HTTP/1.1\r\n${H}Connection: close\r\n\r\n`),
		any("an absolute address of another", `GET http://evil.example/livez HTTP/1.1\r\n${H}Connection: close\r\n\r\n`),
		any("an address without a slash", get("Connection: close\r\n", "livez")),
		any("two slashes", get("Connection: close\r\n", "//livez")),
		any("dots in the path", get("Connection: close\r\n", "/v1/../../etc/passwd")),
		any(
			"bytes beyond ASCII in the path",
			Buffer.concat([
				Buffer.from("GET /"),
				Buffer.from([0xff, 0xfe]),
				Buffer.from(` HTTP/1.1\r\n${H}Connection: close\r\n\r\n`),
			]),
		),
		// Too much of something.
		refused("a header of 20 kB", get(`X-Long: ${"x".repeat(20_000)}\r\n`)),
		refused("300 headers", get(Array.from({ length: 300 }, (_, i) => `X-${i}: ${"y".repeat(60)}\r\n`).join(""))),
		refused("an address of 100 kB", get("", `/livez?${"x".repeat(100_000)}`)),
		refused("an address of 10 kB", get("Connection: close\r\n", `/v1/authority/codes?${"x".repeat(10_000)}`)),
		refused("a name of 20 kB", get(`${"X".repeat(20_000)}: y\r\n`)),
		refused("a head of a mebibyte that does not end", get("").slice(0, -2), Buffer.alloc(MIB, "x")),
		refused("50 MB announced", post(`Content-Length: ${50 * MIB}\r\n`)),
		refused("50 MB announced by a stranger", post(`Content-Length: ${50 * MIB}\r\n`, "", "")),
		refused("a terabyte announced", post(`Content-Length: ${2 ** 40}\r\n`)),
		refused(
			"3 MB in chunks",
			post("Transfer-Encoding: chunked\r\n"),
			...Array.from({ length: 48 }, () => `10000\r\n${" ".repeat(0x10000)}\r\n`),
			"0\r\n\r\n",
		),
		refused("an expectation", post("Expect: 200-ok\r\nContent-Length: 2\r\n", "{}")),
		any("100-continue", post("Expect: 100-continue\r\nContent-Length: 2\r\n"), 100, "{}"),
		any(
			"an upgrade",
			get(
				"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
			),
		),
		any(
			"an upgrade to h2c",
			get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
		),
		// In pieces, and never complete.
		any("byte by byte", ...[...get("Connection: close\r\n")].flatMap((one) => [one, 1])),
		any("cut between the two line ends", get("Connection: close\r\n").slice(0, -2), 100, "\r\n"),
		any("a body behind its head", post("Connection: close\r\nContent-Length: 2\r\n"), 200, "{}"),
		refused("half a head", "POST /v1/invoices HTTP/1.1\r\nHos"),
		refused("half a body", post("Content-Length: 500\r\n", '{"type"')),
		refused("a chunk that never comes", post("Transfer-Encoding: chunked\r\n", "5\r\n")),
		any("blank lines before the request", `\r\n\r\n${get("Connection: close\r\n")}`),
		any("two requests at once", get("") + get("Connection: close\r\n")),
		any(
			"a body where none is read",
			`GET /livez HTTP/1.1\r\n${H}Content-Length: ${hidden.length}\r\nConnection: close\r\n\r\n${hidden}`,
		),
	];
}

/** Writes a case and reads until the connection closes or goes quiet. */
export function playRawCase(url: string, { parts }: RawCase, quietMs: number): Promise<RawOutcome> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve) => {
		const socket = connect(Number(port), hostname);
		const received: Buffer[] = [];
		let isClosed = false;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const finish = () => {
			clearTimeout(timer);
			socket.destroy();
			const text = Buffer.concat(received).toString("latin1");
			resolve({
				statuses: [...text.matchAll(/(?:^|\r\n|\}|>)HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1])),
				bodies: text,
				isClosed,
			});
		};
		const wait = () => {
			clearTimeout(timer);
			timer = setTimeout(finish, quietMs);
		};
		const end = () => {
			isClosed = true;
			finish();
		};
		socket.on("data", (data: Buffer) => {
			received.push(data);
			wait();
		});
		socket.on("close", end);
		socket.on("error", () => undefined);
		socket.on("connect", () => {
			void (async () => {
				for (const part of parts) {
					if (isClosed) return;
					if (typeof part === "number") await Bun.sleep(part);
					else socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
				}
				wait();
			})();
		});
		wait();
	});
}
