/**
 * The cursor of a search: where the page before ended, sealed under a key and for one query, so that it can neither be forged
 * nor carried to another query. It names values, not rows: it stays good after the next ingest and in every process.
 */
import { timingSafeEqual } from "node:crypto";
import type { HitPlace } from "./snapshot/place";
import type { SearchQuery } from "./snapshot/search";

const MAC_BYTES = 12;
const placeForm = /^([012])-([01])-([0-9]{1,6})-([0-9]{9,11})$/;

export function sealCursor(key: Uint8Array, query: SearchQuery, place: HitPlace): string {
	const text = `${place.hitClass}-${place.active ? 1 : 0}-${place.length}-${place.document}`;
	return `${Buffer.from(text).toString("base64url")}.${macOf(key, query, text).toString("base64url")}`;
}

/** The place that a cursor names; undefined when it was not sealed for this query. */
export function openCursor(key: Uint8Array, query: SearchQuery, cursor: string): HitPlace | undefined {
	const [packed = "", mac = "", ...rest] = cursor.split(".");
	const text = Buffer.from(packed, "base64url").toString("latin1");
	const given = Buffer.from(mac, "base64url");
	const match = placeForm.exec(text);
	if (!match || rest.length > 0 || given.length !== MAC_BYTES) return undefined;
	if (!timingSafeEqual(given, macOf(key, query, text))) return undefined;
	return {
		hitClass: Number(match[1]),
		active: match[2] === "1",
		length: Number(match[3]),
		document: match[4] ?? "",
	};
}

/** The limit is left out: the next page may have another size. */
function macOf(key: Uint8Array, query: SearchQuery, text: string): Buffer {
	const scope = JSON.stringify([query.field, query.text, query.kind ?? null, query.status ?? null, text]);
	return new Bun.CryptoHasher("sha256", key).update(scope).digest().subarray(0, MAC_BYTES);
}
