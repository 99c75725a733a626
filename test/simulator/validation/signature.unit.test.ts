import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openStore } from "../../../src/simulator/store";
import { type ReadDocument, readDocument } from "../../../src/simulator/validation/read-document";
import { verifySignature } from "../../../src/simulator/validation/signature";
import { type Authority, sharedIdentity, startAuthority } from "../support/authority";
import { ecf } from "../support/documents";
import { makeIdentity, type Profile, sign } from "../support/signer";

const store = openStore(":memory:");
afterAll(() => store.close());

const verify = async (signed: string) => {
	const document = readDocument(new TextEncoder().encode(signed));
	return typeof document === "string" ? document : verifySignature(document, store.certificates, new Date());
};
const signed = async (profile: Profile, xml = ecf()) => sign(xml, await sharedIdentity(), profile);

const PROFILES: Profile[] = ["xmldsig", "xades-bes"];

describe.each(PROFILES)("a %s signature", (profile) => {
	test("holds, and its certificate is remembered", async () => {
		const identity = await makeIdentity();
		expect(store.certificates.find(identity.thumbprint)).toBeNull();
		expect(await verify(await sign(ecf(), identity, profile))).toMatchObject({
			certificate: { thumbprint: identity.thumbprint, holder: "00100000009" },
		});
		expect(store.certificates.find(identity.thumbprint)).toMatchObject({ thumbprint: identity.thumbprint });
		expect(await verify(await sign(ecf(), identity, profile))).toMatchObject({ certificate: expect.anything() });
	});

	test("holds over every kind of text", async () => {
		const name = "Ñandú «é» 𝒳 &amp; &lt;a&gt; &quot;b&quot; &#13;&#10;&#9; &#169; e\u0301";
		const xml = ecf().replace("EMISORA SRL", name);
		const document = (await signed(profile, xml)).replaceAll("©", "&#169;").replaceAll("\r", "&#13;");
		expect(await verify(document)).toMatchObject({ signatureValue: expect.any(String) });
	});

	test("does not hold once anything is changed", async () => {
		const document = await signed(profile);
		const changes: [string, string][] = [
			["<MontoTotal>118.00", "<MontoTotal>918.00"],
			["</ECF>", "<Extra>1</Extra></ECF>"],
			["<RNCComprador>990000026</RNCComprador>", ""],
			["<ds:SignatureValue>", "<ds:SignatureValue>AAAA"],
			["<ds:DigestValue>", "<ds:DigestValue>AAAA"],
			["EMISORA SRL", "EMISORA  SRL"],
		];
		for (const [from, to] of changes) {
			expect(document).toContain(from);
			expect(await verify(document.replace(from, to))).toBeString();
		}
	});

	test("does not hold under another certificate", async () => {
		const other = await makeIdentity();
		const document = await signed(profile);
		const swapped = document.replaceAll((await sharedIdentity()).certificate, other.certificate);
		expect(await verify(swapped)).toBeString();
		expect(store.certificates.find(other.thumbprint)).toBeNull();
	});

	test("does not hold when its certificate has expired or has a short key", async () => {
		const expired = await makeIdentity({ notAfter: new Date(Date.now() - 60_000) });
		expect(await verify(await sign(ecf(), expired, profile))).toBe("El certificado de la firma no está vigente.");
		const short = await makeIdentity({ keyBits: 1024 });
		expect(await verify(await sign(ecf(), short, profile))).toContain("RSA de 2048 bits");
	});

	test("that survives a change of bytes leaves everything that is read as it was", async () => {
		const document = await signed(profile);
		const read = (text: string) => readDocument(new TextEncoder().encode(text));
		const original = (read(document) as ReadDocument).root;
		const place = fc.integer({ min: 0, max: document.length - 1 });
		await fc.assert(
			fc.asyncProperty(
				place,
				fc.nat(20),
				place,
				fc.nat(20),
				fc.string({ maxLength: 3 }),
				async (at, cut, from, take, more) => {
					const changed = document.slice(0, at) + document.slice(from, from + take) + more + document.slice(at + cut);
					const reread = read(changed);
					if (typeof reread === "string") return;
					const outcome = await verifySignature(reread, store.certificates, new Date());
					if (typeof outcome !== "string") expect(reread.root).toEqual(original);
				},
			),
			{ numRuns: 300 },
		);
	});

	test("does not hold over a document with its indentation", async () => {
		const indented = await signed(profile, ecf().replaceAll("><", ">\n<"));
		expect(await verify(indented)).toBe("La firma digital del documento no es válida.");
	});

	test("holds although line breaks were added between elements after signing", async () => {
		const document = await signed(profile);
		expect(await verify(document.replace("<Encabezado>", "\n<Encabezado>\n"))).toMatchObject({
			certificate: expect.anything(),
		});
	});
});

