/**
 * What an operator's address says besides where the database is, as the driver shall take it.
 *
 * Quirk: in the driver a setting in the address comes before the program's own of the same name. Who writes `?application_name=…` there would hide the
 * service's sessions from those that look for them by their names, and `?TimeZone=…` would move its days. What the service sets, it sets.
 *
 * Quirk: the driver knows a socket's folder by its slash and does not decode it, so it is told apart here. The folder stands where the host does,
 * as in `postgres://app:…@%2Frun%2Fpostgresql/sello`, or in `?host=/run/postgresql`.
 */
export type DriverAddress = {
	readonly url: string;
	/** Of the folder that has the server's socket. */
	readonly host?: string;
};

export function toDriverAddress(url: string, ownSettings: readonly string[]): DriverAddress {
	const address = new URL(url);
	const own = new Set(ownSettings.map((name) => name.toLowerCase()));
	for (const name of [...address.searchParams.keys()])
		if (own.has(name.toLowerCase())) address.searchParams.delete(name);
	const folder = [address.searchParams.get("host") ?? "", decodeURIComponent(address.hostname)].find(isFolder);
	if (folder === undefined) return { url: address.href };
	address.searchParams.delete("host");
	return { url: address.href, host: folder };
}

const isFolder = (host: string): boolean => host.startsWith("/");
