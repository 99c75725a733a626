/** Finds the one address that a request goes to: resolved once, every answer judged. */
import { lookup, Resolver } from "node:dns/promises";
import { classifyAddress, parseAddress } from "./classify-address";

/** All addresses of a host name; rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type Pinned = { readonly address: string; readonly family: 4 | 6 };

/** The machine's own resolver, hosts file included. */
export const systemResolve: Resolve = async (hostname) => {
	const answers = await lookup(hostname, { all: true });
	return answers.map((answer) => answer.address);
};

/**
 * The first public address of a host; with `privateToo` the first of any kind. A mixed answer leads to its public part only.
 * Never rejects.
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

/** Asks one name server, instead of whatever the machine is set up with. */

/** A resolver that asks `server`, an address with a port. Each call asks anew: nothing is kept. */
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
