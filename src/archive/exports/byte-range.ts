/** Which part of a file a request asks for. Source: RFC 9110, 14.1.2 and 14.2. */

export type Part = { readonly first: number; readonly last: number };

/**
 * In any letters, with blanks and numbers of any length: what is taken for the whole here the runtime, which answers with a file, reads once more
 * by its own rules, and its refusal is no problem document.
 */
const BYTE_RANGE = /^bytes[ \t]*=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)$/i;

/**
 * The part that a `Range` header names; `whole` where it is absent, not understood or names several parts, which may all be answered with the
 * whole file; `none` where the file has no byte of it.
 */
export function readRange(header: string | null, sizeBytes: number): Part | "whole" | "none" {
	const [, first = "", last = ""] = BYTE_RANGE.exec(header?.trim() ?? "") ?? [];
	if (first === "" && last === "") return "whole";
	if (first === "") {
		const suffixBytes = Number(last);
		return suffixBytes === 0 ? "none" : { first: Math.max(0, sizeBytes - suffixBytes), last: sizeBytes - 1 };
	}
	if (last !== "" && Number(last) < Number(first)) return "whole";
	if (Number(first) >= sizeBytes) return "none";
	return { first: Number(first), last: last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
