/** The authority is away while invoices come: they are acknowledged as usual, and submitted without a rush when it is back. */

import type { Link } from "../../../test/support/tcp-proxy";
import { startClient } from "../client";
import { inEnvironment, type Scenario, sized } from "../environment";

const PER_SECOND = 40;
/** Maximum concurrent calls to a host. */
const CALLS_MAX = 64;
/** While it is away, a host gets one call at a time: half a second apart at first, ten seconds later on. */
const CALLS_PER_SECOND_AWAY = 4;
const DRAINED_WITHIN_MS = 120_000;

export const authorityDown: Scenario = {
	name: "authority-down",
	shows: "POST stays 202 while the authority is away, and the queue drains without a herd when it is back",
	run(size) {
		const queued = sized(size, 1_000, 60);
		const awayMs = size === "smoke" ? 4_000 : 30_000;
		// A call is in flight from its first byte to the first byte of its answer; an idle kept connection does not count.
		const asked = new Set<Link>();
		let askedMax = 0;
		const see = (link: Link, direction: "upstream" | "downstream") => {
			if (direction === "downstream") asked.delete(link);
			else asked.add(link);
			for (const one of asked) if (!one.isOpen()) asked.delete(one);
			askedMax = Math.max(askedMax, asked.size);
		};
		return inEnvironment("authority-down", { onAuthorityChunk: see }, async (environment) => {
			const { authorityProxy } = environment;
			// Warms up tokens, as in a service that has been running.
			const warm = start(8);
			await warm.finished;
			authorityProxy.setEnabled(false);
			const from = performance.now();
			const callsBefore = authorityProxy.count();
			const client = start(queued);
			await client.finished;
			const postedMs = performance.now() - from;
			await Bun.sleep(Math.max(0, awayMs - postedMs));
			const secondsAway = (performance.now() - from) / 1000;
			const callsAway = authorityProxy.count() - callsBefore;

			const others = Object.entries(client.answers()).filter(([status]) => status !== "202");
			if (others.length > 0)
				environment.violations.push(`answers while it was away: ${JSON.stringify(client.answers())}`);
			// The first failing calls were concurrent.
			if (callsAway > CALLS_MAX + CALLS_PER_SECOND_AWAY * secondsAway)
				environment.violations.push(`${callsAway} calls in ${Math.round(secondsAway)} s to a host that was away`);

			authorityProxy.setEnabled(true);
			askedMax = 0;
			const counts = await environment.judge(DRAINED_WITHIN_MS);
			if (askedMax > CALLS_MAX)
				environment.violations.push(`${askedMax} calls at once after it was back, more than ${CALLS_MAX}`);
			return {
				"invoices queued": queued,
				"seconds away": Math.round(secondsAway),
				"slowest acknowledgement ms": client.slowestMs(),
				"calls while away": callsAway,
				"calls at once after": askedMax,
				...counts,
			};

			function start(count: number) {
				const first = environment.acknowledged.count();
				return startClient({
					url: environment.url,
					tenants: environment.tenants,
					ledger: environment.acknowledged,
					firstNumber: first + 1,
					perSecond: PER_SECOND,
					atOnceMax: 16,
					holdsBack: () => false,
					wantsMore: (posted) => posted < count,
				});
			}
		});
	},
};
