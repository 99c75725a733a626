/** Three nodes behind HAProxy; any one is killed, again and again, and started at once. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/platform/database";
import { startBalancer } from "../balancer";
import type { Drill } from "../drill";
import { openFleet } from "../fleet";

const PER_SECOND = 20;
const NODES = 3;
const KILLS = 20;
const CALM_MS = 1_000;
const CONNECTIONS = 300;

export const nodeKilled: Drill = {
	name: "node-killed",
	shows: "three nodes behind HAProxy, any one killed at random: 0 lost, 0 doubled, 0 numbers twice",
	packages: ["haproxy"],
	isInSmoke: true,
	async run({ folder, isSmoke, violations, atEnd }) {
		const files = join(folder, "database");
		mkdirSync(files);
		const server = await startEmbeddedPostgres(files, { connections: CONNECTIONS });
		atEnd(server.stop);
		const fleet = await openFleet(folder, {
			...{ databaseUrl: server.serviceUrl, ownerUrl: server.url, nodes: isSmoke ? 2 : NODES, violations },
			async balance(addresses) {
				const balancer = await startBalancer(folder, addresses);
				atEnd(balancer.stop);
				return balancer.url;
			},
		});
		atEnd(fleet.stop);
		const kills = isSmoke ? 2 : KILLS;
		let isOver = false;
		const client = fleet.issue(PER_SECOND, () => isOver);
		const lookUps = fleet.lookUp();
		for (let round = 1; round <= kills && !client.hasFailed(); round++) {
			await Bun.sleep(CALM_MS);
			const node = fleet.nodes[Math.floor(Math.random() * fleet.nodes.length)];
			if (!node) throw new Error("there are nodes");
			node.program().kill("SIGKILL");
			await node.program().ended;
			await node.start();
		}
		isOver = true;
		await client.finished;
		return {
			...{ kills, requests: client.requests(), "slowest answer ms": client.slowestMs() },
			...(await lookUps.end()),
			...(await fleet.judge()),
		};
	},
};
