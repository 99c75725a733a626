/** Operator commands on report sums. */
import { rebuildReports, verifyReports } from "../../src/invoicing/reports";
import type { Command } from "./command";

export const reportCommands: readonly Command[] = [
	{
		usage: "reports verify",
		/** Exits with 1 if a sum differs from its documents. */
		run: async ({ sql }) => {
			const found = await verifyReports(sql);
			return { data: found, exitCode: found.drift.length > 0 ? 1 : 0 };
		},
	},
	{ usage: "reports rebuild", run: async ({ sql }) => ({ data: await rebuildReports(sql) }) },
];
