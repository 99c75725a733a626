import { describe, expect, test } from "bun:test";
import { readRootScope } from "../../../src/ecf/signing/canonical-form";
import { createFormKeeper, createSignatureKeeper, fillForm, readForm } from "../../../src/ecf/signing/signature-form";
import { fillFrame, framesFor, openSubsets, sha256Base64 } from "../../../src/ecf/signing/signature-frame";

const frames = framesFor(Buffer.from("a certificate"), "xades-bes");
const digests = [sha256Base64("one"), sha256Base64("two")];
const times = ["2026-11-20T14:20:00.121Z"];

describe("a form", () => {
	test("equals the filled frame, under every root and after another one", () => {
		const formsOf = createFormKeeper();
		for (const root of ["<ECF>", '<SemillaModel xmlns:xsi="urn:ñ">', "<ECF>", '<a xml:lang="es">', "<RFCE>"]) {
			const tags = openSubsets(readRootScope(root));
			const { signedInfo, properties } = formsOf(frames, tags);
			expect(fillForm(signedInfo, digests).toString()).toBe(tags.signedInfo + fillFrame(frames.signedInfo, ...digests));
			if (!properties || !frames.properties) throw new Error("expected properties");
			expect(fillForm(properties, times).toString()).toBe(tags.properties + fillFrame(frames.properties, ...times));
		}
	});

	test("takes no value of another width, and not one too few", () => {
		const { signedInfo } = createFormKeeper()(frames, openSubsets(readRootScope("<ECF>")));
		expect(() => fillForm(signedInfo, ["short", digests[1] ?? ""])).toThrow("44 characters");
		expect(() => fillForm(signedInfo, digests.slice(1))).toThrow("2 values");
	});
});

describe("the form of a whole Signature", () => {
	const values = [...digests, "A".repeat(344), ...times];
	const text = fillFrame(frames.signature, ...values);

	test("equals the frame, and gives its values back from any place", () => {
		const form = createSignatureKeeper().ofValue(frames, 344);
		expect(fillForm(form, values).toString()).toBe(text);
		const around = Buffer.from(`<a>ñ${text}</a>`);
		const start = around.indexOf("<Signature");
		expect(readForm(form, around, start, start + Buffer.byteLength(text))).toEqual(values);
		expect(readForm(form, around, start + 1, start + 1 + Buffer.byteLength(text))).toBeUndefined();
	});

	test("is found by its length, for keys of one size after those of another", () => {
		const keeper = createSignatureKeeper();
		for (const width of [344, 684, 344, 1]) {
			const length = fillFrame(frames.signature, ...digests, "A".repeat(width), ...times).length;
			const form = keeper.ofBytes(frames, length);
			expect(form?.bytes).toHaveLength(length);
			expect(form).toBe(keeper.ofValue(frames, width));
		}
		expect(keeper.ofBytes(frames, text.length - 344)).toBeUndefined();
	});
});

test("a root is distinguished from the one before it, whose name it begins with", () => {
	expect(readRootScope("<ECF>").rootName).toBe("ECF");
	expect(readRootScope("<ECFS></ECFS>").rootName).toBe("ECFS");
	expect([...readRootScope('<ECFS xmlns:a="b"></ECFS>').namespaces]).toEqual([["a", "b"]]);
});
