/** The primary's machine is killed again and again under invoices, with a synchronous standby: nothing that was acknowledged is lost. */
import type { Drill } from "../drill";
import { openFleet } from "../fleet";
import { PATRONI_PACKAGES, startCluster } from "../patroni";
import { openRevoker } from "../revoked-key";

const PER_SECOND = 20;
const KILLS = 10;
const REVOKED_WITHIN_MS = 1_000;
const CALM_MS = 2_000;

export const primaryKilled: Drill = {
	name: "primary-killed",
	shows:
		"a primary with a synchronous standby is killed under 20 invoices/s: 0 lost, 0 doubled, 0 numbers twice, 0 failed look-ups",
	packages: PATRONI_PACKAGES,
	isInSmoke: true,
	async run({ folder, isSmoke, violations, atEnd }) {
		const cluster = await startCluster(folder, { isSynchronous: true });
		atEnd(cluster.stop);
		const settings = { DURABILITY: "replicated" };
		const database = { databaseUrl: cluster.url, ownerUrl: cluster.ownerUrl };
		const fleet = await openFleet(folder, { ...database, nodes: isSmoke ? 1 : 2, settings, violations });
		atEnd(fleet.stop);
		const revoker = await openRevoker(fleet, cluster.ownerUrl);
		atEnd(revoker.close);
		const kills = isSmoke ? 1 : KILLS;
		const [promotions, issues, revocations]: [number[], number[], number[]] = [[], [], []];
		let isOver = false;
		const client = fleet.issue(PER_SECOND, () => isOver);
		const lookUps = fleet.lookUp();
		for (let round = 1; round <= kills && !client.hasFailed(); round++) {
			const key = await revoker.createKey();
			await Bun.sleep(CALM_MS);
			promotions.push(await cluster.killLeader());
			const [issued, from] = [client.acknowledged(), performance.now()];
			const revoking = key.revoke();
			while (client.acknowledged() === issued && !client.hasFailed()) await Bun.sleep(10);
			issues.push(Math.round(performance.now() - from));
			revocations.push(await revoking);
			await cluster.mend();
		}
		isOver = true;
		await client.finished;
		const lookedUp = await lookUps.end();
		const slowestRevocation = Math.max(...revocations);
		if (slowestRevocation > REVOKED_WITHIN_MS)
			violations.push(`a revoked key was accepted for ${slowestRevocation} ms after a failover`);
		return {
			kills,
			"slowest promotion ms": Math.max(...promotions),
			"slowest first issue after it ms": Math.max(...issues),
			"revoked key accepted for ms": slowestRevocation,
			...{ requests: client.requests(), "slowest answer ms": client.slowestMs() },
			...lookedUp,
			...(await fleet.judge()),
		};
	},
};
