/** What must not get into a company's records: hostile documents, requests, tokens and seeds, against a receiver that trusts one authority. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certifyPerson, type Identity, identities } from "../../../scripts/attacks/identities";
import { plainSignature, RSA_SHA256, SHA256, seal, xadesSignature } from "../../../scripts/attacks/seal";
import { makeBundle } from "../../../scripts/generate-attacks";
import {
	contentOf,
	getPeerToken,
	motiveOf,
	nextEncf,
	type PeerDocument,
	type Sending,
	sendToReceiver,
	signedEcf,
	signedSeed,
	TOKEN,
} from "../../support/peer";
import { createTenant, openServiceIn, type Tenant, type TestService } from "../../support/service";

const TIMEOUT_MS = 240_000;

let service: TestService & { stop: () => Promise<void> };
let tenant: Tenant;
let token: string;
const bundle = join(tmpdir(), `sello-bundle-${crypto.randomUUID()}.pem`);

beforeAll(async () => {
	writeFileSync(bundle, makeBundle());
	service = await openServiceIn("sandbox", { TRUSTED_CA_FILE: bundle });
	tenant = await createTenant(service);
	token = await getPeerToken(service.url);
}, TIMEOUT_MS);
afterAll(async () => {
	await service.stop();
	await Bun.file(bundle).delete();
});

const nameless = await certifyPerson("00100000021", "EVA\u0000PRUEBA");
const numberless = await certifyPerson("001\u000000021");

/** 1 to 4: an acknowledgement with that motive; above: the HTTP status. */
type Hostile = readonly [name: string, expected: number, xml: string | Uint8Array, sending?: Sending];

