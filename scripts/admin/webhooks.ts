/** Operator commands on dead letters. */

import { listDeadLetters, redispatch } from "../../src/events/webhooks";
import { isId } from "../../src/platform/values";
import { type Runs, UsageError } from "./command";

export const webhookCommands = {
	"webhooks dead": async ({ sql }) => ({ data: await listDeadLetters(sql) }),
	/** Exits with 1 if the named dead letter could not be dispatched again. */
	"webhooks redispatch": async ({ sql }, args) => {
		const id = args.operand;
		const isNamed = id !== undefined && isId(id);
		if (args.has("all") ? id !== undefined : !isNamed) throw new UsageError("a delivery's id or --all is needed");
		const redispatched = await redispatch(sql, id ?? "all");
		return { data: { redispatched }, exitCode: isNamed && redispatched === 0 ? 1 : 0 };
	},
} satisfies Runs;
