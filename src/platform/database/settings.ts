/**
 * Addresses of databases, which may name several servers as in libpq: `postgres://app:…@one:5432,two:5432/sello`. Of several the service uses the primary.
 * Not for addresses of IPv6.
 */

export type DatabaseAddress = {
	/** With the first server only. */
	readonly url: URL;
	/** All servers, each `host` or `host:port`; empty if there is only one. */
	readonly servers: readonly string[];
};

const PARTS = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/i;

/** Throws a TypeError for what is no address. */
export function readDatabaseAddress(text: string): DatabaseAddress {
	const [, login = "", hosts = "", rest = ""] = PARTS.exec(text) ?? [];
	const servers = hosts.split(",");
	if (servers.length === 1) return { url: new URL(text), servers: [] };
	const [url] = servers.map((server) => new URL(`${login}${server}${rest}`));
	if (!url || servers.some((server) => server === "" || server.startsWith("[")))
		throw new TypeError("expected the name of each server");
	return { url, servers };
}

/** The text that `readDatabaseAddress` reads as this address. */
export function writeDatabaseAddress({ url, servers }: DatabaseAddress): string {
	return servers.length === 0
		? url.href
		: url.href.replace(PARTS, (_, login, __, rest) => `${login}${servers.join(",")}${rest}`);
}

export function isDatabaseAddress(text: string): boolean {
	try {
		return ["postgres:", "postgresql:"].includes(readDatabaseAddress(text).url.protocol);
	} catch {
		return false;
	}
}
