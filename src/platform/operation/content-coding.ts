/** Content codings of answers: which one a caller gets, and compression of short answers. Source: RFC 9110, 8.4 and 12.5.3. */

export type Coding = "zstd" | "gzip";

/** Preferred first. */
const CODINGS: readonly Coding[] = ["zstd", "gzip"];

/** Bytes; shorter answers fit into one packet uncompressed. */
export const CODED_BYTES_MIN = 1_024;

/** The caller's preferred coding; undefined for none, also if the caller accepts none of ours. */
export function chooseCoding(acceptEncoding: string | null): Coding | undefined {
	if (acceptEncoding === null) return undefined;
	const weights = readWeights(acceptEncoding);
	// `*` means gzip, which every client can read.
	const weightOf = (coding: Coding) =>
		weights.get(coding) ?? (coding === "gzip" ? (weights.get("x-gzip") ?? weights.get("*")) : undefined) ?? 0;
	const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
	// Uncompressed bytes come last, unless the caller prefers them.
	return best !== undefined && weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0)
		? best
		: undefined;
}

/** Weights from 0 to 1 by name in lower case; parts that violate the standard are ignored. */
function readWeights(header: string): ReadonlyMap<string, number> {
	return new Map(
		header.split(",").flatMap((part): [string, number][] => {
			const match = /^([!#$%&'*+.^_`|~\w-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i.exec(part.trim());
			return match ? [[(match[1] ?? "").toLowerCase(), Number(match[2] ?? 1)]] : [];
		}),
	);
}

/**
 * A short answer for a caller that accepts a coding, and the headers that it changes; undefined if it stays as it is. Compresses at once: an answer of
 * some kilobytes takes less time than a trip to the thread pool. For answers that contain nothing secret, because their length depends on their content.
 */
export function codeAnswer(
	bytes: Uint8Array<ArrayBuffer>,
	acceptEncoding: string | null,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly coding: Coding } | undefined {
	const coding = bytes.length < CODED_BYTES_MIN ? undefined : chooseCoding(acceptEncoding);
	if (coding === undefined) return undefined;
	return {
		bytes: new Uint8Array(
			coding === "gzip" ? Bun.gzipSync(bytes, { level: 1 }) : Bun.zstdCompressSync(bytes, { level: 1 }),
		),
		coding,
	};
}
