import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { strToU8, type Zippable, zipSync } from "fflate";
import { toZip } from "../../../src/archive";
import { CHECK_NAMES, verifyEvidence } from "../../../src/archive/verifier";
import { readZip, type ZipLimits } from "../../../src/archive/verifier/read-zip";
import { fromJson, makeEntries, makeLogKey, NOW, pack, signAndSeal, toJson, unzip } from "./support/build-evidence";

const LIMITS: ZipLimits = { bytesMax: 100_000, entriesMax: 20, entryBytesMax: 1_000_000, totalBytesMax: 2_000_000 };
const plain = toZip([
	["a.txt", strToU8("hello")],
	["b/c.txt", strToU8("world")],
]);

const open = (bytes: Uint8Array) => {
	try {
		return [...readZip(bytes, "ZIP", LIMITS).keys()];
	} catch (error) {
		return error instanceof Error ? error.message : error;
	}
};
/** The same ZIP with something written over, wherever a text stands. */
const patch = (bytes: Uint8Array, change: (copy: Buffer, central: number) => void) => {
	const copy = Buffer.from(bytes);
	change(copy, copy.indexOf("PK\x01\x02", 0, "latin1"));
	return new Uint8Array(copy);
};
const rename = (bytes: Uint8Array, from: string, to: string) =>
	Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll(from, to), "latin1");

test("an honest ZIP of any program and method is read without its folders", () => {
	expect(open(plain)).toEqual(["a.txt", "b/c.txt"]);
	expect(
		open(zipSync({ "a.txt": [strToU8("hello"), { level: 0 }], b: { "c.txt": strToU8("x".repeat(9_999)) } })),
	).toEqual(["a.txt", "b/c.txt"]);
	expect(open(zipSync({ b: {}, "b/": new Uint8Array(), "b/c.txt": strToU8("1") } as Zippable))).toEqual(["b/c.txt"]);
});

test("evidence with thousands of answers is read", () => {
	const answers = Array.from({ length: 10_000 }, (_, n) => [`answers/${n}-result.json`, strToU8("{}")] as const);
	expect(readZip(toZip(answers), "ZIP").size).toBe(10_000);
});

describe("a hostile ZIP is refused with a message", () => {
	const bomb = zipSync({ "a.txt": new Uint8Array(3_000_000) }, { level: 9 });
	const cases: Readonly<Record<string, readonly [bytes: Uint8Array, says: string]>> = {
		"no bytes": [new Uint8Array(), "the file is empty"],
		"no ZIP": [strToU8("%PDF-1.7 and so on, for long enough to hold an end record"), "not a whole ZIP"],
		"too large": [new Uint8Array(100_001), "larger than 100000 bytes"],
		"cut at its end": [plain.subarray(0, -1), "not a whole ZIP"],
		"cut at its beginning": [plain.subarray(1), "not a whole ZIP"],
		"something before it": [Buffer.concat([strToU8("MZ"), plain]), "not a whole ZIP"],
		"something behind it": [Buffer.concat([plain, strToU8("more")]), "not a whole ZIP"],
		"a name twice": [
			rename(
				toZip([
					["a.txt", strToU8("1")],
					["b.txt", strToU8("2")],
				]),
				"b.txt",
				"a.txt",
			),
			"a.txt is repeated",
		],
		"a name twice but for letter case": [
			toZip([
				["a.txt", strToU8("1")],
				["A.TXT", strToU8("2")],
			]),
			"A.TXT is repeated",
		],
		"a path out of the folder": [rename(plain, "b/c.txt", "../.txt"), "not a plain relative path"],
		"an absolute path": [rename(plain, "b/c.txt", "//c.txt"), "not a plain relative path"],
		"a path of another system": [rename(plain, "b/c.txt", "b\\c.txt"), "not a plain relative path"],
		"a NUL in a name": [rename(plain, "b/c.txt", "b/c\0txt"), "not a plain relative path"],
		"a name without characters": [toZip([["", strToU8("1")]]), "not a plain relative path"],
		"a name of 300 characters": [toZip([["a".repeat(300), strToU8("1")]]), "not a plain relative path"],
		"too many entries": [
			toZip(Array.from({ length: 21 }, (_, n) => [`${n}.txt`, strToU8("1")])),
			"more than 20 entries",
		],
		"a bomb that says what it is": [bomb, "a.txt is too large"],
		"a bomb that says that it is small": [
			patch(bomb, (copy, central) => copy.writeUInt32LE(1_000, central + 24)),
			"a.txt is damaged",
		],
		"many entries that are too large together": [
			zipSync({ a: new Uint8Array(900_000), b: new Uint8Array(900_000), c: new Uint8Array(900_000) }),
			"c is too large",
		],
		"two entries in the same bytes": [
			patch(
				toZip([
					["a.txt", strToU8("1")],
					["a.tx2", strToU8("1")],
				]),
				(copy, central) => {
					const second = copy.indexOf("PK\x01\x02", central + 4, "latin1");
					copy.writeUInt32LE(0, second + 42);
				},
			),
			"is not where the directory says",
		],
		"another name before the bytes than in the directory": [
			patch(plain, (copy) => copy.write("x", copy.indexOf("a.txt"), "latin1")),
			"a.txt is not where the directory says",
		],
		"another checksum": [patch(plain, (copy, central) => copy.writeUInt32LE(1, central + 16)), "a.txt is damaged"],
		"an encrypted entry": [patch(plain, (copy, central) => copy.writeUInt16LE(1, central + 8)), "an unsupported kind"],
		"a method that is not known": [
			patch(plain, (copy, central) => copy.writeUInt16LE(12, central + 10)),
			"an unsupported kind",
		],
		"a link": [patch(plain, (copy, central) => copy.writeUInt32LE(0xa1ff0000, central + 38)), "an unsupported kind"],
		"an entry behind the file's end": [
			patch(plain, (copy, central) => copy.writeUInt32LE(0xfffffff0, central + 42)),
			"is not where",
		],
		"a count that is not so": [
			patch(plain, (copy) => copy.writeUInt32LE(0x00030003, copy.length - 14)),
			"its directory is damaged",
		],
		"more than one disk": [patch(plain, (copy) => copy.writeUInt16LE(1, copy.length - 18)), "not a whole ZIP"],
		"bytes that no entry has": [
			patch(plain, (copy, central) => copy.writeUInt16LE(1, central + 28)),
			"not a plain relative path|directory|where",
		],
	};
	for (const [name, [bytes, says]] of Object.entries(cases)) {
		test(name, () => expect(open(bytes)).toMatch(new RegExp(says)));
	}
});

