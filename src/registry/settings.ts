/** Settings of the registry's source. The configuration reads them without loading anything else of this folder. */
import { resolve } from "node:path";

/**
 * The canonical name of a source, by which another process finds the same file. Throws: RangeError for an address that is neither https nor
 * http on a loopback host, which mirrors on the same machine may use.
 */
export function toSourceName(source: string): string {
	if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return resolve(source);
	return checkAddress(source).href;
}

export function isAddress(sourceName: string): boolean {
	return sourceName.startsWith("http");
}

/** Throws: RangeError. Its message omits the address, which may contain a password. */
export function checkAddress(address: string): URL {
	const url = URL.parse(address);
	if (!url)
		throw new RangeError("expected the registry's source to be a path or an https address, got an invalid address");
	const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
	if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback)) {
		throw new RangeError("expected the registry's source to be a path or an https address");
	}
	if (url.username || url.password) throw new RangeError("expected the registry's source to contain no credentials");
	return url;
}
