/** Registry sources that must never be swapped in: wrong files and misbehaving servers. */
import type { Socket } from "node:net";
import { crc32, deflateRawSync } from "node:zlib";

export type CorruptFile = readonly [name: string, make: () => Uint8Array];
/** `requests`: how many requests one ingest makes, if not one. */
export type Misbehaviour = {
	readonly name: string;
	readonly answer: (socket: Socket) => void;
	readonly requests?: number;
};

const CUT_PERCENTS = [1, 10, 50, 99, 99.99];
const MiB = 1024 * 1024;

/**
 * Each kind of file, derived from a good one in the text format in which every status is `ACTIVO`, every regime `NORMAL`, every activity
 * `VENTA AL POR MENOR` and every name contains `NUMERO`. Created on demand, because each is large at full size.
 */
export function corruptFiles(text: Uint8Array): CorruptFile[] {
	const lines = () => Buffer.from(text).toString("latin1").split("\r\n").slice(0, -1);
	const join = (all: readonly string[]) => Buffer.from(`${all.join("\r\n")}\r\n`, "latin1");
	const change = (one: (line: string, at: number) => string) => join(lines().map(one));
	return [
		...CUT_PERCENTS.map(
			(percent): CorruptFile => [`a zip cut after ${percent} %`, () => cut(packZip({}, text), percent)],
		),
		...CUT_PERCENTS.map((percent): CorruptFile => [`a text cut after ${percent} %`, () => cut(text, percent)]),
		["no bytes", () => new Uint8Array(0)],
		["zero bytes", () => new Uint8Array(200_000)],
		[
			"a page of HTML",
			() => Buffer.from("<!DOCTYPE html><html><body>Servicio no disponible</body></html>\n".repeat(50)),
		],
		["UTF-16 with a mark", () => Buffer.from(`\ufeff${Buffer.from(text).toString("latin1")}`, "utf16le")],
		["UTF-16 without one", () => Buffer.from(Buffer.from(text).toString("latin1"), "utf16le")],
		["UTF-32", () => widen(text)],
		["lines that end in CR alone", () => text.map((byte) => (byte === 10 ? 32 : byte))],
		["a column missing", () => change((line) => line.replace("|VENTA AL POR MENOR", ""))],
		["a column too many in the middle", () => change((line) => line.replace("|ACTIVO", "|X|ACTIVO"))],
		["columns swapped", () => change((line) => line.split("|").reverse().join("|"))],
		["status and regime swapped", () => change((line) => line.replace("ACTIVO|NORMAL", "NORMAL|ACTIVO"))],
		["one line of 10 MB", () => Buffer.alloc(10_000_000, "X")],
		["all lines in one", () => Buffer.from(lines().join(""), "latin1")],
		[
			"NUL bytes in 2 % of the names",
			() => change((line, at) => (at % 50 ? line : line.replace("NUMERO", "NU\0MERO"))),
		],
		["half of the records", () => join(lines().filter((_, at) => at % 2 === 0))],
		["four times the records", () => fourTimes(text, lines())],
		["one number everywhere", () => change((line) => line.replace(/^\d+/, "990000001"))],
		["numbers of 8 digits", () => change((line) => line.slice(1))],
		["a bomb that says what it is", () => packZip({}, new Uint8Array(48 * MiB))],
		["a bomb that hides what it is", () => packZip({ unpackedBytes: 100_000 }, new Uint8Array(48 * MiB))],
		["a bomb that declares 4 GB", () => packZip({ unpackedBytes: 0xffff_fffe }, new Uint8Array(48 * MiB))],
		["a zip in a zip", () => packZip({}, packZip({}, text))],
		["two files", () => packZip({ copies: 2 }, text)],
		["a name that climbs", () => packZip({ name: "../RNC.TXT" }, text)],
		["a wrong checksum", () => packZip({ crc: 1 }, text)],
		["an encrypted zip", () => packZip({ flags: 1 }, text)],
		["name and activity swapped", () => change(swapNameAndActivity)],
		[
			"every number another one",
			() => change((line) => line.replace(/^\d/, (digit) => String((Number(digit) + 1) % 10))),
		],
		["UTF-8 with one wrong byte", () => damageUtf8(lines())],
		["U+FFFD for the accents", () => accent(lines(), "\ufffd", 10)],
		["one U+FFFD among whole accents", () => Buffer.concat([accent(lines(), "Ú", 10), replaced(lines())])],
		["one U+FFFD in Windows-1252", () => Buffer.concat([accent(lines(), "Ú", 10, "latin1"), replaced(lines())])],
		["UTF-8 read as Windows-1252", () => accent(lines(), "Ãš", 10)],
		["UTF-8 read as Latin-1", () => accent(lines(), "Ã\u009a", 10)],
		["the same without what Latin-1 has not", () => accent(lines(), "Ã?", 10, "latin1")],
		["the same for the only accents", () => accent(lines(), "Ã?", 1_000, "latin1")],
		["lines of UTF-8 for a tenth of Windows-1252", () => mixEncodings(lines())],
		["cp437 read as Windows-1252", () => accent(lines(), "£", 10, "latin1")],
		["cp437 read as Windows-1252, in UTF-8", () => accent(lines(), "¥", 10)],
		["Windows-1252 read as cp850", () => accent(lines(), "┌", 10)],
	];
}

