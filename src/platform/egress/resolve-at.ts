/** Asks one name server, instead of whatever the machine is set up with. */
import { Resolver } from "node:dns/promises";
import type { Resolve } from "./find-address";

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