describe("a signature of another shape is refused:", () => {
	const refusals: [string, (document: string) => string, string][] = [
		["none", (d) => d.replace(/<ds:Signature .*<\/ds:Signature>/, ""), "no está firmado"],
		[
			"two",
			(d) => d.replace(/(<ds:Signature .*<\/ds:Signature>)/, (all) => all.replace(/ Id="[^"]*"/, "") + all),
			"más de una firma",
		],
		[
			"one inside another element",
			(d) => {
				const signature = /<ds:Signature .*<\/ds:Signature>/.exec(d)?.[0] ?? "";
				return d.replace(signature, "").replace("</Encabezado>", `${signature}</Encabezado>`);
			},
			"no es el último",
		],
		["one that is not last", (d) => d.replace("</ECF>", "<Mas>1</Mas></ECF>"), "no es el último"],
		["a weak digest", (d) => d.replace("xmlenc#sha256", "xmldsig#sha1"), "referencia al documento"],
		["a weak method", (d) => d.replace("xmldsig-more#rsa-sha256", "xmldsig-more#hmac-sha256"), "algoritmo"],
		[
			"another canonicalisation",
			(d) => d.replace("REC-xml-c14n-20010315", "REC-xml-c14n-20010315#WithComments"),
			"canonicalización",
		],
		["no enveloped transform", (d) => d.replace(/<ds:Transforms>.*?<\/ds:Transforms>/, ""), "referencia al documento"],
		["a reference elsewhere", (d) => d.replace('URI=""', 'URI="file:///etc/passwd"'), "referencia al documento"],
		[
			"no certificate",
			(d) => d.replace(/<ds:X509Certificate>.*?<\/ds:X509Certificate>/, ""),
			"un solo X509Certificate",
		],
		[
			"a key instead of a certificate",
			(d) =>
				d.replace(/<ds:X509Data>.*?<\/ds:X509Data>/, "<ds:KeyValue><ds:RSAKeyValue>1</ds:RSAKeyValue></ds:KeyValue>"),
			"un solo X509Certificate",
		],
		[
			"two certificates",
			(d) => d.replace(/(<ds:X509Certificate>.*?<\/ds:X509Certificate>)/, "$1$1"),
			"un solo X509Certificate",
		],
		[
			"a key beside the certificate",
			(d) => d.replace("</ds:X509Data>", "</ds:X509Data><ds:KeyName>k</ds:KeyName>"),
			"un solo X509Certificate",
		],
		[
			"no readable certificate",
			(d) => d.replace(/<ds:X509Certificate>.{40}/, "<ds:X509Certificate>"),
			"no se puede leer",
		],
	];
	test.each(refusals)("%s", async (_name, change, reason) => {
		for (const profile of PROFILES) {
			const document = await signed(profile);
			const changed = change(document);
			expect(changed).not.toBe(document);
			expect(await verify(changed)).toContain(reason);
		}
	});

	test("an object in a plain signature", async () => {
		const document = await signed("xmldsig");
		const smuggled = `<ds:Object>${ecf({ price: "1.00" }).replace(/^<\?xml[^>]*>/, "")}</ds:Object></ds:Signature>`;
		expect(await verify(document.replace("</ds:Signature>", smuggled))).toContain("objeto inesperado");
	});

	const xadesRefusals: [string, (document: string) => string][] = [
		["a second object", (d) => d.replace("</ds:Object>", "</ds:Object><ds:Object>x</ds:Object>")],
		[
			"something beside the properties",
			(d) => d.replace("</xades:QualifyingProperties>", "</xades:QualifyingProperties><x>1</x>"),
		],
		["properties of another signature", (d) => d.replace('Target="#', 'Target="#other')],
		["unsigned properties", (d) => d.replace(/<ds:Reference URI="#.*?<\/ds:Reference>/, "")],
		["an untyped reference", (d) => d.replace(/ Type="[^"]*SignedProperties"/, "")],
		[
			"no signing certificate among its properties",
			(d) => d.replace(/<xades:SigningCertificateV2>.*<\/xades:SigningCertificateV2>/, ""),
		],
		[
			"a repeated identifier",
			(d) => d.replace("<Encabezado>", `<Encabezado Id="${/xades-id-[0-9a-f]+/.exec(d)?.[0]}">`),
		],
		["another signing time", (d) => d.replace(/<xades:SigningTime>..../, "<xades:SigningTime>1999")],
		[
			"unsigned properties",
			(d) =>
				d.replace(
					"</xades:SignedProperties>",
					"</xades:SignedProperties><xades:UnsignedProperties>x</xades:UnsignedProperties>",
				),
		],
	];
	test.each(xadesRefusals)("%s", async (_name, change) => {
		const document = await signed("xades-bes");
		const changed = change(document);
		expect(changed).not.toBe(document);
		expect(await verify(changed)).toBeString();
	});

	test("a XAdES signature that states another certificate than it carries", async () => {
		const other = await makeIdentity();
		const { certificate, key, thumbprint } = await sharedIdentity();
		const honest = await sign(ecf(), { certificate: other.certificate, key, thumbprint }, "xades-bes");
		const carried = honest.replace(`>${other.certificate}<`, `>${certificate}<`);
		expect(await verify(carried)).toBe("El certificado firmado no es el que acompaña la firma.");
	});
});

describe("over HTTP", () => {
	let authority: Authority;
	beforeAll(async () => {
		authority = await startAuthority();
	});
	afterAll(() => authority.stop());

	test.each(PROFILES)("a %s document is accepted; a tampered one is rejected and frees its number", async (profile) => {
		const encf = profile === "xmldsig" ? "E310000000001" : "E310000000002";
		const document = await signed(profile, ecf({ encf }));
		const tampered = document.replace("<MontoTotal>118.00", "<MontoTotal>118.01");
		const rejected = await authority.result(await authority.trackIdOf(tampered));
		expect(rejected).toMatchObject({ codigo: "2", secuenciaUtilizada: false });
		expect(await authority.result(await authority.trackIdOf(document))).toMatchObject({ codigo: "1" });
	});

	test("a certificate without delegation uses no number, and passes with it", async () => {
		const identity = await makeIdentity();
		await authority.delegate({ thumbprint: identity.thumbprint, rnc: "990000001", delegated: false });
		const document = await sign(ecf({ encf: "E310000000003" }), identity);
		const rejected = await authority.result(await authority.trackIdOf(document));
		expect(rejected).toMatchObject({ codigo: "2", secuenciaUtilizada: false });
		expect(rejected.mensajes[0]?.valor).toContain("no está delegado");
		await authority.delegate({ thumbprint: identity.thumbprint, rnc: "990000001", delegated: true });
		expect(await authority.result(await authority.trackIdOf(document))).toMatchObject({ codigo: "1" });
	});

	test("an issuer may have no delegate at all", async () => {
		expect((await authority.delegate({ delegated: false })).status).toBe(400);
		expect((await authority.delegate({ rnc: "990000052", delegated: false })).status).toBe(204);
		const trackId = await authority.submit(ecf({ encf: "E310000000004", issuer: "990000052" }));
		expect(await authority.result(trackId)).toMatchObject({ codigo: "2", secuenciaUtilizada: false });
		const seen = await (await authority.call("/_simulator/certificates")).text();
		expect(seen).toContain((await sharedIdentity()).thumbprint);
	});
});
