/** What an operation gives back: a status and a body, and how the connection ends. */
import { toXml, type XmlValue } from "./to-xml";

export type Answer = {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** How long the caller waits for it. */
	readonly afterMs: number;
	/** `half` breaks off in the middle of the body, `none` closes the connection without a word. */
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

/** The page of a service that failed inside. */
export function failureAnswer(): Answer {
	return htmlAnswer(500, "Server Error", "<h1>500 - Internal server error.</h1>");
}

export function emptyAnswer(status: number, headers: Record<string, string> = {}): Answer {
	return { status, headers, body: "", afterMs: 0, delivery: "whole" };
}

/** The body in the form that the caller accepts: JSON, unless XML is asked for and JSON is not. */
export function negotiatedAnswer(accept: string | undefined, status: number, root: string, body: XmlValue): Answer {
	const wanted = (accept ?? "").toLowerCase();
	const wantsXml = /\b(application|text)\/xml\b/.test(wanted) && !wanted.includes("application/json");
	return wantsXml ? xmlAnswer(status, toXml(root, body)) : jsonAnswer(status, body);
}
