/**
 * Reads `bun.lock`: which package, in which version, from where, stands at which place of `node_modules`.
 *
 * Shape: JSON with trailing commas; `packages` maps a place to `[name@version, registry, metadata, checksum]`. The place
 * `tsyringe/tslib` is the tslib inside tsyringe. An empty registry means the public one.
 */
import type { Manifest } from "./manifest";

export type LockedPackage = {
	/** The place as the lockfile writes it. */
	readonly key: string;
	readonly name: string;
	readonly version: string;
	/** `sha512-` and base64. */
	readonly integrity: string;
	/** What it needs, by name. An optional one may be absent; a peer that it can do without is not named. */
	readonly needs: readonly string[];
	/** For some operating systems or processors only: it may be absent from this machine. */
	readonly forSomePlatforms: boolean;
};

export type Lockfile = {
	readonly text: string;
	/** The manifest's dependencies as they were when the lockfile was written. */
	readonly workspace: Pick<Manifest, "dependencies" | "devDependencies" | "optionalDependencies">;
	readonly trusted: readonly string[];
	readonly packages: readonly LockedPackage[];
	/** Places whose entry is not a package of a registry with a checksum: a path, an archive, a git repository. */
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

/** Reads the text of a `bun.lock`. Throws a SyntaxError when it is not one. */
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

/** Where a locked package lies under `node_modules`. */
export function placeOf(key: string): string {
	return splitKey(key).join("/node_modules/");
}

/** The package that `name` means inside the package at `from`: the nearest one on the way up, as Node.js looks. */
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
