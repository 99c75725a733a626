/** Writes a plain value as an XML document: members become elements, the items of a list repeat their element. */

export type XmlValue = string | number | boolean | null | readonly XmlValue[] | { readonly [name: string]: XmlValue };

/** A list at the top gets its items wrapped in `ArrayOf…`, as the authority's framework does. */
export function toXml(root: string, value: XmlValue): string {
	const declaration = '<?xml version="1.0" encoding="utf-8"?>';
	if (!Array.isArray(value)) return declaration + element(root, value);
	return `${declaration}<ArrayOf${root}>${value.map((item) => element(root, item)).join("")}</ArrayOf${root}>`;
}

function element(name: string, value: XmlValue): string {
	if (value === null) return "";
	if (isList(value)) return value.map((item) => element(name, item)).join("");
	if (typeof value === "object") {
		const members = Object.entries(value).map(([member, content]) => element(member, content));
		return `<${name}>${members.join("")}</${name}>`;
	}
	return `<${name}>${escapeXml(String(value))}</${name}>`;
}

function isList(value: XmlValue): value is readonly XmlValue[] {
	return Array.isArray(value);
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Text that may stand in XML content and attributes, and in HTML. */
export function escapeXml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