/** Server faults other than a bad file; `zip` is a good one. */
export function misbehaviours(zip: Uint8Array): Misbehaviour[] {
	const page = "<!DOCTYPE html><html><body>Mantenimiento programado</body></html>";
	return [
		{ name: "a page of HTML with status 200", answer: (socket) => socket.end(`${head(page.length)}${page}`) },
		{
			name: "an answer with status 500",
			answer: (socket) => socket.end("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"),
		},
		{
			name: "304 to an unconditional request",
			answer: (socket) => socket.end("HTTP/1.1 304 Not Modified\r\n\r\n"),
		},
		{ name: "a redirect to itself", answer: (socket) => socket.end(redirect("/")), requests: 4 },
		{ name: "a redirect to a file", answer: (socket) => socket.end(redirect("file:///etc/passwd")) },
		{
			name: "a redirect to an address inside",
			answer: (socket) => socket.end(redirect("http://169.254.169.254/rnc.zip")),
		},
		{
			name: "a connection closed before the end",
			answer: (socket) => socket.end(`${head(zip.length)}${"PK".repeat(50)}`),
		},
		{
			name: "a connection that is reset in the middle",
			answer: (socket) => {
				socket.write(head(zip.length));
				socket.write(zip.subarray(0, zip.length / 2), () => socket.resetAndDestroy());
			},
		},
		{
			name: "more than it declares",
			answer: (socket) => socket.end(Buffer.concat([Buffer.from(head(zip.length - 10)), zip])),
		},
		{
			name: "less than it declares",
			answer: (socket) => socket.end(Buffer.concat([Buffer.from(head(zip.length + 10)), zip])),
		},
		{ name: "less than it declares, drop by drop", answer: (socket) => drip(socket, zip, 100) },
		{ name: "no HTTP at all", answer: (socket) => socket.end("220 ftp.example ready\r\n") },
		{ name: "nothing", answer: (socket) => socket.end() },
	];
}

/** Promises the full length and sends some pieces, each after the previous one has left. */
function drip(socket: Socket, bytes: Uint8Array, drops: number): void {
	socket.write(head(bytes.length));
	const next = (drop: number): void => {
		if (drop >= drops) socket.end();
		else socket.write(bytes.subarray(drop * 10, drop * 10 + 10), () => setImmediate(next, drop + 1));
	};
	next(0);
}

function head(length: number): string {
	return `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
}

function redirect(location: string): string {
	return `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
}

function cut(bytes: Uint8Array, percent: number): Uint8Array {
	return bytes.subarray(0, Math.floor((bytes.length * percent) / 100));
}

