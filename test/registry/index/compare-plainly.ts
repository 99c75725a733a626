/** The changes between two runs, found by looking up every number in both. */
import type { RegistryEntry } from "../../../src/registry";
import type { RegistryChange } from "../../../src/registry/index/compare";

export function comparePlainly(previous: readonly RegistryEntry[], next: readonly RegistryEntry[]): RegistryChange[] {
	const before = new Map(previous.map((e) => [e.rnc, JSON.stringify(e)]));
	const after = new Map(next.map((e) => [e.rnc, JSON.stringify(e)]));
	return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((document): RegistryChange[] => {
		const old = before.get(document);
		const young = after.get(document);
		if (old === young) return [];
		return [{ kind: old === undefined ? "added" : young === undefined ? "removed" : "changed", document }];
	});
}
