/**
 * Which namespace a prefix means at a place in the document.
 * A scope is a chain of declarations, not a copy of them: many elements below many declarations cost nothing extra, and a look-up
 * takes at most as many steps as the document is deep.
 * Source: Namespaces in XML 1.0 (Third Edition); Canonical XML 1.0, section 4.7, on relative names.
 */
import { XmlRefusal } from "./fault";

export const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

/** Without a user and without an address in brackets, which no namespace has. Source: RFC 3986, appendix A. */
const CHARACTER = "[\\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}";
const ABSOLUTE_URI = new RegExp(
	`^[A-Za-z][A-Za-z0-9+.-]*:(?://(?:${CHARACTER})+(?::\\d{1,5})?(?=[/?#]|$)|(?!//))` +
		`(?:${CHARACTER}|[:@/])*(?:\\?(?:${CHARACTER}|[:@/?])*)?(?:#(?:${CHARACTER}|[:@/?])*)?$`,
);

export type Scope = {
	readonly declared: ReadonlyMap<string, string>;
	readonly outer: Scope | undefined;
};

const NONE: ReadonlyMap<string, string> = new Map();
export const EMPTY_SCOPE: Scope = { declared: NONE, outer: undefined };

/** The scope inside an element with these declarations. */
export function enterScope(outer: Scope, declared: ReadonlyMap<string, string>): Scope {
	return declared.size === 0 ? outer : { declared, outer };
}

/** The URI of a prefix; empty for no namespace, undefined for a prefix that is not declared. */
export function findNamespace(scope: Scope, prefix: string): string | undefined {
	if (prefix === "xml") return XML_NAMESPACE;
	for (let at: Scope | undefined = scope; at; at = at.outer) {
		const uri = at.declared.get(prefix);
		if (uri !== undefined) return uri;
	}
	return prefix === "" ? "" : undefined;
}

/** Everything in scope, prefix to URI, the nearest declaration first to win. */
export function flattenScope(scope: Scope): Map<string, string> {
	const found = new Map<string, string>();
	for (let at: Scope | undefined = scope; at; at = at.outer) {
		for (const [prefix, uri] of at.declared) if (!found.has(prefix)) found.set(prefix, uri);
	}
	return found;
}

/** The prefix that an attribute declares, undefined when it is an ordinary attribute. */
export function declaredPrefix(attributeName: string): string | undefined {
	if (attributeName === "xmlns") return "";
	return attributeName.startsWith("xmlns:") ? attributeName.slice("xmlns:".length) : undefined;
}

/** Refuses what may not be declared. Throws: XmlRefusal. */
export function checkDeclaration(prefix: string, uri: string): void {
	const refuse = (detail: string) => {
		throw new XmlRefusal("namespace", detail);
	};
	if (prefix === "xmlns" || uri === XMLNS_NAMESPACE) refuse("the prefix xmlns or its namespace is declared");
	if ((prefix === "xml") !== (uri === XML_NAMESPACE))
		refuse("the prefix xml is bound to another namespace, or its to it");
	if (prefix !== "" && uri === "") refuse(`the prefix ${prefix} is declared without a namespace`);
	// Canonical XML has no form for a relative one; some programs then digest nothing at all and call it valid.
	if (uri !== "" && !ABSOLUTE_URI.test(uri)) refuse(`the namespace ${JSON.stringify(uri)} is no absolute URI`);
}
