import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	canonicalizeReceived,
	ReceivedXmlError,
	type SignatureProfile,
	signReceivedXml,
} from "../../../src/ecf/signing";
import { findJudge } from "../../support/judges";
import { verifyByReference } from "./reference";
import { anIdentity } from "./samples";

const verify = findJudge("verify-signature");
const validate = findJudge("validate-ecf");
const folder = await mkdtemp(join(tmpdir(), "sello-received-"));
afterAll(() => rm(folder, { recursive: true }));

const signedAt = new Date("2026-11-20T14:20:00.121Z");
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const XSD = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
const BODY = "<valor>9d2f+/=ñ</valor><fecha>2026-11-20T10:19:31.3551245-04:00</fecha>";
const CANONICAL = `<SemillaModel ${XSD} ${XSI}>${BODY}</SemillaModel>`;

/** The same seed as different programs would write it. */
const SPELLINGS: Readonly<Record<string, string>> = {
	"the authority's": `<?xml version="1.0" encoding="utf-8"?>\r\n<SemillaModel ${XSI} ${XSD}>\r\n  ${BODY.replace("><f", ">\r\n  <f")}\r\n</SemillaModel>\r\n`,
	"one with a byte-order mark and comments": `\uFEFF<!-- seed --><SemillaModel ${XSD} ${XSI}><!-- x -->${BODY}<!-- y --></SemillaModel>`,
	"one with single quotation marks and references": `<SemillaModel ${XSD} ${XSI}>${BODY}</SemillaModel>`
		.replaceAll('"', "'")
		.replace("ñ", "&#xF1;"),
	"one with CDATA": CANONICAL.replace("9d2f+/=ñ", "<![CDATA[9d2f+/=ñ]]>"),
	"one that repeats a declaration": CANONICAL.replace("<valor>", `<valor ${XSI}>`),
};

describe("a received document", () => {
	for (const [name, text] of Object.entries(SPELLINGS)) {
		test(`spelt as ${name} has one canonical form`, () => {
			expect(canonicalizeReceived(text)).toBe(CANONICAL);
		});
	}

	test("keeps sorted attributes, default namespaces, and white space in texts", () => {
		const text = `<r xmlns="urn:r" z="1" a="&quot;&lt;>&#10;" xml:lang="es"><e xmlns=""/><t> a  b </t><n xmlns:b="urn:b" b:x="1" y="2"/></r>`;
		expect(canonicalizeReceived(text)).toBe(
			`<r xmlns="urn:r" a="&quot;&lt;>&#xA;" z="1" xml:lang="es"><e xmlns=""></e><t> a  b </t><n xmlns:b="urn:b" y="2" b:x="1"></n></r>`,
		);
	});

	test("keeps U+0085 and U+2028, which are no line breaks in XML 1.0", () => {
		expect(canonicalizeReceived("<a>1\u00852\u20283\r4</a>")).toBe("<a>1\u00852\u20283\n4</a>");
	});

	for (const [what, text] of Object.entries({
		"no XML": "hello",
		nothing: "",
		"two roots": "<a></a><b></b>",
		"an open element": "<a><b></a>",
		"a document type": '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
		"a processing instruction": "<a><?p x?></a>",
		"more than 64 KiB": `<a>${"x".repeat(65_536)}</a>`,
		"a hundred levels": `${"<a>".repeat(100)}${"</a>".repeat(100)}`,
	})) {
		test(`that is ${what} is refused`, async () => {
			const identity = await anIdentity();
			expect(() => signReceivedXml(text, identity, { profile: "xmldsig", signedAt })).toThrow(ReceivedXmlError);
		});
	}
});

describe("a signed seed", () => {
	// Quirk: xadesjs does not import `xml:` attributes of ancestors into SignedInfo, so this one is for xmlsec1 alone.
	const withLanguage = CANONICAL.replace(XSD, `${XSD} xml:lang="es"`);
	for (const profile of ["xmldsig", "xades-bes"] as const satisfies readonly SignatureProfile[]) {
		test(`verifies in ${profile} although its root declares namespaces`, async () => {
			const identity = await anIdentity();
			for (const text of Object.values(SPELLINGS)) {
				const bytes = signReceivedXml(text, identity, { profile, signedAt });
				expect(await verifyByReference(bytes, identity.certificateDer)).toBe(true);
			}
		}, 120_000);

		test.skipIf(!verify || !validate)(
			`in ${profile} holds for xmlsec1 and for the authority's schema`,
			async () => {
				const identity = await anIdentity();
				const files: string[] = [];
				for (const [index, text] of [...Object.values(SPELLINGS), withLanguage].entries()) {
					const file = join(folder, `${index}.${profile}.xml`);
					await writeFile(file, signReceivedXml(text, identity, { profile, signedAt }));
					files.push(file);
				}
				expect(await verify?.(...files)).toMatchObject({ exitCode: 0 });
				const [first = ""] = files;
				expect(await validate?.(first)).toMatchObject({ exitCode: 0 });
			},
			120_000,
		);
	}
});
