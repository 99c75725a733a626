import { expect, test } from "bun:test";
import fc from "fast-check";
import { type AsText, pack, unpack } from "../../../src/platform/worker-pool/protocol";

const anyText = fc.string({ unit: "binary", maxLength: 40 });
const aValue: fc.Arbitrary<AsText> = fc.record({ head: fc.jsonValue(), texts: fc.array(anyText, { maxLength: 4 }) });

test("values written as text are read back in their order, whatever their texts hold", () => {
	fc.assert(
		fc.property(fc.array(aValue, { maxLength: 8 }), (written) => {
			const values = written.map((value, i) => ({ id: i * 7, value }));
			const packed = pack(values, (value) => value);
			const read = unpack<AsText>(packed ?? { head: "[]", text: "" }, (value) => value);
			expect(read).toEqual(JSON.parse(JSON.stringify(values)));
		}),
	);
});

test("one value that cannot be written keeps all of them as they are", () => {
	const values = [1, 2, 3].map((value) => ({ id: value, value }));
	expect(pack(values, (value) => (value === 2 ? undefined : { head: value, texts: [] }))).toBeUndefined();
});
