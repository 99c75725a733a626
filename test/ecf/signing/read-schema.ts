/** Reads the authority's published schemas as trees of elements, to be compared with our tables. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DOMParser, type Element as XmlElement } from "@xmldom/xmldom";
import { AUTHORITY_SCHEMAS } from "../../support/judges";

export type SchemaElement = {
	readonly name: string;
	readonly isMandatory: boolean;
	readonly most: number;
	/** Most characters, where the type says so. */
	readonly charactersMax: number | undefined;
	readonly children: readonly SchemaElement[];
};

/** The root element of a schema. */
export function readSchema(file: string): SchemaElement {
	const path = join(AUTHORITY_SCHEMAS, file);
	const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
	const schema = new DOMParser().parseFromString(text, "text/xml").documentElement;
	if (!schema) throw new Error(`expected a schema in ${path}`);
	const lengths = new Map(childrenOf(schema, "simpleType").map((type) => [nameOf(type), lengthOf(type)]));
	const [root] = childrenOf(schema, "element");
	if (!root) throw new Error(`expected a root element in ${path}`);
	return readElement(root, lengths);
}

function readElement(element: XmlElement, lengths: ReadonlyMap<string, number | undefined>): SchemaElement {
	const content = childrenOf(element, "complexType").flatMap((type) => childrenOf(type, "sequence"));
	const most = element.getAttribute("maxOccurs") ?? "1";
	return {
		name: nameOf(element),
		isMandatory: element.getAttribute("minOccurs") !== "0",
		most: most === "unbounded" ? Number.POSITIVE_INFINITY : Number(most),
		charactersMax: lengths.get(element.getAttribute("type")?.trim() ?? ""),
		children: content
			.flatMap((sequence) => childrenOf(sequence, "element"))
			.map((child) => readElement(child, lengths)),
	};
}

function childrenOf(parent: XmlElement, localName: string): XmlElement[] {
	return Array.from(parent.childNodes).filter((node): node is XmlElement => node.localName === localName);
}

function nameOf(element: XmlElement): string {
	return (element.getAttribute("name") ?? "").trim();
}

function lengthOf(simpleType: XmlElement): number | undefined {
	const [restriction] = childrenOf(simpleType, "restriction");
	const [length] = restriction ? childrenOf(restriction, "maxLength") : [];
	return length ? Number(length.getAttribute("value")) : undefined;
}
