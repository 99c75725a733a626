/**
 * The cursor of a search: where the page before ended, sealed under a key and for one query, so that it can neither be forged
 * nor carried to another query. It names values, not rows: it stays good after the next ingest and in every process.
 */
import { timingSafeEqual } from "node:crypto";
import type { HitPlace } from "./index/place";
import type { SearchQuery } from "./index/search";

const MAC_BYTES = 12;
/** Three bytes are four characters, so the beginning of the text is that of the bytes. */
const MAC_CHARACTERS = 16;
const placeForm = /^([012])-([01])-([0-9]{1,6})-([0-9]{9,11})$/;

export function sealCursor(key: Uint8Array, query: SearchQuery, place: HitPlace): string {
	const text = `${place.hitClass}-${place.active ? 1 : 0}-${place.length}-${place.document}`;
	// Digits and hyphens need none of the characters in which the two forms of base64 differ.
	return `${btoa(text).replace(/=+$/, "")}.${macOf(key, query, text)}`;
}

/** The place that a cursor names; undefined when it was not sealed for this query. */
export function openCursor(key: Uint8Array, query: SearchQuery, cursor: string): HitPlace | undefined {
	const [packed = "", mac = "", ...rest] = cursor.split(".");
	const text = Buffer.from(packed, "base64url").toString("latin1");
	const given = Buffer.from(mac, "base64url");
	const match = placeForm.exec(text);
	if (!match || rest.length > 0 || given.length !== MAC_BYTES) return undefined;
	if (!timingSafeEqual(given, Buffer.from(macOf(key, query, text), "base64url"))) return undefined;
	return {
		hitClass: Number(match[1]),
		active: match[2] === "1",
		length: Number(match[3]),
		document: match[4] ?? "",
	};
}

/** The limit is left out: the next page may have another size. */
function macOf(key: Uint8Array, query: SearchQuery, text: string): string {
	const scope = JSON.stringify([query.field, query.text, query.kind ?? null, query.status ?? null, text]);
	return keyedWith(key).copy().update(scope).digest("base64url").slice(0, MAC_CHARACTERS);
}

/** By the key itself: to make a keyed hash takes longer than to compute one. */
const keyedHashes = new WeakMap<Uint8Array, Bun.CryptoHasher>();

function keyedWith(key: Uint8Array): Bun.CryptoHasher {
	const known = keyedHashes.get(key);
	if (known) return known;
	const made = new Bun.CryptoHasher("sha256", key);
	keyedHashes.set(key, made);
	return made;
}
