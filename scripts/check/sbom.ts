/**
 * Writes the bill of materials: each package with its origin, checksum and licence. The same tree gives the same bytes, so it carries
 * neither a time nor a serial number.
 *
 * Source: CycloneDX 1.5, JSON format, https://cyclonedx.org/docs/1.5/json/
 */
import type { InstalledPackage } from "./licences";
import { type LockedPackage, resolveNeed } from "./lockfile";
import type { Manifest } from "./manifest";

export type Component = {
	readonly type: "library";
	readonly "bom-ref": string;
	readonly group?: string;
	readonly name: string;
	readonly version: string;
	readonly description?: string;
	/** `required` at run time; `excluded` when only development needs it. */
	readonly scope: "required" | "excluded";
	readonly hashes: readonly { readonly alg: "SHA-512"; readonly content: string }[];
	readonly licenses: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[];
	readonly purl: string;
};

export type Bill = {
	readonly bomFormat: "CycloneDX";
	readonly specVersion: "1.5";
	readonly version: 1;
	readonly metadata: { readonly component: Record<string, unknown> };
	readonly components: readonly Component[];
	readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

/** Writes the bill of the installed packages. Packages for other platforms are left out. */
export function makeBill(manifest: Manifest, installed: readonly InstalledPackage[]): Bill {
	const places = new Map(installed.map((one) => [one.key, one]));
	const runtime = reach(places, Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
	const direct = Object.keys({
		...manifest.dependencies,
		...manifest.optionalDependencies,
		...manifest.devDependencies,
	});
	const root = `pkg:npm/${manifest.name ?? "unnamed"}@${manifest.version ?? "0.0.0"}`;
	return {
		bomFormat: "CycloneDX",
		specVersion: "1.5",
		version: 1,
		metadata: {
			component: { type: "application", "bom-ref": root, name: manifest.name, version: manifest.version, purl: root },
		},
		components: installed.map((one) => toComponent(one, runtime.has(one.key))),
		dependencies: [
			{ ref: root, dependsOn: refsOf(places, "", direct) },
			...installed.map((one) => ({ ref: refOf(one), dependsOn: refsOf(places, one.key, one.needs) })),
		],
	};
}

/** Every path that can be reached from the named packages. */
function reach(places: ReadonlyMap<string, LockedPackage>, names: readonly string[]): Set<string> {
	const reached = new Set<string>();
	const waiting = resolveAll(places, "", names);
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		if (reached.has(next.key)) continue;
		reached.add(next.key);
		waiting.push(...resolveAll(places, next.key, next.needs));
	}
	return reached;
}

function resolveAll(
	places: ReadonlyMap<string, LockedPackage>,
	from: string,
	names: readonly string[],
): LockedPackage[] {
	return names.flatMap((name) => resolveNeed(places, from, name) ?? []);
}

function toComponent(one: InstalledPackage, isRuntime: boolean): Component {
	const [scope, name] = one.name.startsWith("@") ? one.name.split("/") : [undefined, one.name];
	return {
		type: "library",
		"bom-ref": refOf(one),
		...(scope ? { group: scope } : {}),
		name: name ?? one.name,
		version: one.version,
		...(one.description ? { description: one.description } : {}),
		scope: isRuntime ? "required" : "excluded",
		hashes: [{ alg: "SHA-512", content: Buffer.from(one.integrity.slice("sha512-".length), "base64").toString("hex") }],
		licenses: one.licence ? [toLicence(one.licence)] : [],
		purl: purlOf(one),
	};
}

function toLicence(licence: string): Component["licenses"][number] {
	return /[ ()]/.test(licence) ? { expression: licence } : { license: { id: licence } };
}

function refsOf(places: ReadonlyMap<string, LockedPackage>, from: string, names: readonly string[]): string[] {
	return [...new Set(resolveAll(places, from, names).map(refOf))].sort();
}

/** One version may be installed at several paths; the path keeps the reference unique. */
function refOf(one: LockedPackage): string {
	return one.key === one.name ? purlOf(one) : `${purlOf(one)}#${one.key}`;
}

/** Source: package-url, type npm: the scope's @ is percent-encoded. */
function purlOf(one: LockedPackage): string {
	return `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`;
}
