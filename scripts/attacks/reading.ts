/** Documents that the reader refuses before the signature is checked. */
import { type Attack, type Edit, edit, sealedXades } from "./attack";

const good = sealedXades();
const changed = (...edits: readonly Edit[]) => edit(good, ...edits);
/** Inserts text between the declaration and the root. */
const before = (text: string) => changed(["<ECF>", `${text}<ECF>`]);
const declared = (declaration: string) => changed([/^<\?xml[^>]*>/, declaration]);

const ENTITIES = ["lol", ..."123456789"]
	.map((name, index, all) =>
		index === 0
			? `<!ENTITY ${name} "lol">`
			: `<!ENTITY lol${name} "${`&lol${index === 1 ? "" : all[index - 1]};`.repeat(10)}">`,
	)
	.join("");

export const readingAttacks: readonly Attack[] = [
	{
		name: "doctype-harmless",
		shows: "a document type that declares nothing",
		fault: "document-type",
		document: before("<!DOCTYPE ECF>"),
	},
	{
		name: "doctype-external-file",
		shows: "an external entity reads a file into the amount",
		fault: "document-type",
		document: edit(before('<!DOCTYPE ECF [<!ENTITY x SYSTEM "file:///etc/hostname">]>'), ["1000.00", "&x;"]),
	},
	{
		name: "doctype-external-address",
		shows: "an external entity asks an address",
		fault: "document-type",
		document: edit(before('<!DOCTYPE ECF [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>'), ["1000.00", "&x;"]),
	},
	{
		name: "doctype-external-subset",
		shows: "a document type in another place",
		fault: "document-type",
		document: before('<!DOCTYPE ECF SYSTEM "http://127.0.0.1:9/x.dtd">'),
	},
	{
		name: "doctype-parameter-entity",
		shows: "a parameter entity that brings further declarations",
		fault: "document-type",
		document: before('<!DOCTYPE ECF [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p">%p;]>'),
	},
	{
		name: "doctype-billion-laughs",
		shows: "ten entities of ten entities, nine levels",
		fault: "document-type",
		document: edit(before(`<!DOCTYPE ECF [${ENTITIES}]>`), ["1000.00", "&lol9;"]),
	},
	{
		name: "doctype-quadratic-entity",
		shows: "one long entity, many times",
		fault: "document-type",
		document: edit(before(`<!DOCTYPE ECF [<!ENTITY x "${"x".repeat(20_000)}">]>`), ["1000.00", "&x;".repeat(5_000)]),
	},
	{
		name: "doctype-default-attribute",
		shows: "an attribute list gives the root an Id by default",
		fault: "document-type",
		document: before('<!DOCTYPE ECF [<!ATTLIST ECF Id ID "properties">]>'),
	},
	{
		name: "doctype-after-root",
		shows: "a document type behind the root",
		fault: "document-type",
		document: `${good}<!DOCTYPE ECF>`,
	},
	{
		name: "instruction-swallows-digit",
		shows: "an instruction in the amount: one program reads 1000.00, another 00.00",
		fault: "processing-instruction",
		document: changed(["1000.00", "<?p 10?>00.00"]),
	},
	{
		name: "instruction-stylesheet",
		shows: "a stylesheet that shows another document",
		fault: "processing-instruction",
		document: before('<?xml-stylesheet href="http://127.0.0.1:9/x.xsl"?>'),
	},
	{
		name: "instruction-in-signature",
		shows: "an instruction in SignedInfo",
		fault: "processing-instruction",
		document: changed(["<SignedInfo>", "<SignedInfo><?p?>"]),
	},
	{
		name: "declaration-twice",
		shows: "a second XML declaration",
		fault: "processing-instruction",
		document: before('<?xml version="1.0"?>'),
	},
	{
		name: "comment-in-amount",
		shows: "a comment in the amount: canonical form drops it, a careless reader stops at it",
		fault: "comment-in-text",
		document: changed(["1000.00", "10<!-- -->00.00"]),
	},
	{
		name: "comment-in-digest-value",
		shows: "the genuine digest in a comment, another one around it",
		fault: "comment-in-text",
		document: changed([/<DigestValue>([^<]+)/, `<DigestValue><!-- ${"A".repeat(43)}= -->${"B".repeat(43)}=`]),
	},
	{
		name: "comment-in-signature-value",
		shows: "a comment within the value of the signature",
		fault: "comment-in-text",
		document: changed(["<SignatureValue>", "<SignatureValue><!-- x -->"]),
	},
	{
		name: "second-root-behind",
		shows: "another invoice behind the root",
		fault: "content-outside-root",
		document: `${good}<ECF><Encabezado><Totales><MontoTotal>1.00</MontoTotal></Totales></Encabezado></ECF>`,
	},
	{
		name: "second-root-in-front",
		shows: "another invoice in front of the root",
		fault: "content-outside-root",
		document: before("<ECF><Encabezado><Totales><MontoTotal>1.00</MontoTotal></Totales></Encabezado></ECF>"),
	},
	{
		name: "text-behind-root",
		shows: "text behind the root",
		fault: "content-outside-root",
		document: `${good}x`,
	},
	{
		name: "encoding-utf-16",
		shows: "the same document in UTF-16",
		fault: "encoding",
		document: Buffer.from(`\uFEFF${declared('<?xml version="1.0" encoding="UTF-16"?>')}`, "utf16le"),
	},
	{
		name: "encoding-declared-utf-16",
		shows: "UTF-8 that says it is UTF-16",
		fault: "encoding",
		document: declared('<?xml version="1.0" encoding="UTF-16"?>'),
	},
	{
		name: "encoding-declared-utf-7",
		shows: "UTF-8 that says it is UTF-7, where +ADw- begins a tag",
		fault: "encoding",
		document: edit(declared('<?xml version="1.0" encoding="UTF-7"?>'), ["&amp;", "+ADw-x+AD4-"]),
	},
	{
		name: "encoding-declared-latin-1",
		shows: "UTF-8 that says it is Latin-1, so that names read differently",
		fault: "encoding",
		document: declared('<?xml version="1.0" encoding="ISO-8859-1"?>'),
	},
	{
		name: "encoding-latin-1",
		shows: "bytes of Latin-1",
		fault: "encoding",
		document: Buffer.from(good, "latin1"),
	},
	{
		name: "encoding-overlong",
		shows: "a < spelt in two bytes",
		fault: "encoding",
		document: splice("1000.00", [0xc0, 0xbc]),
	},
	{
		name: "encoding-surrogate",
		shows: "half of a surrogate pair in three bytes",
		fault: "encoding",
		document: splice("1000.00", [0xed, 0xa0, 0x80]),
	},
	{
		name: "character-nul",
		shows: "a NUL, at which some programs stop reading",
		fault: "illegal-character",
		document: changed(["1000.00", "10\u000000.00"]),
	},
	{
		name: "character-control-reference",
		shows: "a reference to a control character",
		fault: "illegal-character",
		document: changed(["1000.00", "10&#1;00.00"]),
	},
	{
		name: "character-surrogate-reference",
		shows: "a reference to half of a surrogate pair",
		fault: "illegal-character",
		document: changed(["1000.00", "10&#xD800;00.00"]),
	},
	{
		name: "entity-undeclared",
		shows: "an undeclared entity, which some programs read as nothing",
		fault: "entity",
		document: changed(["1000.00", "10&zwnj;00.00"]),
	},
	{
		name: "limit-depth",
		shows: "100,000 levels",
		fault: "too-deep",
		document: changed(["<Encabezado>", `${"<a>".repeat(100_000)}${"</a>".repeat(100_000)}<Encabezado>`]),
	},
	{
		name: "limit-depth-open",
		shows: "a million elements that never end",
		fault: "too-deep",
		document: "<a>".repeat(1_000_000),
	},
	{
		name: "limit-attributes",
		shows: "10,000 attributes",
		fault: "too-many-attributes",
		document: changed([
			"<Encabezado>",
			`<Encabezado${Array.from({ length: 10_000 }, (_, i) => ` a${i}=""`).join("")}>`,
		]),
	},
	{
		name: "limit-namespaces",
		shows: "10,000 namespaces on the root, which SignedInfo would inherit",
		fault: "too-many-attributes",
		document: changed([
			"<ECF>",
			`<ECF${Array.from({ length: 10_000 }, (_, i) => ` xmlns:n${i}="urn:${i}"`).join("")}>`,
		]),
	},
	{
		name: "limit-nodes",
		shows: "100,000 elements side by side",
		fault: "too-many-nodes",
		document: changed(["<Encabezado>", `${"<a></a>".repeat(100_000)}<Encabezado>`]),
	},
	{
		name: "limit-comments",
		shows: "100,000 comments",
		fault: "too-many-nodes",
		document: changed(["<Encabezado>", `${"<!---->".repeat(100_000)}<Encabezado>`]),
	},
	{
		name: "limit-references",
		shows: "five megabytes of references to one character",
		fault: "too-large",
		document: changed(["1000.00", "&#48;".repeat(1_000_000)]),
	},
	{
		name: "limit-bytes",
		shows: "a value of the signature of five megabytes",
		fault: "too-large",
		document: changed([/<SignatureValue>/, `<SignatureValue>${"A".repeat(5_000_000)}`]),
	},
	{
		name: "attribute-twice",
		shows: "two Ids on SignedProperties",
		fault: "duplicate-attribute",
		document: changed(['SignedProperties Id="properties"', 'SignedProperties Id="properties" Id="x"']),
	},
	{
		name: "attribute-under-two-prefixes",
		shows: "one attribute under two prefixes of one namespace",
		fault: "duplicate-attribute",
		document: changed(["<Encabezado>", '<Encabezado xmlns:p="urn:x" xmlns:q="urn:x" p:a="1" q:a="2">']),
	},
	{
		name: "namespace-undeclared",
		shows: "an undeclared prefix",
		fault: "namespace",
		document: changed(["<Encabezado>", "<p:x></p:x><Encabezado>"]),
	},
	{
		name: "namespace-xml-rebound",
		shows: "the prefix xml for another namespace",
		fault: "namespace",
		document: changed(["<ECF>", '<ECF xmlns:xml="urn:x">']),
	},
	{
		name: "namespace-relative",
		shows: "a relative namespace, at which some programs make an empty canonical form",
		fault: "namespace",
		document: changed(["<ECF>", '<ECF xmlns:p="1">']),
	},
	{
		name: "markup-cut-short",
		shows: "the second half is missing",
		fault: "not-well-formed",
		document: good.slice(0, good.length / 2),
	},
	{
		name: "markup-version-1.1",
		shows: "XML 1.1, with other line ends and more characters",
		fault: "not-well-formed",
		document: declared('<?xml version="1.1" encoding="UTF-8"?>'),
	},
	{
		name: "markup-crossed",
		shows: "elements that cross, which forgiving programs repair",
		fault: "not-well-formed",
		document: changed(["</MontoTotal></Totales>", "</Totales></MontoTotal>"]),
	},
	{
		name: "markup-bare-ampersand",
		shows: "an ampersand that begins no reference",
		fault: "not-well-formed",
		document: changed(["&amp;", "&"]),
	},
	{
		name: "markup-end-of-cdata",
		shows: "an end of CDATA without its beginning",
		fault: "not-well-formed",
		document: changed(["1000.00", "1000.00]]>"]),
	},
];

function splice(at: string, bytes: readonly number[]): Uint8Array {
	const [head = "", tail = ""] = good.split(at);
	return Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)]);
}
