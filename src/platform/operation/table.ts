import type { Method, Operation } from "./operation";

/**
 * Finds the operation of a request by method and exact path.
 *
 * The HTTP framework takes `:` in a path for the start of a parameter, so `document:search` would also match `documentXYZ`, and a POST
 * without `:purge` would erase. Here a path is a list of segments; a segment is literal text with at most one parameter, and a suffix such
 * as `:purge` is required. Segments are percent-decoded first, so `document%3Asearch` is `document:search`. A segment that cannot be
 * decoded matches only a parameter that accepts it.
 *
 * A path that no operation has belongs to the operation that covers all paths below its own, if there is one.
 *
 * Paths below `/fe/` are defined by the tax authority, which compares them without regard to case and has spelt one of them with an accent.
 */
export class OperationTable {
	private readonly bySegmentCount = new Map<number, CompiledPath[]>();
	/** Longest first. */
	private readonly prefixes: readonly Operation[];

	/** Throws an Error for two operations with the same method and path, and for a `/fe/` path that no folded path can match. */
	constructor(readonly operations: readonly Operation[]) {
		const paths = new Map<string, CompiledPath>();
		for (const operation of operations) {
			const path = paths.get(operation.path) ?? compile(operation);
			if (path.byMethod.has(operation.method))
				throw new Error(`two operations for ${operation.method} ${operation.path}`);
			if (isCounterpartyPath(operation.path) && fold(operation.path) !== operation.path)
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
		// A literal path wins over one with a parameter in the same position.
		for (const list of this.bySegmentCount.values()) list.sort((a, b) => a.parameters - b.parameters);
		this.prefixes = operations.filter(({ coversBelow }) => coversBelow).sort((a, b) => b.path.length - a.path.length);
	}

	find(method: string, pathname: string): Match {
		const decoded = decode(pathname);
		const segments = decoded[0]?.text.toLowerCase() === PEER_FOLDER ? decoded.map(foldSegment) : decoded;
		// A set: a literal path and one with a parameter may both answer the same method.
		const allow = new Set<Method>();
		for (const path of this.bySegmentCount.get(segments.length) ?? []) {
			const params = matchSegments(path.segments, segments);
			if (!params) continue;
			const operation = path.byMethod.get(method as Method);
			if (operation) return { found: "operation", operation, params };
			for (const other of path.byMethod.keys()) allow.add(other);
		}
		if (allow.size > 0) return { found: "other-method", allow: [...allow] };
		const covering = this.prefixes.find(({ path }) => pathname.startsWith(`${path}/`));
		if (!covering) return { found: "nothing" };
		return covering.method === method
			? { found: "operation", operation: covering, params: {} }
			: { found: "other-method", allow: [covering.method] };
	}
}

const PEER_FOLDER = "fe";

/** True for the paths that every electronic issuer and receiver must offer under the same names. */
export function isCounterpartyPath(path: string): boolean {
	return path.startsWith(`/${PEER_FOLDER}/`);
}

/** `Recepción` and `recepcion` are equal. */
function fold(text: string): string {
	return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

export type Match =
	| { readonly found: "operation"; readonly operation: Operation; readonly params: Record<string, string> }
	| { readonly found: "other-method"; readonly allow: readonly Method[] }
	| { readonly found: "nothing" };

type Segment =
	| { readonly literal: string }
	| { readonly name: string; readonly prefix: string; readonly suffix: string; readonly takesUndecodable: boolean };
/** The segments of a request; `text` is as written where it is not percent-encoded UTF-8. */
type ActualSegment = { readonly text: string; readonly isDecoded: boolean };
type CompiledPath = {
	readonly segments: readonly Segment[];
	readonly parameters: number;
	readonly byMethod: Map<Method, Operation>;
};

function compile({ path, parameters = [] }: Operation): CompiledPath {
	const segments = path
		.split("/")
		.slice(1)
		.map((text): Segment => {
			const match = /^([^{]*)\{([A-Za-z]+)\}(.*)$/.exec(text);
			if (!match) return { literal: text };
			const [, prefix = "", name = "", suffix = ""] = match;
			const takesUndecodable = parameters.some((one) => one.name === name && one.takesUndecodable === true);
			return { name, prefix, suffix, takesUndecodable };
		});
	return { segments, parameters: segments.filter((s) => "name" in s).length, byMethod: new Map() };
}

function decode(pathname: string): ActualSegment[] {
	return pathname
		.split("/")
		.slice(1)
		.map((written) => {
			if (!written.includes("%")) return { text: written, isDecoded: true };
			try {
				return { text: decodeURIComponent(written), isDecoded: true };
			} catch {
				return { text: written, isDecoded: false };
			}
		});
}

function foldSegment({ text, isDecoded }: ActualSegment): ActualSegment {
	return { text: fold(text), isDecoded };
}

function matchSegments(
	pattern: readonly Segment[],
	actual: readonly ActualSegment[],
): Record<string, string> | undefined {
	const params: Record<string, string> = {};
	for (let i = 0; i < pattern.length; i++) {
		const segment = pattern[i];
		const one = actual[i];
		if (!segment || !one) return undefined;
		const { text, isDecoded } = one;
		if ("literal" in segment) {
			if (!isDecoded || segment.literal !== text) return undefined;
			continue;
		}
		const { prefix, suffix, takesUndecodable } = segment;
		if (!isDecoded && !takesUndecodable) return undefined;
		if (text.length <= prefix.length + suffix.length) return undefined;
		if (!text.startsWith(prefix) || !text.endsWith(suffix)) return undefined;
		params[segment.name] = text.slice(prefix.length, text.length - suffix.length);
	}
	return params;
}