function hostileDocuments(): Hostile[] {
	const buyerRnc = tenant.rnc;
	const good = (over: Partial<PeerDocument> = {}) => signedEcf({ buyerRnc, ...over });
	const before = (edit: (content: string) => string, over: Partial<PeerDocument> = {}) => good({ edit, ...over });
	const replaced = (from: string | RegExp, to: string) => (text: string) => {
		const after = text.replace(from, () => to);
		if (after === text) throw new Error(`nothing to change: ${from}`);
		return after;
	};
	const after = (from: string | RegExp, to: string, over: Partial<PeerDocument> = {}) => replaced(from, to)(good(over));
	const by = (identity: Identity) => good({ identity });
	/** Changed before it is sealed, including parts of the signature. */
	const sealed = (
		from: string | RegExp,
		to: string,
		identity = identities.good,
		signature = "sha256",
		digest = "sha256",
	) =>
		seal(replaced(from, to)(`<ECF>${contentOf({ buyerRnc })}${plainSignature(identity)}</ECF>`), {
			identity,
			signature,
			digest,
		});
	const signatureOf = (xml: string) => /<Signature .*<\/Signature>/s.exec(xml)?.[0] ?? "";
	const forgedContent = () => contentOf({ buyerRnc }).replaceAll("1180.00", "9999999.00");
	const original = good();
	const laughs = `<!DOCTYPE l [<!ENTITY a "ja">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${"bcdefghij"[i]} "${`&${"abcdefghi"[i]};`.repeat(10)}">`).join("")}]>`;
	const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(good(), "utf16le")]);
	const badByte = Buffer.from(good().replace("PROVEEDOR", "PROVEEDO\u0001"), "latin1");
	const [received] = known;

	return [
		[
			"an entity that reads a file",
			400,
			`<!DOCTYPE ECF [<!ENTITY x SYSTEM "file:///etc/passwd">]>${good().replace("Cemento", "&x;")}`,
		],
		["an entity from the network", 400, `<!DOCTYPE ECF SYSTEM "http://127.0.0.1:1/evil.dtd">${good()}`],
		["a billion laughs", 400, laughs + good().replace("Cemento", "&j;")],
		["a parameter entity", 400, `<!DOCTYPE ECF [<!ENTITY % p SYSTEM "file:///etc/hostname">%p;]>${good()}`],
		["an undeclared entity", 400, good().replace("Cemento", "&xxe;")],
		["a processing instruction", 400, good().replace("<Encabezado>", "<?php echo 1 ?><Encabezado>")],
		["more bytes than any document has", 413, good().replace("Cemento", "C".repeat(5 * 1024 * 1024))],
		[
			"more elements than any document has",
			400,
			good().replace("<Encabezado>", `${"<x/>".repeat(70_000)}<Encabezado>`),
		],
		[
			"a depth without end",
			400,
			good().replace("<Encabezado>", `${"<x>".repeat(20_000)}${"</x>".repeat(20_000)}<Encabezado>`),
		],
		[
			"a flood of attributes",
			400,
			good().replace("<ECF>", `<ECF ${Array.from({ length: 5_000 }, (_, i) => `a${i}=""`).join(" ")}>`),
		],
		["two roots", 400, good() + good()],
		["a text behind the root", 400, `${good()}<!-- --> tail`],
		["an end that never comes", 400, good().slice(0, -6)],
		["UTF-16", 400, utf16],
		["another encoding by its declaration", 400, `<?xml version="1.0" encoding="ISO-8859-1"?>${good()}`],
		["bytes of another encoding", 400, badByte],
		["a zero byte", 400, good().replace("Cemento", "Cem\u0000ento")],
		["a zero by reference", 400, good().replace("Cemento", "Cem&#0;ento")],
		["XML 1.1", 400, `<?xml version="1.1"?>${good()}`],
		["an attribute twice", 400, good().replace("<Encabezado>", '<Encabezado a="1" a="2">')],
		["an undeclared prefix", 400, good().replace("<Encabezado>", "<e:x/><Encabezado>")],
		["nothing", 400, ""],
		["JSON", 400, '{"ECF":{}}'],
		["a page", 400, "<html><body>hello</body></html>"],

		["no signature", 2, `<ECF>${contentOf({ buyerRnc })}</ECF>`],
		["an amount changed after signing", 2, after("<MontoTotal>1180.00", "<MontoTotal>9180.00")],
		["an issuer changed after signing", 2, after("<RNCEmisor>101010101", "<RNCEmisor>101010102")],
		["one letter more", 2, after("Cemento", "Cementos")],
		["white space in a text after signing", 2, after("</TipoeCF><", " </TipoeCF>\n<")],
		["another digest", 2, after(/<DigestValue>.{4}/, "<DigestValue>AAAA")],
		["another value", 2, after(/<SignatureValue>.{4}/, "<SignatureValue>AAAA")],
		["a value that is no base64", 2, after(/<SignatureValue>.{4}/, "<SignatureValue>!!!!")],
		[
			"a signature taken from another document",
			2,
			good().replace(/<Signature .*<\/Signature>/s, signatureOf(original)),
		],
		[
			"a forgery with the signed document inside its signature",
			2,
			`<ECF>${forgedContent()}${signatureOf(original).replace("</Signature>", `<Object>${original}</Object></Signature>`)}</ECF>`,
		],
		[
			"a forgery with the signed document beside it",
			2,
			`<ECF>${forgedContent()}${original}${signatureOf(original)}</ECF>`,
		],
		["a forgery before the signed document", 400, `<ECF>${forgedContent()}${original.slice("<ECF>".length)}`],
		[
			"a forgery that the signature names by its Id",
			2,
			`<ECF>${forgedContent()}${signatureOf(original).replace('URI=""', 'URI="#o"').replace("</Signature>", `<Object Id="o">${original}</Object></Signature>`)}</ECF>`,
		],
		[
			"a signature before what it signs",
			2,
			original.replace(signatureOf(original), "").replace("<ECF>", `<ECF>${signatureOf(original)}`),
		],
		[
			"a signature deep inside",
			2,
			original.replace(signatureOf(original), "").replace("</Encabezado>", `${signatureOf(original)}</Encabezado>`),
		],
		["two signatures", 2, original.replace("</ECF>", `${signatureOf(original)}</ECF>`)],
		["a comment in an amount, signed", 400, good().replace("<MontoTotal>1180.00", "<MontoTotal>11<!-- -->80.00")],
		[
			"a transform that filters",
			2,
			sealed(
				"</Transforms>",
				'<Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><XPath>not(self::Totales)</XPath></Transform></Transforms>',
			),
		],
		[
			"a transform that computes",
			2,
			sealed(
				"</Transforms>",
				'<Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"></Transform></Transforms>',
			),
		],
		[
			"SHA-1 in the signature",
			2,
			sealed(RSA_SHA256, "http://www.w3.org/2000/09/xmldsig#rsa-sha1", identities.good, "sha1"),
		],
		[
			"SHA-1 in the digest",
			2,
			sealed(SHA256, "http://www.w3.org/2000/09/xmldsig#sha1", identities.good, "sha256", "sha1"),
		],
		[
			"a keyed digest instead of a signature",
			2,
			sealed(RSA_SHA256, "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"),
		],
		["a reference to the network", 2, sealed('URI=""', 'URI="http://127.0.0.1:1/"')],
		[
			"a bare key instead of a certificate",
			2,
			sealed(
				/<X509Data>.*<\/X509Data>/s,
				"<KeyValue><RSAKeyValue><Modulus>AQAB</Modulus><Exponent>AQAB</Exponent></RSAKeyValue></KeyValue>",
			),
		],
		[
			"a certificate that is none",
			2,
			sealed(/<X509Certificate>.*<\/X509Certificate>/s, "<X509Certificate>AAAA</X509Certificate>"),
		],

		["another holder's certificate with another key", 2, by(identities.stolenCertificate)],
		["a certificate that its holder made himself", 2, by(identities.selfMade)],
		["an issuer who calls himself like the authority", 2, by(identities.namesake)],
		["a certificate of another authority", 2, by(identities.otherAuthority)],
		["a certificate that has ended", 2, by(identities.expired)],
		["a certificate that has not begun", 2, by(identities.notYetValid)],
		["a weak key", 2, by(identities.weak)],
		["a certificate that may not sign", 2, by(identities.encryptsOnly)],
		["a certificate whose holder's name has a zero byte", 2, by(nameless)],
		["a certificate whose holder's number has a zero byte", 2, by(numberless)],
		[
			"a signing time of the future",
			2,
			seal(
				`<ECF>${contentOf({ buyerRnc })}${xadesSignature(identities.good).replace("2026-11-20T", "2046-11-20T")}</ECF>`,
				{ identity: identities.good },
			),
		],

		["an unknown buyer", 4, good({ buyerRnc: "999999999" })],
		...["32", "41", "43", "45", "46", "47"].map((type): Hostile => [`a document of type ${type}`, 1, good({ type })]),
		["a type that its number does not say", 1, before(replaced("<TipoeCF>31", "<TipoeCF>33"))],
		["an element that is missing", 1, before(replaced("<TipoPago>1</TipoPago>", ""))],
		["an unknown element", 1, before(replaced("<TipoPago>", "<Regalo>1</Regalo><TipoPago>"))],
		["an element that is empty", 1, before(replaced("Cemento", ""))],
		["a day that no calendar has", 1, before(replaced(/<FechaEmision>[^<]*/, "<FechaEmision>31-02-2026"))],
		["an amount below zero", 1, before(replaced("<MontoTotal>1180.00", "<MontoTotal>-1180.00"))],
		["a name longer than the format's", 1, before(replaced("Cemento", "C".repeat(81)))],
		[
			"elements of another namespace",
			1,
			before(replaced("<TipoPago>1</TipoPago>", '<TipoPago xmlns="urn:x">1</TipoPago>')),
		],
		["two buyers", 400, before(replaced("<RNCComprador>", "<RNCComprador>131880681</RNCComprador><RNCComprador>"))],
		["a number that leads out of a folder", 400, before(replaced(/<eNCF>[^<]*/, "<eNCF>../../../etc"))],
		["a summary in an invoice's place", 400, good().replace("<ECF>", "<RFCE>").replace("</ECF>", "</RFCE>")],
		[
			"another document under a number that is known",
			3,
			good({ encf: /<eNCF>(.*?)</.exec(received ?? "")?.[1] ?? "", orderNumber: "OC-2" }),
		],
	];
}

/** Errors around a genuine document. */
function hostileRequests(others: Readonly<Record<string, string>>): Hostile[] {
	const xml = () => signedEcf({ buyerRnc: tenant.rnc });
	const part = 'Content-Disposition: form-data; name="xml"\r\n\r\n';
	const type = "multipart/form-data; boundary=b";
	return [
		["a body that is cut off", 400, "", { body: `--b\r\n${part}${xml()}`, contentType: type }],
		[
			"another boundary",
			400,
			"",
			{ body: `--b\r\n${part}${xml()}\r\n--b--\r\n`, contentType: "multipart/form-data; boundary=c" },
		],
		["no part", 400, "", { body: "--b--\r\n", contentType: type }],
		[
			"two parts",
			400,
			"",
			{ body: `--b\r\n${part}${xml()}\r\n--b\r\n${part}${xml()}\r\n--b--\r\n`, contentType: type },
		],
		[
			"a part of another name",
			400,
			xml(),
			{ headers: 'Content-Disposition: form-data; name="file"; filename="../../xml"' },
		],
		["a body that is no multipart", 415, "", { body: xml(), contentType: "text/xml" }],
		["no token", 401, xml(), { token: undefined }],
		["a word for a token", 401, xml(), { token: "T" }],
		["a tenant's access token", 401, xml(), { token: tenant.token }],
		[
			"a token without a signature",
			401,
			xml(),
			{ token: `${Buffer.from('{"alg":"none","typ":"peer+jwt"}').toString("base64url")}.${token.split(".")[1]}.` },
		],
		["a token that was changed", 401, xml(), { token: `${token.slice(0, -6)}AAAAAA` }],
		["a token of another holder", 401, xml(), { token: others.otherHolder }],
	];
}

let known: string[] = [];

test(
	"none of them is received or stored, and the service continues",
	async () => {
		const genuine = signedEcf({ buyerRnc: tenant.rnc });
		expect(motiveOf(await (await sendToReceiver(service.url, genuine, { token })).text())).toBe(0);
		known = [genuine];
		const stored = await countRows();
		const otherHolder = await getPeerToken(service.url, identities.otherGood);
		const hostile = [...hostileDocuments(), ...hostileRequests({ otherHolder })];
		expect(hostile.length).toBeGreaterThanOrEqual(60);
		const found: unknown[] = [];
		for (const [name, , xml, sending] of hostile) {
			const answer = await sendToReceiver(service.url, xml, { token, ...sending });
			const text = await answer.text();
			found.push([name, answer.status === 200 ? motiveOf(text) : answer.status]);
		}
		expect(found).toEqual(hostile.map(([name, expected]) => [name, expected]));
		expect(await countRows()).toEqual(stored);

		// The next genuine document is received, and its bytes get the same answer again.
		const [again, first] = [await sendToReceiver(service.url, genuine, { token }), await arecfOf(genuine)];
		expect(await again.text()).toBe(first);
		const next = await sendToReceiver(service.url, signedEcf({ buyerRnc: tenant.rnc, encf: nextEncf() }), { token });
		expect(motiveOf(await next.text())).toBe(0);
	},
	TIMEOUT_MS,
);

test(
	"a seed works once, if it was issued here, is complete and has a trusted signer",
	async () => {
		const ask = async (xml: string) => {
			const answer = await sendToReceiver(service.url, xml, { path: TOKEN });
			return [answer.status, /"code":"([^"]*)"/.exec(await answer.text())?.[1]];
		};
		const seed = await signedSeed(service.url);
		expect(await ask(seed)).toEqual([200, undefined]);
		expect(await ask(seed)).toEqual([400, "seed-used"]);
		const foreign = `<SemillaModel><valor>${"A".repeat(150)}</valor><fecha>2026-11-20T10:19:31Z</fecha>${plainSignature(identities.good)}</SemillaModel>`;
		expect(await ask(seal(foreign, { identity: identities.good }))).toEqual([400, "seed-unknown"]);
		expect(await ask((await signedSeed(service.url)).replace(/<valor>.{4}/, "<valor>AAAA"))).toEqual([
			400,
			"seed-refused",
		]);
		expect(await ask(await signedSeed(service.url, identities.selfMade))).toEqual([400, "seed-refused"]);
		expect(await ask(signedEcf({ buyerRnc: tenant.rnc }))).toEqual([400, "seed-refused"]);
		const unsigned = await (await fetch(`${service.url}/fe/autenticacion/api/semilla`)).text();
		expect(await ask(unsigned)).toEqual([400, "seed-refused"]);
	},
	TIMEOUT_MS,
);

async function countRows() {
	const [row] = await service.sql`
		select (select count(*) from received_documents) as documents, (select count(*) from received_standings) as standings,
			(select count(*) from events where tenant_id = ${tenant.tenantId}) as events,
			(select count(*) from outbox where tenant_id = ${tenant.tenantId} and kind = 'received.ask-authority') as messages`;
	return { ...row };
}

async function arecfOf(xml: string): Promise<string> {
	const encf = /<eNCF>(.*?)</.exec(xml)?.[1] ?? "";
	const [row] = await service.sql<{ arecf: Uint8Array }[]>`
		select p.arecf from received_documents d join received_papers p using (tenant_id, id) where d.encf = ${encf}`;
	return Buffer.from(row?.arecf ?? []).toString();
}
