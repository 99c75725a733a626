import { describe, expect, test } from "bun:test";
import { constants, createHash, generateKeyPairSync, privateEncrypt, sign, verify } from "node:crypto";
import fc from "fast-check";
import { bunEngine, FreedKeyError, openEngine, type RsaEngine } from "../../../../src/ecf/signing/engine";

const { engine: found } = openEngine("openssl");
const engines: readonly RsaEngine[] = found === bunEngine ? [bunEngine] : [bunEngine, found];
if (engines.length === 1) console.warn("There is no OpenSSL 3 here: its engine's tests are skipped.");

const toBytes = (bits: number) => {
	const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: bits });
	return {
		privateKey,
		publicKey,
		pkcs8Der: privateKey.export({ type: "pkcs8", format: "der" }),
		spkiDer: publicKey.export({ type: "spki", format: "der" }),
	};
};
const keys = [2048, 2048, 3072].map((bits) => ({ bits, ...toBytes(bits) }));
const [first, second] = keys;
if (!first || !second) throw new Error("no keys");

/** DigestInfo of SHA-256. Source: RFC 8017, 9.2, note 1. */
const DIGEST_INFO = Buffer.from("3031300d060960864801650304020105000420", "hex");
const text = fc.uint8Array({ maxLength: 2_000 });

for (const engine of engines) {
	describe(`the engine ${engine.name}`, () => {
		test("signs by the standard with keys of several lengths, verified by the runtime", () => {
			for (const { bits, privateKey, publicKey, ...bytes } of keys) {
				const pair = engine.importPair(bytes);
				fc.assert(
					fc.property(text, (data) => {
						const signature = pair.sign(data);
						expect(signature.length).toBe(bits / 8);
						expect(verify("sha256", data, publicKey, signature)).toBe(true);
						const padded = Buffer.concat([DIGEST_INFO, createHash("sha256").update(data).digest()]);
						expect(Buffer.from(signature)).toEqual(
							privateEncrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, padded),
						);
						expect(pair.verify(data, signature)).toBe(true);
					}),
					{ numRuns: 20 },
				);
				pair.free();
			}
		});

		test("verifies the runtime's signatures and refuses changed, foreign and empty ones", () => {
			const pair = engine.importPair(first);
			const data = Buffer.from("Sello");
			const good = sign("sha256", data, first.privateKey);
			expect(pair.verify(data, good)).toBe(true);
			const changed = Buffer.from(good);
			changed[100] = (changed[100] ?? 0) ^ 1;
			const foreign = sign("sha256", data, second.privateKey);
			const others = [
				changed,
				foreign,
				good.subarray(1),
				Buffer.concat([good, good]),
				Buffer.alloc(0),
				Buffer.alloc(5_000),
			];
			for (const other of others) expect(pair.verify(data, other)).toBe(false);
			expect(pair.verify(Buffer.from("sello"), good)).toBe(false);
			// A refusal leaves nothing behind that the next verification would meet.
			expect(pair.verify(data, good)).toBe(true);
			pair.free();
		});

		test("keeps keys apart that are used in turn", () => {
			const pairs = keys.map((key) => ({ key, pair: engine.importPair(key) }));
			for (let i = 0; i < 30; i++) {
				for (const { key, pair } of pairs) {
					const data = Buffer.from(`text ${i}`);
					const signature = pair.sign(data);
					expect(verify("sha256", data, key.publicKey, signature)).toBe(true);
					for (const other of pairs) expect(other.pair.verify(data, signature)).toBe(other.pair === pair);
				}
			}
			for (const { pair } of pairs) pair.free();
		});

		test("does not need the bytes of a key any more once it has them", () => {
			const { pkcs8Der, spkiDer, publicKey } = toBytes(2048);
			const pair = engine.importPair({ pkcs8Der, spkiDer });
			pkcs8Der.fill(0);
			spkiDer.fill(0);
			const data = Buffer.from("Sello");
			expect(verify("sha256", data, publicKey, pair.sign(data))).toBe(true);
			pair.free();
		});

		test("refuses a freed key, and frees it once", () => {
			const pair = engine.importPair(first);
			pair.free();
			pair.free();
			expect(() => pair.sign(Buffer.from("x"))).toThrow(FreedKeyError);
			expect(() => pair.verify(Buffer.from("x"), Buffer.alloc(256))).toThrow(FreedKeyError);
		});

		test("refuses bytes that are no key, and keys of another kind, on either side", () => {
			const elliptic = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
			const pkcs8Der = elliptic.privateKey.export({ type: "pkcs8", format: "der" });
			const spkiDer = elliptic.publicKey.export({ type: "spki", format: "der" });
			const noise = Buffer.from("no key at all");
			for (const bytes of [
				{ pkcs8Der: noise, spkiDer: first.spkiDer },
				{ pkcs8Der: first.pkcs8Der, spkiDer: noise },
				{ pkcs8Der: Buffer.alloc(0), spkiDer: first.spkiDer },
				{ pkcs8Der, spkiDer: first.spkiDer },
				{ pkcs8Der: first.pkcs8Der, spkiDer },
				{ pkcs8Der: first.pkcs8Der.subarray(0, 600), spkiDer: first.spkiDer },
			]) {
				expect(() => engine.importPair(bytes)).toThrow();
			}
		});

		test("survives corrupt keys: it refuses them, or their signatures do not verify", () => {
			const data = Buffer.from("Sello");
			fc.assert(
				fc.property(fc.nat(first.pkcs8Der.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
					const pkcs8Der = Buffer.from(first.pkcs8Der);
					pkcs8Der[at] = (pkcs8Der[at] ?? 0) ^ by;
					let pair: ReturnType<RsaEngine["importPair"]> | undefined;
					try {
						pair = engine.importPair({ pkcs8Der, spkiDer: first.spkiDer });
						const signature = pair.sign(data);
						expect(pair.verify(data, signature)).toBe(verify("sha256", data, first.publicKey, signature));
					} catch (error) {
						expect(error).toBeInstanceOf(Error);
					} finally {
						pair?.free();
					}
				}),
				{ numRuns: 100 },
			);
		});

		test("releases memory: thousands of keys do not make the process grow", () => {
			const turn = (count: number) => {
				for (let i = 0; i < count; i++) {
					const pair = engine.importPair(first);
					pair.sign(Buffer.from("x"));
					pair.free();
				}
				Bun.gc(true);
				return process.memoryUsage.rss();
			};
			const before = turn(600);
			// The least of two: the collector and the tests before may have something of their own in flight.
			const grown = Math.min(turn(2_400), turn(1)) - before;
			// What so many keys and contexts would hold if they stayed is 16 MB.
			expect(grown).toBeLessThan(10 * 1024 * 1024);
		});
	});
}

test("all engines give the same bytes", () => {
	const pairs = engines.map((engine) => engine.importPair(first));
	fc.assert(
		fc.property(text, (data) => {
			const signatures = pairs.map((pair) => Buffer.from(pair.sign(data)).toString("hex"));
			expect(new Set(signatures).size).toBe(1);
		}),
		{ numRuns: 50 },
	);
	for (const pair of pairs) pair.free();
});
