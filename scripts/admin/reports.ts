/** The operator's commands on the sums that reports are read from. */
import { rebuildReports, verifyReports } from "../../src/invoicing/reports";
import type { Command } from "./command";

export const reportCommands: readonly Command[] = [
	{
		usage: "reports verify",
		/** Exits with 1 where a sum differs from that of its documents. */
		run: async ({ sql }) => {
			const found = await verifyReports(sql);
			return { data: found, exitCode: found.drift.length > 0 ? 1 : 0 };
		},
	},
	{ usage: "reports rebuild", run: async ({ sql }) => ({ data: await rebuildReports(sql) }) },
];
