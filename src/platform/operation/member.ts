/** Looking into a body whose form is not known yet: what is not there, or is of another type, is undefined. */
export function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member that the object itself has; inherited ones such as `constructor` are none. */
export function member(value: unknown, name: string): unknown {
	return isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

export function textMember(value: unknown, name: string): string | undefined {
	const found = member(value, name);
	return typeof found === "string" ? found : undefined;
}
