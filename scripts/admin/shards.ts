/** Operator commands on shards. */

import { listShards, releaseNode } from "../../src/platform/lanes";
import { type Command, UsageError } from "./command";

export const shardCommands: readonly Command[] = [
	{ usage: "shards list", run: async ({ sql }) => ({ data: await listShards(sql) }) },
	{
		usage: "shards release NODE",
		/** Exits with 1 if the node has no lane. */
		run: async ({ sql }, args) => {
			if (args.operand === undefined) throw new UsageError("a node is needed, as `shards list` shows it");
			const lanes = await releaseNode(sql, args.operand);
			return { data: { lanes }, exitCode: lanes === 0 ? 1 : 0 };
		},
	},
];
