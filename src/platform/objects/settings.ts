/** Addresses of places for shared files. The configuration reads them without loading anything else of this folder. */
import { resolve } from "node:path";

export type ObjectsAddress =
	| { readonly kind: "folder"; readonly path: string }
	| { readonly kind: "s3"; readonly bucket: string; readonly prefix: string; readonly endpoint: string | undefined };

/**
 * Reads the address of a place: a folder, or `s3://bucket/prefix`, with `?endpoint=` for a server other than Amazon's. Throws:
 * RangeError.
 */
export function readObjectsAddress(text: string): ObjectsAddress {
	if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: "folder", path: resolve(text) };
	const url = URL.parse(text);
	const endpoint = url?.searchParams.get("endpoint") ?? undefined;
	const isKnown = url?.protocol === "s3:" && url.hostname !== "" && !url.username && !url.password;
	if (!isKnown || (endpoint !== undefined && !/^https?:\/\//.test(endpoint))) {
		throw new RangeError("expected a folder or s3://bucket/prefix without credentials");
	}
	const path = url.pathname.replace(/^\/+|\/+$/g, "");
	return { kind: "s3", bucket: url.hostname, prefix: path === "" ? "" : `${path}/`, endpoint };
}
