/** Documents that must be accepted, in all spellings of honest producers, so that refusing everything fails. */
import { edit, sealedPlain, sealedXades, wrap } from "./attack";
import { identities } from "./identities";
import {
	C14N,
	DOCUMENT_REFERENCE,
	ENVELOPED,
	EXCLUSIVE,
	INVOICE,
	PROPERTIES_REFERENCE,
	plainSignature,
	seal,
	xadesSignature,
} from "./seal";
import { ISSUER, issuerSerialOf, statesFirstForm, statesSecondForm } from "./signer";

export type Genuine = { readonly name: string; readonly shows: string; readonly document: string };

const { good } = identities;
const TRANSFORM = `<Transform Algorithm="${ENVELOPED}"></Transform>`;
const wrapLines = (base64: string, end: string) => base64.replace(/.{76}/g, (line) => `${line}${end}`);
const SEED =
	'<SemillaModel xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><valor>9d2f+/=</valor><fecha>2026-11-20T10:19:31.3551245-04:00</fecha>';

export const genuineDocuments: readonly Genuine[] = [
	{ name: "xades", shows: "XAdES-BES as the service writes it", document: sealedXades() },
	{ name: "plain", shows: "the plain profile", document: sealedPlain() },
	{
		name: "canonical-transform",
		shows: "canonical form as a second transform, on both references",
		document: sealedXades([
			[TRANSFORM, `${TRANSFORM}<Transform Algorithm="${C14N}"></Transform>`],
			[
				PROPERTIES_REFERENCE,
				PROPERTIES_REFERENCE.replace(">", `><Transforms><Transform Algorithm="${C14N}"></Transform></Transforms>`),
			],
		]),
	},
	{
		name: "exclusive",
		shows: "exclusive canonical form throughout, namespaces on the root",
		document: sealedPlain(
			[
				[C14N, EXCLUSIVE],
				[TRANSFORM, `${TRANSFORM}<Transform Algorithm="${EXCLUSIVE}"></Transform>`],
				["<ECF>", '<ECF xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:unused="urn:x">'],
			],
			{ method: "exclusive" },
		),
	},
	{
		name: "prefixed",
		shows: "a prefix for the signature, declared on the root",
		document: seal(
			edit(
				wrap(
					plainSignature(good)
						.replace(/<(\/?)(?=[A-Z])/g, "<$1ds:")
						.replace(/ xmlns="[^"]*"/, ""),
				),
				["<ECF>", '<ECF xmlns:ds="http://www.w3.org/2000/09/xmldsig#">'],
			),
			{ identity: good },
		),
	},
	{
		name: "indented",
		shows: "line breaks between all elements, signed with them",
		document: seal(wrap(xadesSignature(good)).replaceAll("><", ">\n<"), { identity: good }),
	},
	{
		name: "wrapped-base64",
		shows: "value and certificate in lines, as Java and older programs write them",
		document: edit(
			sealedPlain(),
			[/<SignatureValue>[^<]+/, wrapLines(/<SignatureValue>[^<]+/.exec(sealedPlain())?.[0] ?? "", "&#13;\n")],
			[/<X509Certificate>[^<]+/, wrapLines(/<X509Certificate>[^<]+/.exec(sealedPlain())?.[0] ?? "", "\r\n")],
		),
	},
	{
		name: "issuer-serial-first-form",
		shows: "the first form of the signing certificate, issuer and number in words",
		document: sealedXades([statesFirstForm(ISSUER, "17")]),
	},
	{
		name: "issuer-serial-second-form",
		shows: "the second form, issuer and number in DER",
		document: sealedXades([statesSecondForm(issuerSerialOf(ISSUER.slice(3), 0x11))]),
	},
	{
		name: "seed",
		shows: "a signed seed, two namespaces on its root, no time of its own",
		document: seal(`<?xml version="1.0" encoding="utf-8"?>${SEED}${plainSignature(good)}</SemillaModel>`, {
			identity: good,
		}),
	},
	{
		name: "language",
		shows: "an xml: attribute on the root, which SignedInfo inherits",
		document: sealedXades([["<ECF>", '<ECF xml:lang="es">']]),
	},
	{
		name: "no-declaration",
		shows: "no XML declaration, a byte-order mark, a comment in front",
		document: `\uFEFF${edit(sealedPlain(), [/^<\?xml[^>]*>/, "<!-- e-CF -->"])}`,
	},
	{
		name: "other-spelling",
		shows: "references, CDATA, comments between elements, empty tags, single quotation marks, line ends of Windows",
		document: edit(
			seal(wrap(plainSignature(good), `${INVOICE}<Nota>\n</Nota><Vacio></Vacio>`), { identity: good }),
			["FERRETERÍA", "FERRETER&#xCD;A"],
			["ÑANDÚ &amp; CIA", "<![CDATA[ÑANDÚ & CIA]]>"],
			["<Totales>", "<!-- totales --><Totales >"],
			["<Nota>\n</Nota>", "<Nota>\r\n</Nota>"],
			["<Vacio></Vacio>", "<Vacio/>"],
			['URI=""', "URI=''"],
		),
	},
	{
		name: "further-properties",
		shows: "signed properties beyond those that are read, the time in another zone",
		document: sealedXades([
			["2026-11-20T14:20:00Z", "2026-11-20T10:20:00.5-04:00"],
			[
				"</xades:SignedSignatureProperties>",
				"<xades:SignerRole><xades:ClaimedRoles><xades:ClaimedRole>emisor</xades:ClaimedRole></xades:ClaimedRoles></xades:SignerRole></xades:SignedSignatureProperties>" +
					"<xades:SignedDataObjectProperties></xades:SignedDataObjectProperties>",
			],
		]),
	},
	{
		name: "references-reversed",
		shows: "the properties' reference first",
		document: sealedXades([[DOCUMENT_REFERENCE + PROPERTIES_REFERENCE, PROPERTIES_REFERENCE + DOCUMENT_REFERENCE]]),
	},
];
