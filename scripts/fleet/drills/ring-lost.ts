/**
 * A node is killed with the primary that its stalled standby lacks: what it alone had in memory is lost, and an operator's reconciliation finds
 * what the archive or the authority knows of it.
 */
import { runAdmin } from "../../../test/support/processes";
import { readReceptions } from "../../harness/facts";
import type { Drill } from "../drill";
import { openFleet } from "../fleet";
import { ask, PATRONI_PACKAGES, stallStandbys, startCluster } from "../patroni";

const PER_SECOND = 20;
const CALM_MS = 2_000;
const STALLED_MS = 2_500;
const AFTERWARDS_MS = 3_000;

type Reconciled = {
	readonly beyond: { readonly documents: number };
	readonly companies: readonly { readonly known: readonly string[]; readonly skipped: number }[];
};

export const ringLost: Drill = {
	name: "ring-lost",
	shows:
		"a node is killed with the primary: admin fleet reconcile finds what archive or authority know, 0 numbers twice",
	packages: PATRONI_PACKAGES,
	isInSmoke: false,
	async run({ folder, violations, atEnd }) {
		const cluster = await startCluster(folder, { isSynchronous: false });
		atEnd(cluster.stop);
		const database = { databaseUrl: cluster.url, ownerUrl: cluster.ownerUrl };
		const fleet = await openFleet(folder, { ...database, nodes: 2, settings: { DURABILITY: "single" }, violations });
		atEnd(fleet.stop);
		const [, second] = fleet.nodes;
		if (!second) throw new Error("there are two nodes");
		let isOver = false;
		const client = fleet.issue(PER_SECOND, () => isOver);
		const lookUps = fleet.lookUp();
		await Bun.sleep(CALM_MS);
		await stallStandbys(cluster);
		await Bun.sleep(STALLED_MS);
		second.program().kill("SIGKILL");
		await cluster.killLeader();
		const from = performance.now();
		// It waits until the killed process no longer counts as living.
		const found = (await runAdmin(["fleet", "reconcile"], fleet.settings)) as Reconciled;
		const reconciledMs = Math.round(performance.now() - from);
		await second.start();
		await Bun.sleep(AFTERWARDS_MS);
		isOver = true;
		await client.finished;
		const lookedUp = await lookUps.end();

		const acknowledged = fleet.acknowledged.read();
		const rows = await ask(
			cluster.ownerUrl,
			(sql) => sql<{ docId: string }[]>`
			select doc_id as "docId" from documents`,
		);
		const names = await ask(
			cluster.ownerUrl,
			(sql) => sql<{ name: string }[]>`
			select c.rnc || ' ' || n.name as name from names n join companies c using (tenant_id)`,
		);
		if (!rows || !names) throw new Error("the database does not answer");
		const [stored, taken] = [new Set(rows.map(({ docId }) => docId)), new Set(names.map(({ name }) => name))];
		const received = new Set(
			(await readReceptions(fleet.settings.AUTHORITY_URL ?? "")).map(({ rnc, encf }) => `${rnc} ${encf}`),
		);
		const lost = acknowledged.filter(({ docId }) => !stored.has(docId));
		const ofService = fleet.tenants.filter((_, n) => n % 2 === 0).map(({ rnc }) => rnc);
		const free = lost
			.filter(({ rnc }) => ofService.includes(rnc))
			.map(({ rnc, encf }) => `${rnc} ${encf}`)
			.filter((number) => received.has(number) && !taken.has(number));
		for (const number of free) violations.push(`${number} is known to the authority and free`);
		if (lost.length === 0) violations.push("nothing was lost with the node, so the drill shows nothing");
		return {
			...{ acknowledged: acknowledged.length, "lost with the node": lost.length },
			"found in the archive": found.beyond.documents,
			"found by asking the authority": found.companies.reduce((sum, { known }) => sum + known.length, 0),
			"numbers skipped": found.companies.reduce((sum, { skipped }) => sum + skipped, 0),
			"numbers given twice": fleet.countTwice(),
			"reconciled after ms": reconciledMs,
			...{ requests: client.requests(), ...lookedUp },
		};
	},
};
