/** What a start tag means: its namespaces resolved, its attributes told apart, its references replaced. */
import { isXmlText } from "../values";
import type { XmlAttribute, XmlElement } from "./element";
import { XmlRefusal } from "./fault";
import { checkDeclaration, declaredPrefix, enterScope, findNamespace, type Scope } from "./namespaces";

/** References already replaced. */
export type RawAttribute = { readonly name: string; readonly value: string };

const NONE: ReadonlyMap<string, string> = new Map();
const PREDEFINED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** Longer numbers than any character has are left to the last alternative, which is refused. */
const REFERENCE = /&#(\d{1,10});|&#x([0-9A-Fa-f]{1,8});|&(\w{1,64});|&/g;

/** The part of an element that its start tag tells. Throws: XmlRefusal. */
export function openElement(
	name: string,
	raw: readonly RawAttribute[],
	outer: Scope,
): Omit<XmlElement, "parent" | "children" | "isPlain"> {
	if (raw.length === 0) return { name, ...resolveName(name, outer), attributes: [], declared: NONE, scope: outer };
	const declared = new Map<string, string>();
	const names = new Set<string>();
	for (const attribute of raw) {
		if (names.has(attribute.name)) throw new XmlRefusal("duplicate-attribute", `${attribute.name} stands twice`);
		names.add(attribute.name);
		const prefix = declaredPrefix(attribute.name);
		if (prefix === undefined) continue;
		checkDeclaration(prefix, attribute.value);
		// The prefix xml is always declared; saying so again changes nothing, not even the canonical form.
		if (prefix !== "xml") declared.set(prefix, attribute.value);
	}
	const scope = enterScope(outer, declared);
	const attributes = raw
		.filter((attribute) => declaredPrefix(attribute.name) === undefined)
		.map((attribute) => resolveAttribute(attribute, scope));
	const expanded = new Set(attributes.map((one) => `${one.namespace} ${one.localName}`));
	if (expanded.size < attributes.length) {
		throw new XmlRefusal("duplicate-attribute", `an attribute of ${name} stands twice under two prefixes`);
	}
	return { name, ...resolveName(name, scope), attributes, declared, scope };
}

function resolveAttribute({ name, value }: RawAttribute, scope: Scope): XmlAttribute {
	if (!name.includes(":")) return { name, localName: name, namespace: "", value };
	const { localName, namespace } = resolveName(name, scope);
	return { name, localName, namespace, value };
}

function resolveName(name: string, scope: Scope): { prefix: string; localName: string; namespace: string } {
	const colon = name.indexOf(":");
	const prefix = colon < 0 ? "" : name.slice(0, colon);
	const namespace = findNamespace(scope, prefix);
	if (namespace === undefined || prefix === "xmlns") {
		throw new XmlRefusal("namespace", `the prefix ${prefix} is not declared`);
	}
	return { prefix, localName: name.slice(colon + 1), namespace };
}

/** A text with its references replaced. Throws: XmlRefusal for an entity that only a document type could declare. */
export function readReferences(raw: string): string {
	if (!raw.includes("&")) return raw;
	return raw.replace(REFERENCE, (reference, decimal?: string, hex?: string, entity?: string) => {
		if (entity !== undefined) {
			const character = Object.hasOwn(PREDEFINED, entity) ? PREDEFINED[entity] : undefined;
			if (character !== undefined) return character;
			throw new XmlRefusal("entity", `a reference to the entity ${entity}`);
		}
		const point = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : -1;
		if (point < 0) throw new XmlRefusal("not-well-formed", "a raw &");
		const character = point > 0x10_ff_ff ? "\0" : String.fromCodePoint(point);
		if (!isXmlText(character)) throw new XmlRefusal("illegal-character", `a reference ${reference} to no character`);
		return character;
	});
}