function widen(text: Uint8Array): Uint8Array {
	const wide = new Uint8Array(text.length * 4);
	text.forEach((byte, at) => {
		wide[at * 4] = byte;
	});
	return wide;
}

function swapNameAndActivity(line: string): string {
	const [number = "", name = "", trade = "", activity = "", ...rest] = line.split("|");
	return [number, activity, trade, name, ...rest].join("|");
}

/** Every tenth name gets a UTF-8 accent, and one byte of the last accent is invalid. */
function damageUtf8(lines: readonly string[]): Uint8Array {
	const accented = lines.map((line, at) => (at % 10 ? line : line.replace("NUMERO", "NÚMERO")));
	const bytes = Buffer.from(`${accented.join("\r\n")}\r\n`);
	bytes[bytes.lastIndexOf("Ú") + 1] = 0x20;
	return bytes;
}

/** Every nth name with an accent as a wrong decoding may leave it. */
function accent(lines: readonly string[], letter: string, every: number, encoding: BufferEncoding = "utf8"): Buffer {
	const accented = lines.map((line, at) => (at % every ? line : line.replace("NUMERO", `N${letter}MERO`)));
	return Buffer.from(`${accented.join("\r\n")}\r\n`, encoding);
}

/** The last record again, with one character lost. */
function replaced(lines: readonly string[]): Buffer {
	return accent(lines.slice(-1), "\ufffd", 1);
}

/** As many accents in one encoding as in the other. */
function mixEncodings(lines: readonly string[]): Buffer {
	const each = lines.map((line, at) => accent([line], at % 10 ? "U" : "Ú", 1, at % 20 ? "utf8" : "latin1"));
	return Buffer.concat(each);
}

/** The records and three more of each, under unused numbers. */
function fourTimes(text: Uint8Array, lines: readonly string[]): Uint8Array {
	const more = [1, 2, 3].map((copy) => {
		const copies = lines.map((line) => line.replace(/^\d{9}/, (digits) => `4${copy}${digits}`));
		return Buffer.from(`${copies.join("\r\n")}\r\n`, "latin1");
	});
	return Buffer.concat([text, ...more]);
}

/** A zip whose metadata may be false. */
export function packZip(
	facts: { name?: string; flags?: number; crc?: number; unpackedBytes?: number; copies?: number },
	content: Uint8Array,
): Uint8Array {
	const packed = deflateRawSync(content, { level: 1 });
	const record = Buffer.alloc(20);
	record.writeUInt16LE(facts.flags ?? 0, 0);
	record.writeUInt16LE(8, 2);
	record.writeUInt32LE(facts.crc ?? crc32(content), 8);
	record.writeUInt32LE(packed.length, 12);
	record.writeUInt32LE(facts.unpackedBytes ?? content.length, 16);
	const files: Buffer[] = [];
	const directory: Buffer[] = [];
	const copies = facts.copies ?? 1;
	let offset = 0;
	for (let copy = 1; copy <= copies; copy++) {
		const name = Buffer.from(facts.name ?? (copies === 1 ? "TMP/RNC.TXT" : `TMP/RNC${copy}.TXT`));
		const local = Buffer.concat([
			...[bytes32(0x04034b50), bytes16(20), record, bytes16(name.length), bytes16(0), name],
			packed,
		]);
		directory.push(bytes32(0x02014b50), bytes16(20), bytes16(20), record, bytes16(name.length));
		directory.push(Buffer.alloc(12), bytes32(offset), name);
		files.push(local);
		offset += local.length;
	}
	const entries = Buffer.concat(directory);
	const counts = [bytes32(0x06054b50), bytes32(0), bytes16(copies), bytes16(copies)];
	return Buffer.concat([...files, entries, ...counts, bytes32(entries.length), bytes32(offset), bytes16(0)]);
}

function bytes16(n: number): Buffer {
	return Buffer.of(n & 0xff, (n >> 8) & 0xff);
}

function bytes32(n: number): Buffer {
	return Buffer.concat([bytes16(n & 0xffff), bytes16(n >>> 16)]);
}
