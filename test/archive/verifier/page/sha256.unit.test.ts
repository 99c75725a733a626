import { expect, test } from "bun:test";
import * as native from "node:crypto";
import fc from "fast-check";
import { createHash } from "../../../../src/archive/verifier/page/sha256";

test("the page's SHA-256 is right at every length around the end of a block", () => {
	for (let length = 0; length < 260; length++) {
		const bytes = new Uint8Array(length).fill(length);
		expect(createHash("sha256").update(bytes).digest("hex")).toBe(
			native.createHash("sha256").update(bytes).digest("hex"),
		);
	}
	fc.assert(
		fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 4 }), fc.string(), (parts, text) => {
			const [own, other] = [createHash("sha256"), native.createHash("sha256")];
			for (const part of [...parts, text]) {
				own.update(part);
				other.update(part);
			}
			expect(own.digest("base64")).toBe(other.digest("base64"));
		}),
	);
	expect(() => createHash("sha1")).toThrow("expected sha256");
});
