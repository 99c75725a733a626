/** The authority refuses, then hangs: status, page, PDF, events and webhooks report it within ten seconds, and its recovery too. */
import { playOutage, SIGNS, subscribeToAuthorityStatus } from "../authority-outage";
import { type Counts, inEnvironment, type Scenario, sized } from "../environment";

const LIMIT_MS = 10_000;
const PATIENCE_MS = 60_000;

export const authorityStatus: Scenario = {
	name: "authority-status",
	shows: "an authority outage is reported everywhere within ten seconds, and so is its end",
	run(size) {
		const rounds = sized(size, 5, 1);
		const awayMs = size === "smoke" ? 12_000 : 30_000;
		return inEnvironment("authority-status", { tenants: 1, settings: { PROCESSES: "2" } }, async (environment) => {
			const { url, tenants, webhooks, simulatorUrl, authorityProxy, violations } = environment;
			const tenant = tenants[0];
			if (!tenant) throw new Error("an environment has a tenant");
			await subscribeToAuthorityStatus(url, tenant);
			const order = (method: "POST" | "DELETE") =>
				fetch(`${simulatorUrl}/_simulator/outage`, {
					method,
					...(method === "POST" ? { body: JSON.stringify({ kind: "black-hole" }) } : {}),
				});
			const kinds = {
				refused: {
					begin: async () => authorityProxy.setEnabled(false),
					end: async () => authorityProxy.setEnabled(true),
				},
				swallowed: { begin: () => order("POST"), end: () => order("DELETE") },
			};
			const slowest: Counts = {};
			let number = 1;
			for (let round = 0; round < rounds; round++) {
				for (const [kind, { begin, end }] of Object.entries(kinds)) {
					const countWebhooks = () =>
						webhooks.read().filter(({ event }) => event === "authority.status_changed").length;
					const played = {
						url,
						tenant,
						firstNumber: number,
						begin,
						end,
						countWebhooks,
						awayMs,
						patienceMs: PATIENCE_MS,
					};
					const { away, back } = await playOutage(played);
					number += 2;
					for (const [which, times] of Object.entries({ away, back })) {
						for (const sign of SIGNS) {
							const ms = times[sign] ?? Number.POSITIVE_INFINITY;
							const name = `${kind}, ${which}, ${sign}: seconds at most`;
							slowest[name] = Math.max(slowest[name] ?? 0, Math.round(ms / 100) / 10);
							if (ms > LIMIT_MS) violations.push(`${kind}: ${sign} reported ${which} after ${Math.round(ms)} ms`);
						}
					}
				}
			}
			return { outages: 2 * rounds, "seconds away": awayMs / 1_000, ...slowest };
		});
	},
};
