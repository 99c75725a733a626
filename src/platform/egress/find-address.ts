/** Finds the one address that a request goes to. The name is resolved once, and every answer is checked. */
import { lookup, Resolver } from "node:dns/promises";
import { classifyAddress, parseAddress } from "./classify-address";

/** All addresses of a host name; rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type Pinned = { readonly address: string; readonly family: 4 | 6 };

/** The machine's own resolver, including the hosts file. */
export const systemResolve: Resolve = async (hostname) => {
	const answers = await lookup(hostname, { all: true });
	return answers.map((answer) => answer.address);
};

/**
 * The first public address of a host; with `privateToo`, the first of any kind. Private addresses of a mixed answer are ignored. Never
 * rejects.
 */
export async function findAddress(
	host: string,
	options: { readonly privateToo: boolean; readonly resolve: Resolve },
): Promise<Pinned | "blocked-address" | "dns-error"> {
	const literal = parseAddress(host);
	let candidates: readonly string[];
	try {
		candidates = literal ? [host] : await options.resolve(host);
	} catch {
		return "dns-error";
	}
	if (candidates.length === 0) return "dns-error";
	for (const address of candidates) {
		const bytes = parseAddress(address);
		if (!bytes) continue;
		if (options.privateToo || classifyAddress(bytes) === "public") {
			return { address, family: bytes.length === 4 ? 4 : 6 };
		}
	}
	return "blocked-address";
}

/** Queries one name server instead of the machine's resolver. */

/** A resolver that queries `server`, an address with a port. It caches nothing. */
export function resolveAt(server: string): Resolve {
	return async (hostname) => {
		const resolver = new Resolver();
		resolver.setServers([server]);
		const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
		const addresses = families.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
		if (addresses.length === 0) throw new Error(`${server} knows no address of ${hostname}`);
		return addresses;
	};
}
