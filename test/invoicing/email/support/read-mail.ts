/** A received mail as a reader of it sees it. */
import { decodeBody, mediaTypeOf, type Part, readPart, splitParts } from "../../../../src/invoicing/email/read-notice";

export type ReadMail = {
	readonly header: (name: string) => string;
	/** In UTF-8. */
	readonly text: string;
	readonly types: readonly string[];
	/** By file name. */
	readonly files: ReadonlyMap<string, Buffer>;
};

export function readMail(message: string): ReadMail {
	const mail = readPart(message);
	const parts = leavesOf(mail);
	const text = parts.find((part) => mediaTypeOf(part) === "text/plain" && nameOf(part) === undefined);
	return {
		header: (name) => mail.headers.get(name) ?? "",
		text: text ? Buffer.from(decodeBody(text), "latin1").toString("utf8") : "",
		types: parts.map(mediaTypeOf),
		files: new Map(
			parts.flatMap((part) => {
				const name = nameOf(part);
				return name === undefined ? [] : [[name, Buffer.from(part.body, "base64")] as const];
			}),
		),
	};
}

function leavesOf(part: Part): Part[] {
	const parts = splitParts(part);
	return parts.length === 0 ? [part] : parts.flatMap(leavesOf);
}

const nameOf = ({ headers }: Part) =>
	/filename="?([^";]+)"?/.exec(headers.get("content-disposition") ?? "")?.[1] ?? undefined;
