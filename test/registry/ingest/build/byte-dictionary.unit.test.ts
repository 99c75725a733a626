import { expect, test } from "bun:test";
import fc from "fast-check";
import { createByteDictionary } from "../../../../src/registry/ingest/build/byte-dictionary";

test("equal strings get one number, different strings different ones", () => {
	const bytes = fc.oneof(fc.uint8Array({ max: 2, maxLength: 10 }), fc.uint8Array({ minLength: 250, maxLength: 600 }));
	fc.assert(
		fc.property(fc.array(bytes, { maxLength: 200 }), (strings) => {
			const dictionary = createByteDictionary();
			const numbers = new Map<string, number>();
			for (const one of strings) {
				const key = one.toHex();
				const number = dictionary.intern(one, 0, one.length);
				expect(number).toBe(numbers.get(key) ?? numbers.size);
				numbers.set(key, number);
			}
			const content = dictionary.content();
			expect(dictionary.size()).toBe(numbers.size);
			for (const [key, number] of numbers) {
				expect(content.bytes.subarray(content.starts[number], content.starts[number + 1]).toHex()).toBe(key);
			}
		}),
	);
});
