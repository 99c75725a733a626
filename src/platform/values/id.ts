/** Identifiers: UUIDv7 (RFC 9562), ordered by time, opaque to callers. */

/** For now, or for a given time. */
export function newId(at?: Date): string {
	return at ? Bun.randomUUIDv7("hex", at) : Bun.randomUUIDv7();
}

export const ID_PATTERN = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
const uuidForm = new RegExp(ID_PATTERN);

/** True for a UUID in canonical lower-case text; anything else can identify no row. */
export function isId(text: string): boolean {
	return uuidForm.test(text);
}

/** The smallest id of an instant: earlier ids are smaller, later ones are not. */
export function firstIdAt(time: Date): string {
	const ms = time.getTime().toString(16).padStart(12, "0");
	return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}

/** The last instant with a four-digit year; the database writes later ones differently. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** When an id was made. Meaningless for any other UUID. */
export function timeOfId(id: string): Date {
	return new Date(Math.min(LAST_MS, Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)));
}

/** The four environments of the service; data, keys and tokens never cross between them. */
export const ENVIRONMENTS = ["production", "staging", "sandbox", "public-sandbox"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** True where documents have no fiscal effect and conveniences such as ephemeral certificates exist. */
export function isSandbox(environment: Environment): boolean {
	return environment === "sandbox" || environment === "public-sandbox";
}
