/** A node is replaced again and again with `--replace` while companies issue and callers look up: no request is refused. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/platform/database";
import type { Drill } from "../drill";
import { openFleet } from "../fleet";

const PER_SECOND = 20;
const REQUESTS = 2_000;
const CONNECTIONS = 200;

export const replaced: Drill = {
	name: "replaced",
	shows: "a node is replaced with --replace under load: 0 of 2,000 requests refused",
	packages: [],
	isInSmoke: false,
	async run({ folder, isSmoke, violations, atEnd }) {
		const files = join(folder, "database");
		mkdirSync(files);
		const server = await startEmbeddedPostgres(files, { connections: CONNECTIONS });
		atEnd(server.stop);
		const database = { databaseUrl: server.serviceUrl, ownerUrl: server.url };
		const fleet = await openFleet(folder, { ...database, nodes: 1, violations });
		atEnd(fleet.stop);
		const [node] = fleet.nodes;
		if (!node) throw new Error("there is a node");
		let isOver = false;
		const client = fleet.issue(PER_SECOND, () => isOver);
		const lookUps = fleet.lookUp();
		let replacements = 0;
		const isEnough = () => isSmoke || client.requests() + lookUps.count() >= REQUESTS;
		while (replacements === 0 || !isEnough()) {
			await node.replace();
			replacements++;
		}
		isOver = true;
		await client.finished;
		const refused = Object.entries(client.answers()).filter(([status]) => status !== "202");
		for (const [status, times] of refused) violations.push(`${times} POSTs were answered with ${status}`);
		return {
			...{ replacements, requests: client.requests(), "slowest answer ms": client.slowestMs() },
			"refused requests": refused.reduce((sum, [, times]) => sum + times, 0),
			...(await lookUps.end()),
			...(await fleet.judge()),
		};
	},
};
