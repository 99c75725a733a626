/** Operator command on partitions. */

import { listPartitions } from "../../src/invoicing/invoices";
import type { Command } from "./command";

export const partitionCommands: readonly Command[] = [
	{
		usage: "partitions list",
		run: async ({ sql, config }) => ({ data: await listPartitions(sql, config.paperDays) }),
	},
];
