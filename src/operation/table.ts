import type { Method, Operation } from "./operation";

/**
 * Finds the operation of a request by method and exact path.
 *
 * The HTTP framework reads `:` in a path as the start of a parameter, so `document:search` would also match `documentXYZ` and
 * a POST without `:purge` would erase. Here a path is segments, a segment is literal text with at most one parameter, and a
 * suffix such as `:purge` must be there. Segments are percent-decoded first, so `document%3Asearch` is `document:search`.
 *
 * Paths below `/fe/` are the tax authority's, which compares them without regard to case and has spelt one of them with an accent.
 */
export class OperationTable {
	private readonly bySegmentCount = new Map<number, CompiledPath[]>();

	/** Throws an Error for two operations of one method and path, and for one of a peer's that no folded path meets. */
	constructor(readonly operations: readonly Operation[]) {
		const paths = new Map<string, CompiledPath>();
		for (const operation of operations) {
			const path = paths.get(operation.path) ?? compile(operation.path);
			if (path.byMethod.has(operation.method))
				throw new Error(`two operations for ${operation.method} ${operation.path}`);
			if (isPeerPath(operation.path) && fold(operation.path) !== operation.path)
				throw new Error(
					`${operation.path} is compared without regard to case, so it has to be written in small letters`,
				);
			path.byMethod.set(operation.method, operation);
			paths.set(operation.path, path);
		}
		for (const path of paths.values()) {
			const list = this.bySegmentCount.get(path.segments.length) ?? [];
			list.push(path);
			this.bySegmentCount.set(path.segments.length, list);
		}
		// A literal path wins over one with a parameter in the same place.
		for (const list of this.bySegmentCount.values()) list.sort((a, b) => a.parameters - b.parameters);
	}

	find(method: string, pathname: string): Match {
		const decoded = decode(pathname);
		if (!decoded) return { found: "nothing" };
		const segments = decoded[0]?.toLowerCase() === PEER_FOLDER ? decoded.map(fold) : decoded;
		// A set: a literal path and one with a parameter may both answer the same method here.
		const allow = new Set<Method>();
		for (const path of this.bySegmentCount.get(segments.length) ?? []) {
			const params = matchSegments(path.segments, segments);
			if (!params) continue;
			const operation = path.byMethod.get(method as Method);
			if (operation) return { found: "operation", operation, params };
			for (const other of path.byMethod.keys()) allow.add(other);
		}
		return allow.size > 0 ? { found: "other-method", allow: [...allow] } : { found: "nothing" };
	}
}

const PEER_FOLDER = "fe";

/** True for the paths that every electronic issuer and receiver has to offer under the same names. */
export function isPeerPath(path: string): boolean {
	return path.startsWith(`/${PEER_FOLDER}/`);
}

/** `Recepción` and `recepcion` are one. */
function fold(text: string): string {
	return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

export type Match =
	| { readonly found: "operation"; readonly operation: Operation; readonly params: Record<string, string> }
	| { readonly found: "other-method"; readonly allow: readonly Method[] }
	| { readonly found: "nothing" };

type Segment =
	| { readonly literal: string }
	| { readonly name: string; readonly prefix: string; readonly suffix: string };
type CompiledPath = {
	readonly segments: readonly Segment[];
	readonly parameters: number;
	readonly byMethod: Map<Method, Operation>;
};

function compile(path: string): CompiledPath {
	const segments = path
		.split("/")
		.slice(1)
		.map((text): Segment => {
			const match = /^([^{]*)\{([A-Za-z]+)\}(.*)$/.exec(text);
			if (!match) return { literal: text };
			return { name: match[2] ?? "", prefix: match[1] ?? "", suffix: match[3] ?? "" };
		});
	return { segments, parameters: segments.filter((s) => "name" in s).length, byMethod: new Map() };
}

function decode(pathname: string): string[] | undefined {
	const parts = pathname.split("/").slice(1);
	if (!pathname.includes("%")) return parts;
	try {
		return parts.map(decodeURIComponent);
	} catch {
		return undefined;
	}
}

function matchSegments(pattern: readonly Segment[], actual: readonly string[]): Record<string, string> | undefined {
	const params: Record<string, string> = {};
	for (let i = 0; i < pattern.length; i++) {
		const segment = pattern[i];
		const text = actual[i];
		if (!segment || text === undefined) return undefined;
		if ("literal" in segment) {
			if (segment.literal !== text) return undefined;
			continue;
		}
		const { prefix, suffix } = segment;
		if (text.length <= prefix.length + suffix.length) return undefined;
		if (!text.startsWith(prefix) || !text.endsWith(suffix)) return undefined;
		params[segment.name] = text.slice(prefix.length, text.length - suffix.length);
	}
	return params;
}
