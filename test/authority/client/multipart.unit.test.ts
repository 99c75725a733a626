import { expect, test } from "bun:test";
import fc from "fast-check";
import { fileNameOf, wrapFile } from "../../../src/authority/client/wire";

test("a reader gets the same bytes out, in one part with the right name", async () => {
	await fc.assert(
		fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
			const { contentType, bytes: wrapped } = wrapFile("990000001E310000000001.xml", bytes);
			const form = await new Response(wrapped, { headers: { "content-type": contentType } }).formData();
			const file = form.get("xml");
			if (!(file instanceof File)) throw new Error("the part is no file");
			expect([...form.keys()]).toEqual(["xml"]);
			expect(file.name).toBe("990000001E310000000001.xml");
			expect(new Uint8Array(await file.arrayBuffer())).toEqual(new Uint8Array(bytes));
		}),
		{ numRuns: 100 },
	);
});

test("the file is named after issuer and number", () => {
	expect(fileNameOf("00100000009", "E320000000001")).toBe("00100000009E320000000001.xml");
});

test("a file name cannot break out of its header", () => {
	for (const name of ['a".xml', "a\r\nb.xml", "../a.xml", "", "ñ.xml", "a".repeat(61)]) {
		expect(() => wrapFile(name, new Uint8Array())).toThrow("plain file name");
	}
});
