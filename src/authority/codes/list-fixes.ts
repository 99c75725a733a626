/** Where a rejected request would have to change, as far as the authority's remarks tell. */
import type { AuthorityMessage } from "../client/messages";
import { findCode } from "./dictionary";

/** One change of the request, in the manner of a JSON patch. Source: RFC 6902; only the value is told in words. */
export type Fix = { readonly op: "replace"; readonly path: string; readonly value: string };

/** A rejection has at most a hundred remarks, and nobody reads as many corrections. */
const FIXES_MAX = 10;
const LINE = /\bl[ií]nea\s+(\d{1,5})\b/i;

/**
 * The changes that a rejection asks for, each place once: those of its code first, then those of its further remarks. A remark
 * on a line names the line; the service numbers the lines of a document by their place in the request.
 */
export function listFixes(code: string, messages: readonly AuthorityMessage[] = []): Fix[] {
	const fixes = new Map<string, Fix>();
	const own = messages.some((message) => message.code === code) ? [] : [{ code, text: "" }];
	const ordered = [...own, ...messages].sort((a, b) => Number(b.code === code) - Number(a.code === code));
	for (const { code: remarkCode, text } of ordered) {
		for (const { pointer, put } of findCode(remarkCode)?.fields ?? []) {
			const path = toPlace(pointer, text);
			if (fixes.size < FIXES_MAX && !fixes.has(path)) fixes.set(path, { op: "replace", path, value: `<${put.en}>` });
		}
	}
	return [...fixes.values()];
}

function toPlace(pointer: string, text: string): string {
	const line = Number(LINE.exec(text)?.[1] ?? 0);
	return pointer === "/lines" && line > 0 ? `/lines/${line - 1}` : pointer;
}
