/** An operation's answer: status and body, and how the connection ends. */
export type Answer = {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** How long the caller waits for it. */
	readonly afterMs: number;
	/** `half` stops in the middle of the body, `none` closes the connection without an answer. */
	readonly delivery: "whole" | "half" | "none";
};

export function answer(status: number, mediaType: string, body: string, headers: Record<string, string> = {}): Answer {
	return { status, headers: { "content-type": mediaType, ...headers }, body, afterMs: 0, delivery: "whole" };
}

export function jsonAnswer(status: number, body: unknown): Answer {
	return answer(status, "application/json; charset=utf-8", JSON.stringify(body));
}

export function xmlAnswer(status: number, body: string): Answer {
	return answer(status, "application/xml; charset=utf-8", body);
}

export function htmlAnswer(
	status: number,
	title: string,
	content: string,
	headers: Record<string, string> = {},
): Answer {
	const page = `<!DOCTYPE html>\n<html lang="es"><head><meta charset="utf-8"><title>${title}</title></head><body>${content}</body></html>\n`;
	return answer(status, "text/html; charset=utf-8", page, headers);
}

export function failureAnswer(): Answer {
	return htmlAnswer(500, "Server Error", "<h1>500 - Internal server error.</h1>");
}

export function emptyAnswer(status: number, headers: Record<string, string> = {}): Answer {
	return { status, headers, body: "", afterMs: 0, delivery: "whole" };
}

/** The body in the accepted form: JSON, unless only XML is accepted. */
export function negotiatedAnswer(accept: string | undefined, status: number, root: string, body: XmlValue): Answer {
	const wanted = (accept ?? "").toLowerCase();
	const wantsXml = /\b(application|text)\/xml\b/.test(wanted) && !wanted.includes("application/json");
	return wantsXml ? xmlAnswer(status, toXml(root, body)) : jsonAnswer(status, body);
}

export type XmlValue = string | number | boolean | null | readonly XmlValue[] | { readonly [name: string]: XmlValue };

/** A top-level list gets its items wrapped in `ArrayOf…`, as the authority's framework does. */
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

/** Escapes text for XML content and attributes, and for HTML. */
export function escapeXml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
