/**
 * Takes a message from outside apart, as far as notices need it: headers, parts, their plain content. It is read as Latin-1, a character a
 * byte. What it cannot make sense of is empty, never an error. Source: RFC 5322, RFC 2045, RFC 2046.
 */

export type Part = {
	/** By lower-case name, unfolded; of equal ones the first. */
	readonly headers: ReadonlyMap<string, string>;
	/** As it was sent, with bare line feeds. */
	readonly body: string;
};

const PARTS_MAX = 20;

/** A message or a part of one. */
export function readPart(text: string): Part {
	const lines = text.replace(/\r\n?/g, "\n");
	// Without headers the empty line is the first.
	const end = lines.startsWith("\n") ? 0 : lines.indexOf("\n\n");
	const head = end < 0 ? lines : lines.slice(0, end);
	return { headers: readFields(head), body: end < 0 ? "" : lines.slice(end).replace(/^\n{1,2}/, "") };
}

/** `Name: value` lines, as in headers and in the groups of a notice. */
export function readFields(text: string): Map<string, string> {
	const fields = new Map<string, string>();
	for (const line of text.replace(/\n[ \t]+/g, " ").split("\n")) {
		const colon = line.indexOf(":");
		const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
		if (/^[!-9;-~]+$/.test(name) && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
	}
	return fields;
}

/** In lower case, without parameters. */
export function mediaTypeOf({ headers }: Part): string {
	return (headers.get("content-type") ?? "text/plain").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The parts of a multipart message; none of any other. */
export function splitParts(part: Part): Part[] {
	const type = part.headers.get("content-type") ?? "";
	const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]{1,100})"|([^\s;"]{1,100}))/i.exec(type) ?? [];
	const boundary = quoted ?? bare;
	if (boundary === undefined || !mediaTypeOf(part).startsWith("multipart/")) return [];
	const parts: string[][] = [];
	for (const line of part.body.split("\n")) {
		const isMark = line.startsWith(`--${boundary}`);
		const rest = isMark ? line.slice(boundary.length + 2).trimEnd() : undefined;
		if (rest === "--") break;
		if (rest === "") {
			if (parts.length === PARTS_MAX) break;
			parts.push([]);
		} else parts.at(-1)?.push(line);
	}
	return parts.map((lines) => readPart(lines.join("\n")));
}

/** A part's content, whatever it was encoded in for its way. */
export function decodeBody({ headers, body }: Part): string {
	const encoding = (headers.get("content-transfer-encoding") ?? "7bit").toLowerCase();
	if (encoding === "base64") return Buffer.from(body, "base64").toString("latin1").replace(/\r\n?/g, "\n");
	if (encoding !== "quoted-printable") return body;
	return body
		.replace(/=[ \t]*\n/g, "")
		.replace(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
