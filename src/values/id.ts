/** Identifiers: UUIDv7 (RFC 9562), ordered by time, opaque to callers. */

export function newId(): string {
	return Bun.randomUUIDv7();
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for a UUID in canonical lower-case text; anything else can name no row of ours. */
export function isId(text: string): boolean {
	return uuidForm.test(text);
}
