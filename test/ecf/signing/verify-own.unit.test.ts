import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SelfCheckError, type SignatureProfile, signXml, verifyOwnSignature } from "../../../src/ecf/signing";
import { findBrokenMarkup } from "../../../src/ecf/signing/verify-own";
import { anIdentity, anotherIdentity } from "./samples";

const signedAt = new Date("2026-11-20T14:20:00.121Z");
const DOCUMENT = `<ECF><a>Ñandú &amp; "co" © 🧱</a><b><c>1.00</c></b></ECF>`;
const identity = await anIdentity();

function sign(profile: SignatureProfile = "xades-bes"): Uint8Array {
	return signXml(DOCUMENT, identity, { profile, signedAt });
}

function changed(from: string | RegExp, to: string, profile?: SignatureProfile): Uint8Array {
	const text = new TextDecoder().decode(sign(profile));
	const other = text.replace(from, to);
	expect(other).not.toBe(text);
	return new TextEncoder().encode(other);
}

describe("our own signature", () => {
	test("is accepted as it was written, in both profiles", () => {
		verifyOwnSignature(sign("xades-bes"), identity);
		verifyOwnSignature(sign("xmldsig"), identity);
	});

	test("is refused with another certificate", async () => {
		const other = await anotherIdentity();
		expect(() => verifyOwnSignature(sign(), other)).toThrow(SelfCheckError);
	});

	test("is refused when the key is not the certificate's", async () => {
		const { rsa } = await anotherIdentity();
		const bytes = signXml(DOCUMENT, { ...identity, rsa }, { profile: "xades-bes", signedAt });
		expect(() => verifyOwnSignature(bytes, identity)).toThrow("the certificate's key does not fit");
	});

	for (const profile of ["xades-bes", "xmldsig"] as const) {
		test(`in ${profile} is refused with any one byte changed`, () => {
			const bytes = sign(profile);
			const declaration = '<?xml version="1.0" encoding="UTF-8"?>'.length;
			fc.assert(
				fc.property(
					fc.integer({ min: declaration, max: bytes.length - 1 }),
					fc.integer({ min: 1, max: 255 }),
					(at, by) => {
						const other = Uint8Array.from(bytes);
						other[at] = (other[at] ?? 0) ^ by;
						expect(() => verifyOwnSignature(other, identity)).toThrow(SelfCheckError);
					},
				),
				{ numRuns: 2_000 },
			);
		});
	}

	const CHANGES: Readonly<Record<string, readonly [string | RegExp, string]>> = {
		"an amount": ["1.00", "9.00"],
		"white space between elements": ["<b>", "\n<b>"],
		"a raw carriage return": ["<c>", "<c>\r"],
		"a comment": ["<b>", "<!-- --><b>"],
		"an instruction": ["<c>1", "<c>1<?p ?>"],
		"a CDATA section": ["<c>1.00", "<c><![CDATA[1.00]]>"],
		"an undeclared reference": ["&amp;", "&nbsp;"],
		"another spelling of a character": ["&amp;", "&#38;"],
		"an empty-element tag": ["<c>1.00</c>", "<c/>"],
		"a raw end of CDATA": ["&amp;", "]]>"],
		"tags that cross": ["<b><c>1.00</c></b>", "<b><c>1.00</b></c>"],
		"something after the root": [/$/, "<x></x>"],
		"two signatures": ["<b>", `<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"></Signature><b>`],
		"another signing time": ["2026-11-20T14:20:00.121Z", "2026-11-21T14:20:00.121Z"],
		"no properties": [/<Object>.*<\/Object>/, ""],
		"a weaker digest": ["http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1"],
		"a line break in the certificate": ["<X509Certificate>", "<X509Certificate>\n"],
		"another document type": [/^/, "<!DOCTYPE ECF>"],
	};
	for (const [what, [from, to]] of Object.entries(CHANGES)) {
		test(`is refused with ${what}`, () => {
			expect(() => verifyOwnSignature(changed(from, to), identity)).toThrow(SelfCheckError);
		});
	}

	test("is refused without a Signature, cut short, or not in UTF-8", () => {
		const bytes = sign();
		const cases = [
			new TextEncoder().encode(DOCUMENT),
			bytes.subarray(0, bytes.length - 1),
			bytes.subarray(0, bytes.length / 2),
			new Uint8Array(0),
			Buffer.from(new TextDecoder().decode(bytes), "latin1"),
		];
		for (const other of cases) expect(() => verifyOwnSignature(other, identity)).toThrow(SelfCheckError);
	});
});

describe("broken markup", () => {
	const find = (text: string) => findBrokenMarkup(new TextEncoder().encode(text));

	test("is not found in well-formed documents", () => {
		for (const text of ["<a></a>", '<a b="c"><d>x\ty\nz</d><d></d></a>', "<ñ>1</ñ>"])
			expect(find(text)).toBeUndefined();
	});

	test("is found where a parser would stop or read something else", () => {
		const texts = [
			"",
			"x",
			"<a>",
			"</a>",
			"<a></b>",
			"<a></ab>",
			"<ab></a>",
			"<a/>",
			"<a>></a>",
			"<a></a>x",
			"x<a></a>",
		];
		texts.push(
			"<a></a><b></b>",
			"<a>\u0001</a>",
			"<a>\r</a>",
			"<1></1>",
			"<a<b></b></a>",
			"<a><!--x--></a>",
			"< a></a>",
		);
		for (const text of texts) expect([text, find(text)]).toEqual([text, expect.any(String)]);
	});
});
