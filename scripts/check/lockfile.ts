/**
 * Reads `bun.lock`: the name, version and origin of the package at each path of `node_modules`.
 *
 * Shape: JSON with trailing commas; `packages` maps a path to `[name@version, registry, metadata, checksum]`. The path
 * `tsyringe/tslib` is the tslib inside tsyringe. An empty registry means the public one.
 */
import type { Manifest } from "./manifest";

export type LockedPackage = {
	/** The path as the lockfile writes it. */
	readonly key: string;
	readonly name: string;
	readonly version: string;
	/** `sha512-` and base64. */
	readonly integrity: string;
	/** The dependencies by name. An optional one may be absent; optional peers are left out. */
	readonly needs: readonly string[];
	/** Built for some operating systems or processors only, so it may be absent here. */
	readonly forSomePlatforms: boolean;
};

export type Lockfile = {
	readonly text: string;
	/** The manifest's dependencies at the time the lockfile was written. */
	readonly workspace: Pick<Manifest, "dependencies" | "devDependencies" | "optionalDependencies">;
	readonly trusted: readonly string[];
	readonly packages: readonly LockedPackage[];
	/** Paths whose entry is not a registry package with a checksum: a folder, an archive, a git repository. */
	readonly strangers: readonly string[];
};

type Metadata = {
	dependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
	peerDependencies?: Record<string, string>;
	optionalPeers?: string[];
	os?: unknown;
	cpu?: unknown;
	libc?: unknown;
};

/** Parses the text of a `bun.lock`. Throws a SyntaxError for any other text. */
export function parseLockfile(text: string): Lockfile {
	const lock = Bun.JSONC.parse(text) as {
		workspaces?: Record<string, Lockfile["workspace"]>;
		trustedDependencies?: string[];
		packages?: Record<string, unknown[]>;
	};
	const packages: LockedPackage[] = [];
	const strangers: string[] = [];
	for (const [key, entry] of Object.entries(lock.packages ?? {})) {
		const locked = toPackage(key, entry);
		if (locked) packages.push(locked);
		else strangers.push(key);
	}
	const workspace = lock.workspaces?.[""] ?? {};
	return { text, workspace, trusted: lock.trustedDependencies ?? [], packages, strangers };
}

function toPackage(key: string, entry: readonly unknown[]): LockedPackage | undefined {
	const [identity, registry, metadata, integrity] = entry;
	if (typeof identity !== "string" || typeof registry !== "string" || typeof integrity !== "string") return undefined;
	const match = /^(@?[^@]+)@(\d[^:/]*)$/.exec(identity);
	if (!match || !integrity.startsWith("sha512-")) return undefined;
	const {
		dependencies,
		optionalDependencies,
		peerDependencies,
		optionalPeers = [],
		os,
		cpu,
		libc,
	} = metadata as Metadata;
	return {
		key,
		name: match[1] ?? "",
		version: match[2] ?? "",
		integrity,
		needs: Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
			(need) => !optionalPeers.includes(need),
		),
		forSomePlatforms: os !== undefined || cpu !== undefined || libc !== undefined,
	};
}

/** The folder of a locked package under `node_modules`. */
export function placeOf(key: string): string {
	return splitKey(key).join("/node_modules/");
}

/** The package that `name` resolves to inside the package at `from`: the nearest one on the way up, as in Node.js. */
export function resolveNeed(
	packages: ReadonlyMap<string, LockedPackage>,
	from: string,
	name: string,
): LockedPackage | undefined {
	const path = splitKey(from);
	for (let depth = path.length; depth >= 0; depth--) {
		const found = packages.get([...path.slice(0, depth), name].join("/"));
		if (found) return found;
	}
	return undefined;
}

function splitKey(key: string): string[] {
	return key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
}
