/**
 * An asynchronous standby gets nothing for 2.5 s, then the primary's machine is killed: what the standby lacks is stored again by the nodes that
 * acknowledged it.
 */
import { startService } from "../../../test/support/processes";
import type { Drill } from "../drill";
import { openFleet } from "../fleet";
import { ask, PATRONI_PACKAGES, stallStandbys, startCluster } from "../patroni";

const PER_SECOND = 20;
const KILLS = 3;
const CALM_MS = 2_000;
const STALLED_MS = 2_500;
const FINAL_WITHIN_MS = 120_000;

export const standbyStalled: Drill = {
	name: "standby-stalled",
	shows:
		"an asynchronous standby is stalled 2.5 s and the primary killed: refused without DURABILITY=single; with it living nodes restore all",
	packages: PATRONI_PACKAGES,
	isInSmoke: false,
	async run({ folder, isSmoke, violations, atEnd }) {
		const cluster = await startCluster(folder, { isSynchronous: false });
		atEnd(cluster.stop);
		const database = { databaseUrl: cluster.url, ownerUrl: cluster.ownerUrl };
		const fleet = await openFleet(folder, {
			...database,
			nodes: isSmoke ? 1 : 2,
			settings: { DURABILITY: "single" },
			violations,
		});
		atEnd(fleet.stop);
		const strict = { ...fleet.settings, DURABILITY: "replicated", PORT: "0" };
		const refused = await startService(strict, `${folder}/strict.log`).ready.then(
			() => "nothing",
			(error: Error) => error.message,
		);
		if (!refused.includes("DURABILITY=replicated needs a synchronous standby"))
			violations.push(`a start without a synchronous standby was refused with ${refused}`);

		const kills = isSmoke ? 1 : KILLS;
		let lacking = 0;
		let isOver = false;
		const client = fleet.issue(PER_SECOND, () => isOver);
		const lookUps = fleet.lookUp();
		for (let round = 1; round <= kills && !client.hasFailed(); round++) {
			await Bun.sleep(CALM_MS);
			await stallStandbys(cluster);
			await Bun.sleep(STALLED_MS);
			const before = fleet.acknowledged.read();
			await cluster.killLeader();
			const { url } = await cluster.leader();
			const rows = await ask(url, (sql) => sql<{ docId: string }[]>`select doc_id as "docId" from documents`);
			const stored = new Set(rows?.map(({ docId }) => docId));
			lacking += before.filter(({ docId }) => !stored.has(docId)).length;
			await cluster.mend();
		}
		isOver = true;
		await client.finished;
		const lookedUp = await lookUps.end();
		if (lacking === 0) violations.push("the promoted standby lacked nothing, so the drill shows nothing");
		return {
			kills,
			"acknowledged and lacking at the first look": lacking,
			...{ requests: client.requests(), "slowest answer ms": client.slowestMs() },
			...lookedUp,
			// A lost verdict is published again, under another id.
			...(await fleet.judge(FINAL_WITHIN_MS, ["events with several delivery ids"])),
		};
	},
};
