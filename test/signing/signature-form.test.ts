import { describe, expect, test } from "bun:test";
import { readRootScope } from "../../src/signing/root-scope";
import { createFormKeeper, fillForm } from "../../src/signing/signature-form";
import { fillFrame, framesFor, openSubsets, sha256Base64 } from "../../src/signing/signature-frame";

const frames = framesFor(Buffer.from("a certificate"), "xades-bes");
const digests = [sha256Base64("one"), sha256Base64("two")];
const times = ["2026-11-20T14:20:00.121Z"];

describe("a form", () => {
	test("holds what the frame says when it is filled, under every root and after another one", () => {
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

test("a root is told from the one before it, whose name it begins with", () => {
	expect(readRootScope("<ECF>").rootName).toBe("ECF");
	expect(readRootScope("<ECFS></ECFS>").rootName).toBe("ECFS");
	expect([...readRootScope('<ECFS xmlns:a="b"></ECFS>').namespaces]).toEqual([["a", "b"]]);
});
