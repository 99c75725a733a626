/** Operator command on partitions. */

import { listPartitions } from "../../src/invoicing/invoices";
import type { Runs } from "./command";

export const partitionCommands = {
	"partitions list": async ({ sql, config }) => ({ data: await listPartitions(sql, config.paperDays) }),
} satisfies Runs;
