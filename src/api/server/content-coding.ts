/** Compression of what we answer: which coding a caller takes, and the bytes in it. Source: RFC 9110, 8.4 and 12.5.3. */
import { promisify } from "node:util";
import { constants, gzip, zstdCompress } from "node:zlib";

export type Coding = "zstd" | "gzip";

/** The better one first. */
const CODINGS: readonly Coding[] = ["zstd", "gzip"];
const ZSTD_LEVEL = 12;

const codeGzip = promisify(gzip);
const codeZstd = promisify(zstdCompress);

/** Off the thread that answers. The same bytes give the same result in every process. */
export async function encode(bytes: Uint8Array, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
	const coded =
		coding === "gzip"
			? await codeGzip(bytes, { level: constants.Z_BEST_COMPRESSION })
			: await codeZstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
	return new Uint8Array(coded);
}

/** The coding that the caller likes best; undefined for none, which is also the answer to whoever takes nothing that we have. */
export function chooseCoding(acceptEncoding: string | null): Coding | undefined {
	if (acceptEncoding === null) return undefined;
	const weights = readWeights(acceptEncoding);
	const any = weights.get("*") ?? 0;
	const weightOf = (coding: Coding) =>
		weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined) ?? any;
	const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
	// Bytes as they are come last, unless the caller says otherwise.
	return best !== undefined && weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0)
		? best
		: undefined;
}

/** By name in lower case, 0 to 1; what is not written as the standard says is passed over. */
function readWeights(header: string): ReadonlyMap<string, number> {
	return new Map(
		header.split(",").flatMap((part): [string, number][] => {
			const match = /^([!#$%&'*+.^_`|~\w-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i.exec(part.trim());
			return match ? [[(match[1] ?? "").toLowerCase(), Number(match[2] ?? 1)]] : [];
		}),
	);
}
