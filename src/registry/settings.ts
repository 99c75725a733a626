/** What the operator sets of the registry: where its source lies. Reading the configuration loads nothing else of this folder. */
import { resolve } from "node:path";

/**
 * The form under which a source is kept: another process reads the same file by it. Throws a RangeError for an address that
 * is neither https nor, as a convenience for mirrors on the same machine, http on a loopback host.
 */
export function toSourceName(source: string): string {
	if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return resolve(source);
	return checkAddress(source).href;
}

export function isAddress(sourceName: string): boolean {
	return sourceName.startsWith("http");
}

/** Throws a RangeError, which does not repeat the address: it may hold a password. */
export function checkAddress(address: string): URL {
	const url = URL.parse(address);
	if (!url)
		throw new RangeError(
			"expected the registry's source to be a path or an https address, got an address that is none",
		);
	const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
	if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback)) {
		throw new RangeError("expected the registry's source to be a path or an https address");
	}
	if (url.username || url.password) throw new RangeError("expected the registry's source to hold no credentials");
	return url;
}
