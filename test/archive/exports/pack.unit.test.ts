import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { unzipSync } from "fflate";
import { extract } from "tar-stream";
import type { Pack } from "../../../src/archive/exports/sink";
import { openSink, type Sink } from "../../../src/archive/exports/sink";
import { openTarPack } from "../../../src/archive/exports/tar-pack";
import { openZipPack } from "../../../src/archive/exports/zip-pack";

let folder: string;
let count = 0;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "sello-pack-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newPath = () => join(folder, String(count++));
const newSink = async () => {
	const path = newPath();
	return { ...(await openSink(path)), path };
};

async function packInto(kind: "zip" | "tar", fill: (pack: Pack) => Promise<void>): Promise<Uint8Array> {
	const sink = await newSink();
	const pack = kind === "zip" ? openZipPack(sink, await newSink()) : await openTarPack(sink);
	await fill(pack);
	await pack.finish();
	const { bytes, sha256 } = await sink.close();
	const whole = new Uint8Array(readFileSync(sink.path));
	expect([whole.length, createHash("sha256").update(whole).digest("hex")]).toEqual([bytes, sha256]);
	return whole;
}

async function untar(bytes: Uint8Array): Promise<Record<string, Uint8Array>> {
	const entries: Record<string, Uint8Array> = {};
	const tar = extract();
	tar.end(zstdDecompressSync(bytes));
	for await (const entry of tar) {
		const chunks: Uint8Array[] = [];
		for await (const chunk of entry) if (chunk instanceof Uint8Array) chunks.push(chunk);
		entries[entry.header.name] = Buffer.concat(chunks);
	}
	return entries;
}

const LARGE = new Uint8Array(1_000_003).map((_, i) => (i * 31) % 251);

test.each(["zip", "tar"] as const)("a %s returns its entries in order, and the same bytes twice", async (kind) => {
	const fill = async (pack: Pack) => {
		await pack.add("README.txt", Buffer.from("ñ"));
		await pack.add("documents/0192f110-7a00-7b11-9c22-334455667788/empty.zip", new Uint8Array());
		await pack.add("large", LARGE);
		const list = await newSink();
		for (let at = 0; at < LARGE.length; at += 7_001) await list.write(LARGE.subarray(at, at + 7_001));
		await pack.addFile("list.csv", list.path, await list.close());
	};
	const one = await packInto(kind, fill);
	const entries = kind === "zip" ? unzipSync(one) : await untar(one);
	expect(Object.keys(entries)).toEqual([
		"README.txt",
		"documents/0192f110-7a00-7b11-9c22-334455667788/empty.zip",
		...["large", "list.csv"],
	]);
	expect(new TextDecoder().decode(entries["README.txt"])).toBe("ñ");
	for (const name of ["large", "list.csv"]) expect(Buffer.from(entries[name] ?? []).equals(LARGE)).toBe(true);
	expect(Buffer.from(await packInto(kind, fill)).equals(one)).toBe(true);
});

test("a ZIP of more entries than two bytes can count is read whole", async () => {
	const bytes = await packInto("zip", async (pack) => {
		for (let n = 0; n < 66_000; n++) await pack.add(`d/${n}`, Buffer.from(String(n)));
	});
	const entries = unzipSync(bytes);
	expect(Object.keys(entries)).toHaveLength(66_000);
	for (const n of [0, 65_534, 65_535, 65_999]) expect(new TextDecoder().decode(entries[`d/${n}`])).toBe(String(n));
});

test.each(["zip", "tar"] as const)("a full disk ends a %s with its error, in add and in finish", async (kind) => {
	let written = 0;
	const full = (sink: Sink): Sink => ({
		...sink,
		write: async (bytes) => {
			written += bytes.length;
			if (written > 300_000) throw new Error("no space left");
			await sink.write(bytes);
		},
	});
	const [sink, directory] = [full(await newSink()), await newSink()];
	const pack = kind === "zip" ? openZipPack(sink, directory) : await openTarPack(sink);
	const random = () => crypto.getRandomValues(new Uint8Array(60_000));
	const filling = async () => {
		for (let n = 0; n < 100; n++) await pack.add(`d/${n}`, random());
		await pack.finish();
	};
	await expect(filling()).rejects.toThrow("no space left");
	for (const one of [sink, directory]) await one.abandon();
});
