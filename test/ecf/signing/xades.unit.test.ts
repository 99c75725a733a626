import { afterAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readSecurityCode, type SignatureProfile, signXml, verifyOwnSignature } from "../../../src/ecf/signing";
import { signToText } from "../../../src/ecf/signing/xades";
import { toCanonicalText } from "../../../src/platform/xml";
import { findJudge } from "../../support/judges";
import { verifyByReference } from "./reference";
import { anIdentity } from "./samples";

const judge = findJudge("xmlsec1");
const folder = await mkdtemp(join(tmpdir(), "sello-xades-"));
afterAll(() => rm(folder, { recursive: true }));

const signedAt = new Date("2026-11-20T14:20:00.121Z");
const DOCUMENT = "<ECF><Encabezado><Version>1.0</Version></Encabezado><FechaHoraFirma>x</FechaHoraFirma></ECF>";

async function sign(xml: string, profile: SignatureProfile = "xades-bes"): Promise<Uint8Array> {
	return signXml(xml, await anIdentity(), { profile, signedAt });
}

describe("a signature", () => {
	test("is the last child of the root, without a prefix, after the unchanged document", async () => {
		const text = new TextDecoder().decode(await sign(DOCUMENT));
		const [before, rest] = text.split("<Signature ");
		expect(before).toBe(`<?xml version="1.0" encoding="UTF-8"?>${DOCUMENT.slice(0, -"</ECF>".length)}`);
		expect(rest).toMatch(/^xmlns="http:\/\/www\.w3\.org\/2000\/09\/xmldsig#" .*<\/Signature><\/ECF>$/);
	});

	test("is at the same place in bytes and in text, for any root and document", async () => {
		const identity = await anIdentity();
		const contents = ["<a>1.00</a>", "<a>Ñandú 🧱</a>", '<a>"co" © €</a>', `<a>${"ñ".repeat(200_000)}</a>`, ""];
		for (const root of ["ECF", "SemillaAño", "漢", "é:S"]) {
			const scope = root === "é:S" ? ' xmlns:é="urn:a"' : "";
			for (const content of contents) {
				const xml = `<${root}${scope}>${content}</${root}>`;
				for (const profile of ["xades-bes", "xmldsig"] as const) {
					const bytes = signXml(xml, identity, { profile, signedAt });
					expect(new TextDecoder().decode(bytes)).toBe(signToText(xml, identity, { profile, signedAt }));
					verifyOwnSignature(bytes, identity);
				}
			}
		}
	});

	test("of the XAdES profile states time and certificate, which occurs once, in one line", async () => {
		const { certificateDer } = await anIdentity();
		const text = new TextDecoder().decode(await sign(DOCUMENT));
		expect(text).toContain("<xades:SigningTime>2026-11-20T14:20:00.121Z</xades:SigningTime>");
		const digest = new Bun.CryptoHasher("sha256").update(certificateDer).digest("base64");
		expect(text).toMatch(
			new RegExp(`<xades:SigningCertificateV2>.*<DigestValue>${RegExp.escape(digest)}</DigestValue>`),
		);
		const certificates = [...text.matchAll(/<X509Certificate>([^<]*)<\/X509Certificate>/g)];
		expect(certificates.map((match) => match[1])).toEqual([Buffer.from(certificateDer).toString("base64")]);
	});

	test("of the plain profile has one reference and no XAdES", async () => {
		const text = new TextDecoder().decode(await sign(DOCUMENT, "xmldsig"));
		expect(text.match(/<Reference /g)).toHaveLength(1);
		expect(text).not.toContain("xades");
		expect(text).not.toContain("<Object>");
	});

	test("begins with the security code", async () => {
		const bytes = await sign(DOCUMENT);
		const value = /<SignatureValue>([^<]*)</.exec(new TextDecoder().decode(bytes))?.[1] ?? "";
		expect(readSecurityCode(bytes)).toBe(value.slice(0, 6));
		expect(() => readSecurityCode(new TextEncoder().encode(DOCUMENT))).toThrow("SignatureValue");
	});

	test("is not put on what is no canonical document", async () => {
		for (const text of [
			"",
			"text",
			`<?xml version="1.0"?>${DOCUMENT}`,
			` ${DOCUMENT}`,
			`${DOCUMENT}\n`,
			"<a><b></b>",
		]) {
			await expect(sign(text)).rejects.toThrow("expected");
		}
	});
});

describe("sign, then verify", () => {
	const awkward = fc.constantFrom(
		..."abcÑñáéíóúü\"'&<>©€®]–…\u00a0\u2028\u0085\u200d\ufeffø漢字🧱𝒜\u{1F468}\u{10FFFD}",
		"\r\n",
		"\r",
		"\n",
		"\t",
		"]]>",
		"e\u0301",
		"n\u0303",
		"&amp;",
		"&#13;",
		"<!--",
		"<?p ?>",
		"<![CDATA[",
		"&quot;",
		"%0D",
		'<Signature xmlns="http://www.w3.org/2000/09/xmldsig#">',
		"</ECF>",
		"<SignatureValue>",
	);
	const text = fc.array(awkward, { maxLength: 60 }).map((parts) => parts.join(""));
	const count = 1_000;
	const documents = fc
		.tuple(text, text, fc.constantFrom<SignatureProfile>("xades-bes", "xmldsig"))
		.map(([first, second, profile]) => ({
			xml: `<ECF><a>${toCanonicalText(first)}</a><b><c>${toCanonicalText(second)}</c></b></ECF>`,
			profile,
		}));

	test("holds for random texts, by our own check and by xadesjs", async () => {
		const identity = await anIdentity();
		for (const [index, { xml, profile }] of fc.sample(documents, count).entries()) {
			const bytes = await sign(xml, profile);
			verifyOwnSignature(bytes, identity);
			if (index % 20 === 0) expect(await verifyByReference(bytes, identity.certificateDer)).toBe(true);
		}
	}, 120_000);

	test.skipIf(!judge)(
		"holds for random texts by xmlsec1",
		async () => {
			const { certificateDer } = await anIdentity();
			const files: string[] = [];
			for (const [index, { xml, profile }] of fc.sample(documents, count).entries()) {
				const file = join(folder, `${index}.xml`);
				await writeFile(file, await sign(xml, profile));
				files.push(file);
			}
			const key = join(folder, "key.pem");
			await writeFile(key, new X509Certificate(certificateDer).publicKey.export({ type: "spki", format: "pem" }));
			const verdict = await judge?.(
				"--verify",
				"--enabled-reference-uris",
				"empty,same-doc",
				"--id-attr:Id",
				"SignedProperties",
				"--pubkey-pem",
				key,
				...files,
			);
			expect(verdict).toMatchObject({ exitCode: 0 });
			expect(verdict?.output.match(/^OK$/gm)).toHaveLength(count);
		},
		120_000,
	);
});
