import { isObject } from "./member";

/**
 * What a merge patch makes of a value: members of objects are merged, `null` removes one, anything else takes the place of what was there.
 * A member named `__proto__` or `constructor` is a member like any other. Source: RFC 7396, section 2.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
	if (!isObject(patch)) return patch;
	const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
	for (const [name, value] of Object.entries(patch)) {
		if (value === null) merged.delete(name);
		else merged.set(name, applyMergePatch(merged.get(name), value));
	}
	return Object.fromEntries(merged);
}
