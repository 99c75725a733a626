/** HAProxy before the nodes of a fleet, set up like the sample for operators in `data/deploy/haproxy.cfg`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../test/support/processes";
import { until } from "../../test/support/until";
import { makeOpenFolder, startUnprivileged } from "./programs";

export type Balancer = { readonly url: string; readonly stop: () => Promise<void> };

const LISTENS_WITHIN_MS = 10_000;

export async function startBalancer(folder: string, addresses: readonly string[]): Promise<Balancer> {
	const own = makeOpenFolder(join(folder, "balancer"));
	const port = await findFreePort();
	const servers = addresses.map((address, i) => `    server node-${i + 1} ${new URL(address).host}`);
	const lines = [
		...["global", "    maxconn 1000", "defaults", "    mode http", "    timeout connect 2s", "    timeout client 55s"],
		...["    timeout server 75s", "    timeout queue 5s", "frontend public", `    bind 127.0.0.1:${port}`],
		...["    default_backend sello", "backend sello", "    balance leastconn", "    option httpchk GET /readyz"],
		...["    http-check expect status 200", "    retries 2", "    retry-on conn-failure", "    option redispatch 1"],
		...["    http-reuse safe", "    default-server check inter 1s fall 2 rise 1", ...servers, ""],
	];
	const path = join(own, "haproxy.cfg");
	writeFileSync(path, lines.join("\n"));
	const program = startUnprivileged(own, "haproxy", ["/usr/sbin/haproxy", "-db", "-f", path]);
	const url = `http://127.0.0.1:${port}`;
	await until(
		() =>
			fetch(url).then(
				() => true,
				() => false,
			),
		LISTENS_WITHIN_MS,
	);
	return {
		url,
		async stop() {
			program.kill();
			await program.ended;
		},
	};
}
