/** SQL attempts through the service's own login, as with a stolen password or SQL injection. */
import { connect } from "../../../src/platform/database";
import type { Attempt } from "./attempts";
import type { Environment } from "./environment";
import { ATTEMPTS, attemptsOn, TARGETS } from "./sql-attempts";

export function listServiceAttempts({ serviceUrl }: Environment): Attempt[] {
	const each = Object.entries(TARGETS).flatMap(([table, column]) => attemptsOn(table, column));
	return [...each, ...ATTEMPTS].map(({ name, sql }) => ({
		...{ name, way: "SQL as the service", aim: /set retain_until/.test(sql) ? "retention" : "change" },
		// Session state of one attempt must not affect the next.
		carryOut: async () => {
			const session = connect({ url: serviceUrl, name: "scenario attempt", connectionsMax: 1 });
			try {
				await session.unsafe(sql);
				return "taken";
			} finally {
				await session.end({ timeout: 2 });
			}
		},
	}));
}
