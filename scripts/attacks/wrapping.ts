/**
 * Signature wrapping: a genuine signature in a document that its signer never saw. Eight positions of the signed invoice, each with two
 * references: to the document as a whole, and to the invoice by its Id.
 */
import type { DocumentFaultCode } from "../../src/ecf/verification";
import type { Attack } from "./attack";
import { identities } from "./identities";
import { INVOICE, plainSignature, seal } from "./seal";

const FORGED = INVOICE.replace("1000.00", "9000.00").replace("990000001", "990000666");
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

type Place = {
	readonly shows: string;
	/** The expected faults for a reference to the whole document, and for one by Id. */
	readonly faults: readonly [whole: DocumentFaultCode, byId: DocumentFaultCode];
	readonly put: (original: string, signature: string) => string;
};

const inside = (signature: string, endTag: string, what: string) => signature.replace(endTag, () => `${what}${endTag}`);

const places: Readonly<Record<string, Place>> = {
	"in-object": {
		shows: "the signed invoice in an Object of the signature of a forged one",
		faults: ["object-refused", "object-refused"],
		put: (original, signature) =>
			`<ECF>${FORGED}${inside(signature, "</Signature>", `<Object>${original}</Object>`)}</ECF>`,
	},
	"in-key-info": {
		shows: "the signed invoice in KeyInfo",
		faults: ["key-info-refused", "key-info-refused"],
		put: (original, signature) => `<ECF>${FORGED}${inside(signature, "</KeyInfo>", original)}</ECF>`,
	},
	"in-signed-info": {
		shows: "the signed invoice in SignedInfo",
		faults: ["reference-refused", "reference-refused"],
		put: (original, signature) => `<ECF>${FORGED}${inside(signature, "</SignedInfo>", original)}</ECF>`,
	},
	"first-child": {
		shows: "the signed invoice as the first child of a forged one",
		faults: ["document-digest-differs", "reference-refused"],
		put: (original, signature) => `<ECF>${original}${FORGED}${signature}</ECF>`,
	},
	"before-signature": {
		shows: "the signed invoice just before the signature",
		faults: ["document-digest-differs", "reference-refused"],
		put: (original, signature) => `<ECF>${FORGED}${original}${signature}</ECF>`,
	},
	"in-extensions": {
		shows: "the signed invoice in an element that no reader uses",
		faults: ["document-digest-differs", "reference-refused"],
		put: (original, signature) => `<ECF>${FORGED}<Extensiones>${original}</Extensiones>${signature}</ECF>`,
	},
	"with-its-signature": {
		shows: "the signed invoice with its signature in it, within a forged one",
		faults: ["signature-misplaced", "signature-misplaced"],
		put: (original, signature) => `<ECF>${FORGED}${inside(original, "</ECF>", signature)}</ECF>`,
	},
	"forged-inside": {
		shows: "a forged invoice within the signed one, for readers that search by name",
		faults: ["document-digest-differs", "reference-refused"],
		put: (original, signature) =>
			original
				.replace("<Encabezado>", () => `<ECF>${FORGED}</ECF><Encabezado>`)
				.replace(/<\/ECF>$/, () => `${signature}</ECF>`),
	},
};

export const wrappingAttacks: readonly Attack[] = Object.entries(places).flatMap(([name, { shows, faults, put }]) => {
	const [whole, byId] = faults;
	return [
		{
			name: `wrapping-${name}-whole`,
			shows: `${shows}; the reference is to the whole`,
			fault: whole,
			document: wrapped(put, false),
		},
		{
			name: `wrapping-${name}-by-id`,
			shows: `${shows}; the reference is to its Id`,
			fault: byId,
			document: wrapped(put, true),
		},
	];
});

/** The signature covers the genuine invoice alone, and moves with it. */
function wrapped(put: Place["put"], isById: boolean): string {
	const original = `<ECF${isById ? ' Id="original"' : ""}>${INVOICE}</ECF>`;
	const reference = isById ? 'URI="#original"' : 'URI=""';
	const unsealed = plainSignature(identities.good).replace('URI=""', reference);
	const sealed = seal(
		original.replace(/<\/ECF>$/, () => `${unsealed}</ECF>`),
		{
			identity: identities.good,
			...(isById ? { target: "original" } : {}),
		},
	);
	const signature = /<Signature .*<\/Signature>/.exec(sealed)?.[0] ?? "";
	return DECLARATION + put(original, signature);
}
