import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { crc32, deflateRawSync } from "node:zlib";
import { zipSync } from "fflate";
import type { Registry } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { directoryOf, entries, openOn, temporaryFolder, toLine, toText, toZip } from "../build";

const good = entries(2_000);
const text = Buffer.from(toText(good));
const zip = toZip(text);
const folder = temporaryFolder();
const lines = (change: (line: string, at: number) => string) =>
	Buffer.from(`${good.map((e, at) => change(toLine(e), at)).join("\r\n")}\r\n`, "latin1");
const cut = (bytes: Uint8Array, percent: number) => bytes.subarray(0, Math.floor((bytes.length * percent) / 100));

/** A zip with one file whose facts are false. */
function forge(
	facts: { name?: string; flags?: number; crc?: number; unpackedBytes?: number },
	content: Uint8Array = text,
): Uint8Array {
	const packed = deflateRawSync(content);
	const name = Buffer.from(facts.name ?? "TMP/RNC.TXT");
	const record = Buffer.alloc(20);
	record.writeUInt16LE(facts.flags ?? 0, 0);
	record.writeUInt16LE(8, 2);
	record.writeUInt32LE(facts.crc ?? crc32(content), 8);
	record.writeUInt32LE(packed.length, 12);
	record.writeUInt32LE(facts.unpackedBytes ?? content.length, 16);
	const local = Buffer.concat([
		bytes32(0x04034b50),
		bytes16(20),
		record,
		bytes16(name.length),
		bytes16(0),
		name,
		packed,
	]);
	const directory = Buffer.concat([
		...[bytes32(0x02014b50), bytes16(20), bytes16(20), record, bytes16(name.length)],
		...[Buffer.alloc(12), bytes32(0), name],
	]);
	const counts = [bytes32(0x06054b50), bytes32(0), bytes16(1), bytes16(1)];
	return Buffer.concat([local, directory, ...counts, bytes32(directory.length), bytes32(local.length), bytes16(0)]);
}

function bytes16(n: number): Buffer {
	return Buffer.of(n & 0xff, (n >> 8) & 0xff);
}

function bytes32(n: number): Buffer {
	return Buffer.concat([bytes16(n & 0xffff), bytes16(n >>> 16)]);
}

const bomb = new Uint8Array(48 * 1024 * 1024);

const files: [string, () => Uint8Array][] = [
	...[1, 10, 50, 99, 99.99].map((percent): [string, () => Uint8Array] => [
		`a zip cut after ${percent} %`,
		() => cut(zip, percent),
	]),
	...[1, 10, 50, 99, 99.99].map((percent): [string, () => Uint8Array] => [
		`a text cut after ${percent} %`,
		() => cut(text, percent),
	]),
	["no bytes", () => new Uint8Array(0)],
	["zero bytes", () => new Uint8Array(200_000)],
	["a page of HTML", () => Buffer.from("<!DOCTYPE html><html><body>Servicio no disponible</body></html>\n".repeat(50))],
	["UTF-16 with a mark", () => Buffer.from(`\ufeff${text.toString("latin1")}`, "utf16le")],
	["UTF-16 without one", () => Buffer.from(Buffer.from(text).toString("latin1"), "utf16le")],
	["UTF-32", () => Buffer.from([...Buffer.from(text)].flatMap((byte) => [byte, 0, 0, 0]))],
	["lines that end in CR alone", () => lines((line) => line).map((byte) => (byte === 10 ? 32 : byte))],
	["a column missing", () => lines((line) => line.replace("|VENTA AL POR MENOR", ""))],
	["a column too many", () => lines((line) => `${line}|X`)],
	["columns swapped", () => lines((line) => line.split("|").reverse().join("|"))],
	["status and regime swapped", () => lines((line) => line.replace("ACTIVO|NORMAL", "NORMAL|ACTIVO"))],
	["one line of 10 MB", () => Buffer.alloc(10_000_000, "X")],
	["all lines in one", () => lines((line) => line).filter((byte) => byte !== 10 && byte !== 13)],
	["NUL bytes in 2 % of the names", () => lines((line, at) => (at % 50 ? line : line.replace("NUMERO", "NU\0MERO")))],
	["half of the records", () => toText(good.slice(0, 1_000))],
	["four times the records", () => toText(entries(8_000))],
	["one number everywhere", () => lines((line) => line.replace(/^\d+/, "990000001"))],
	["numbers of 8 digits", () => lines((line) => line.slice(1))],
	["a bomb that says what it is", () => forge({}, bomb)],
	["a bomb that hides what it is", () => forge({ unpackedBytes: 100_000 }, bomb)],
	["a zip in a zip", () => toZip(zip)],
	["two files", () => zipSync({ "A.TXT": text, "B.TXT": text })],
	["a name that climbs", () => forge({ name: "../RNC.TXT" })],
	["a wrong checksum", () => forge({ crc: 1 })],
	["an encrypted zip", () => forge({ flags: 1 })],
];

