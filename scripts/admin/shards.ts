/** Operator commands on shards. */

import { listShards, releaseNode } from "../../src/platform/lanes";
import { measureLogs } from "../../src/platform/outbox";
import type { Runs } from "./command";

export const shardCommands = {
	/** `logSeconds`: null if all documents of the shard's log are finished. */
	"shards list": async ({ sql }) => {
		const logs = await measureLogs(sql);
		const shards = await listShards(sql);
		return { data: shards.map((one) => ({ ...one, logSeconds: Math.round(logs.get(one.shard) ?? 0) || null })) };
	},
	/** Exits with 1 if the node has no lane. */
	"shards release": async ({ sql }, args) => {
		const lanes = await releaseNode(sql, args.operand ?? "");
		return { data: { lanes }, exitCode: lanes === 0 ? 1 : 0 };
	},
} satisfies Runs;
