/** Operator commands on report sums. */
import { rebuildReports, verifyReports } from "../../src/invoicing/reports";
import type { Runs } from "./command";

export const reportCommands = {
	/** Exits with 1 if a sum differs from its documents. */
	"reports verify": async ({ sql }) => {
		const found = await verifyReports(sql);
		return { data: found, exitCode: found.drift.length > 0 ? 1 : 0 };
	},
	"reports rebuild": async ({ sql }) => ({ data: await rebuildReports(sql) }),
} satisfies Runs;
