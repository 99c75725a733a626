import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import forge from "node-forge";
import { derivePkcs12, PKCS12_HASHES } from "../../../src/ecf/signing/pkcs12-derivation";

const REFERENCE: Readonly<Record<string, () => forge.md.MessageDigest>> = {
	sha1: () => forge.md.sha1.create(),
	sha256: () => forge.md.sha256.create(),
	sha384: () => forge.md.sha384.create(),
	sha512: () => forge.md.sha512.create(),
};

describe("the key derivation of PKCS#12", () => {
	for (const hash of Object.values(PKCS12_HASHES)) {
		test(`by ${hash.name} equals another program's, for any password, salt and length`, () => {
			fc.assert(
				fc.property(
					fc.string({ unit: "binary", maxLength: 80 }),
					fc.uint8Array({ minLength: 1, maxLength: 150 }),
					fc.constantFrom(1 as const, 2 as const, 3 as const),
					fc.integer({ min: 1, max: 4 }),
					fc.integer({ min: 1, max: 200 }),
					(password, salt, purpose, iterations, bytes) => {
						const theirSalt = forge.util.createBuffer(Buffer.from(salt).toString("latin1"));
						const create = REFERENCE[hash.name] ?? REFERENCE.sha1;
						const theirs = forge.pkcs12.generateKey(password, theirSalt, purpose, iterations, bytes, create?.());
						const ours = derivePkcs12({ hash, password, salt, purpose, iterations, bytes });
						expect(ours.toString("hex")).toBe(theirs.toHex());
					},
				),
				{ numRuns: 200 },
			);
		});
	}
});
