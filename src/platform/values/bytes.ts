/** Compares, joins and encodes bytes, in servers and browsers. */

export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
	return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

export function toHex(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Undefined for anything but pairs of hexadecimal digits, in either case. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
	if (!/^(?:[0-9a-fA-F]{2})*$/.test(text)) return undefined;
	return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Characters per call: more arguments than a call may have end the program. */
const CHUNK = 8_192;

export function toBase64(bytes: Uint8Array): string {
	let binary = "";
	for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
	return btoa(binary);
}

/** Undefined for anything but canonical base64: padded, without white space or unused bits. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
	if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
	const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
	return toBase64(bytes) === text ? bytes : undefined;
}