let database: TestDatabase;
let registry: Registry;
let before: ReturnType<Registry["status"]>;

beforeAll(async () => {
	database = await openTestDatabase();
	registry = await openOn(database.sql, folder.write("source", text));
	before = registry.status();
});
afterEach(() => {
	const { last_attempt: _, age_seconds: __, ...kept } = registry.status();
	expect(before).toMatchObject(kept);
	for (const one of [good[0], good[999], good[1_999]]) {
		expect(one && registry.lookup({ digits: one.rnc, kind: "rnc" })).toEqual(one);
	}
	const left = readdirSync(directoryOf(database.sql)).filter((name) => name !== "cleared.json");
	expect(left).toEqual([`${registry.runId()}.0.snapshot`]);
});
afterAll(async () => {
	await registry.close();
	await database.close();
	folder.remove();
});

async function expectNoSwap(source?: string): Promise<void> {
	const run = await registry.ingest(source === undefined ? {} : { source });
	expect({ result: run.result, reason: run.reason }).toEqual({
		result: expect.stringMatching(/^(refused|failed)$/),
		reason: expect.stringMatching(/.{10,}/),
	});
	expect(run.runId).not.toBe(before.run_id ?? "");
}

describe("is never swapped in, the reason is told, and look-ups go on:", () => {
	test.each(files)("%s", async (_, make) => {
		folder.write("source", make());
		await expectNoSwap();
	});
});

describe("a server that misbehaves changes nothing:", () => {
	const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
	const servers: [string, (socket: Socket) => void][] = [
		["a page of HTML with status 200", (s) => s.end(`${head(13)}<html></html>`)],
		["an answer with status 500", (s) => s.end("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n")],
		["304 to a question that nobody asked", (s) => s.end("HTTP/1.1 304 Not Modified\r\n\r\n")],
		["a redirect to itself", (s) => s.end("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")],
		[
			"a redirect to a file",
			(s) => s.end("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"),
		],
		["a connection closed before the end", (s) => s.end(`${head(zip.length)}${"PK".repeat(50)}`)],
		[
			"a connection that is reset in the middle",
			(s) => {
				s.write(head(zip.length));
				s.write(zip.subarray(0, 2_000), () => s.resetAndDestroy());
			},
		],
		[
			"less than it declares, drop by drop",
			(s) => {
				s.write(head(zip.length));
				const drip = (at: number): void => {
					if (at >= 100) s.end();
					else s.write(zip.subarray(at, at + 10), () => setImmediate(drip, at + 10));
				};
				drip(0);
			},
		],
	];
	test.each(servers)("%s", async (_, answer) => {
		const { url, close } = await serveRaw(answer);
		await expectNoSwap(url);
		close();
	});
});

/** A server that speaks for itself, where a real one would be too well-behaved. */
async function serveRaw(answer: (socket: Socket) => void): Promise<{ url: string; close: () => void }> {
	const raw: Server = createServer((socket) => {
		socket.on("error", () => socket.destroy());
		socket.once("data", () => answer(socket));
	});
	await new Promise<void>((done) => raw.listen(0, "127.0.0.1", done));
	const address = raw.address();
	if (address === null || typeof address === "string") throw new Error("the server has no port");
	return { url: `http://127.0.0.1:${address.port}/`, close: () => raw.close() };
}