test("any bytes end with every check reported and none passed by accident", async () => {
	const good = pack(makeEntries({ document: await signAndSeal(5), key: makeLogKey() }));
	const options = { now: NOW };
	for (const bytes of [new Uint8Array(), strToU8("hello"), plain, good.subarray(0, good.length / 2)]) {
		const { ok, checks } = await verifyEvidence(bytes, options);
		expect({ ok, names: checks.map(({ name }) => name) }).toEqual({ ok: false, names: [...CHECK_NAMES] });
		expect(checks.filter((check) => check.ok)).toEqual([]);
	}
	const change = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
	await fc.assert(
		fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), fc.nat(good.length), async (changes, cut) => {
			const bytes = good.slice(0, cut % 3 === 0 ? cut : good.length);
			for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
			const { checks } = await verifyEvidence(bytes, options);
			expect(checks.map(({ name }) => name)).toEqual([...CHECK_NAMES]);
			expect(checks.filter(({ detail }) => detail.en.startsWith("the verifier failed"))).toEqual([]);
		}),
		{ numRuns: 40 },
	);
});

test("manifest, proof and receipt with huge numbers of members cost linear time", async () => {
	const key = makeLogKey();
	const document = await signAndSeal(5);
	const entries = makeEntries({ document, key });
	const parts = unzip(document.sealed);
	const manifest = fromJson(parts.get("manifest.json"));
	const answer = manifest.answers[0];
	parts.set("manifest.json", toJson({ ...manifest, answers: Array(100_000).fill(answer) }));
	parts.set(answer.entry, Buffer.from(`{"encf":"${"E".repeat(100_000)}"}`));
	entries.set("sealed.zip", toZip([...parts]));
	const proof = fromJson(entries.get("proof.json"));
	const inclusion = { ...proof.inclusion, hashes: Array(100_000).fill(proof.sha256) };
	entries.set("proof.json", toJson({ ...proof, inclusion, checkpoint: "\n".repeat(1_000_000) }));
	entries.set("receipt.json", Buffer.from("[".repeat(1_000_000)));
	const { ok, checks } = await verifyEvidence(pack(entries), { now: NOW });
	expect(ok).toBe(false);
	for (const { name, detail } of checks)
		expect({ name, isShort: detail.en.length < 5_000 }).toEqual({ name, isShort: true });
	expect(checks.filter(({ detail }) => detail.en.startsWith("the verifier failed"))).toEqual([]);
});
