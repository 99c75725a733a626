/** Why a document was not read. */

export type XmlFaultCode =
	/** More bytes, elements, attributes or levels than the limits allow. */
	| "too-large"
	| "too-many-nodes"
	| "too-many-attributes"
	| "too-deep"
	/** Not UTF-8, or declared to be something else. */
	| "encoding"
	| "illegal-character"
	| "document-type"
	| "processing-instruction"
	/** A reference to an entity: only XML's own five need no document type. */
	| "entity"
	/** A comment among characters: one program reads on behind it, another stops. */
	| "comment-in-text"
	| "not-well-formed"
	| "content-outside-root"
	| "duplicate-attribute"
	/** A prefix that nobody declared, a reserved one, or a namespace that is no absolute URI. */
	| "namespace";

export type XmlFault = { readonly code: XmlFaultCode; readonly detail: string };

/** Leaves the reader from any depth; its faces give it back as a value. */
export class XmlRefusal extends Error {
	constructor(
		readonly code: XmlFaultCode,
		detail: string,
	) {
		super(detail);
		this.name = "XmlRefusal";
	}
}
