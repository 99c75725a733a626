/** Documents with the right structure but wrong digests or signatures: any verifier must compute to find the fault. */
import { createHash } from "node:crypto";
import { type Attack, type Edit, edit, sealedPlain, sealedXades } from "./attack";
import { identities } from "./identities";
import { INVOICE } from "./seal";

const xades = sealedXades();
const plain = sealedPlain();
const otherXades = sealedXades([["1000.00", "9000.00"]]);
const signatureValueOf = (document: string) => /<SignatureValue>([^<]+)/.exec(document)?.[1] ?? "";
const firstDigestOf = (document: string) => /<DigestValue>([^<]+)/.exec(document)?.[1] ?? "";
const flipped = (base64: string) => {
	const bytes = Buffer.from(base64, "base64");
	bytes[100] = (bytes[100] ?? 0) ^ 1;
	return bytes.toString("base64");
};
const digestOf = (text: string | Uint8Array) => createHash("sha256").update(text).digest("base64");

type Row = readonly [name: string, shows: string, fault: Attack["fault"], ...edits: readonly Edit[]];

const rows: readonly Row[] = [
	["amount", "another amount", "document-digest-differs", ["1000.00", "9000.00"]],
	["digit", "one more digit", "document-digest-differs", ["1000.00", "10000.00"]],
	["buyer-space", "a space at the end of a number", "document-digest-differs", ["990000001", "990000001 "]],
	["no-break-space", "another kind of space", "document-digest-differs", [" &amp; ", "\u00a0&amp; "]],
	["look-alike", "a letter that looks the same", "document-digest-differs", ["CIA", "СIA"]],
	["composition", "the same letters, composed otherwise", "document-digest-differs", ["Í", "I\u0301"]],
	[
		"indented",
		"white space between elements, and in one",
		"document-digest-differs",
		["<Totales>", "\n  <Totales>"],
		["1000.00", " 1000.00"],
	],
	["carriage-return", "a carriage return by reference", "document-digest-differs", ["CIA", "CIA&#13;"]],
	[
		"swapped",
		"two elements in another order",
		"document-digest-differs",
		["<TipoeCF>31</TipoeCF><eNCF>E310000000001</eNCF>", "<eNCF>E310000000001</eNCF><TipoeCF>31</TipoeCF>"],
	],
	[
		"doubled",
		"an element twice",
		"document-digest-differs",
		["<MontoTotal>", "<MontoTotal>9000.00</MontoTotal><MontoTotal>"],
	],
	["removed", "an element less", "document-digest-differs", ["<MontoTotal>1000.00</MontoTotal>", ""]],
	["attribute", "an attribute more", "document-digest-differs", ["<MontoTotal>", '<MontoTotal moneda="USD">']],
	[
		"namespace",
		"a namespace on the root",
		"document-digest-differs",
		["<ECF>", '<ECF xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'],
	],
	[
		"default-namespace",
		"the invoice in another namespace",
		"document-digest-differs",
		["<Encabezado>", '<Encabezado xmlns="urn:x">'],
	],
	["cdata", "markup made text by a CDATA section", "document-digest-differs", ["1000.00", "<![CDATA[1000.00 ]]>"]],
	["renamed-root", "another root", "document-digest-differs", [/ECF>/g, "RFCE>"]],
	[
		"forged-digest",
		"another amount and its digest",
		"signature-value-wrong",
		["1000.00", "9000.00"],
		[firstDigestOf(xades), firstDigestOf(otherXades)],
	],
	[
		"flipped-bit",
		"one bit of the value",
		"signature-value-wrong",
		[signatureValueOf(xades), flipped(signatureValueOf(xades))],
	],
	[
		"other-value",
		"the value of another document",
		"signature-value-wrong",
		[signatureValueOf(xades), signatureValueOf(otherXades)],
	],
	[
		"zero-value",
		"a value of zeros",
		"signature-value-wrong",
		[signatureValueOf(xades), Buffer.alloc(256).toString("base64")],
	],
	[
		"one-value",
		"a value of one, which some exponents keep",
		"signature-value-wrong",
		[signatureValueOf(xades), Buffer.concat([Buffer.alloc(255), Buffer.of(1)]).toString("base64")],
	],
	["short-value", "a value of one byte", "signature-value-wrong", [signatureValueOf(xades), "AQ=="]],
	[
		"long-value",
		"a value with zeros in front",
		"signature-value-wrong",
		[
			signatureValueOf(xades),
			Buffer.concat([Buffer.alloc(4), Buffer.from(signatureValueOf(xades), "base64")]).toString("base64"),
		],
	],
	[
		"time-changed",
		"another time of signing",
		"properties-digest-differs",
		["2026-11-20T14:20:00Z", "2026-11-19T14:20:00Z"],
	],
	[
		"statement-changed",
		"another certificate stated",
		"properties-digest-differs",
		[digestOf(identities.good.certificateDer), digestOf(identities.namesake.certificateDer)],
	],
	[
		"method-changed",
		"another canonical form in SignedInfo",
		"signature-value-wrong",
		["http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "http://www.w3.org/2001/10/xml-exc-c14n#"],
	],
	[
		"transform-added",
		"one more transform in SignedInfo",
		"signature-value-wrong",
		[
			"</Transform></Transforms>",
			'</Transform><Transform Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"></Transform></Transforms>',
		],
	],
	["empty-digest", "the digest of nothing", "document-digest-differs", [firstDigestOf(xades), digestOf("")]],
];

export const mathematicsAttacks: readonly Attack[] = [
	...rows.map(([name, shows, fault, ...edits]) => ({
		name: `math-${name}`,
		shows,
		fault,
		document: edit(xades, ...edits),
		isMath: true,
	})),
	{
		name: "math-plain-amount",
		shows: "another amount, in the plain profile",
		fault: "document-digest-differs",
		document: edit(plain, ["1000.00", "9000.00"]),
		isMath: true,
	},
	{
		name: "math-plain-transplanted",
		shows: "the whole Signature of another document",
		fault: "document-digest-differs",
		document: edit(plain, [INVOICE, INVOICE.replace("31", "32")]),
		isMath: true,
	},
	{
		name: "math-stolen-certificate",
		shows: "the good certificate with another key",
		fault: "signature-value-wrong",
		document: sealedXades([], { identity: identities.stolenCertificate }),
		isMath: true,
	},
	{
		name: "math-stolen-certificate-plain",
		shows: "the same in the plain profile",
		fault: "signature-value-wrong",
		document: sealedPlain([], { identity: identities.stolenCertificate }),
		isMath: true,
	},
];
