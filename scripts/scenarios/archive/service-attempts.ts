/** Attempts by SQL through the service's own login: whoever has stolen its password, or found a place where it sends any text. */
import { connect } from "../../../src/platform/database";
import type { Attempt } from "./attempts";
import type { Environment } from "./environment";
import { ATTEMPTS, attemptsOn, TARGETS } from "./sql-attempts";

export function listServiceAttempts({ serviceUrl }: Environment): Attempt[] {
	const each = Object.entries(TARGETS).flatMap(([table, column]) => attemptsOn(table, column));
	return [...each, ...ATTEMPTS].map(({ name, sql }) => ({
		...{ name, way: "SQL as the service", aim: /set retain_until/.test(sql) ? "retention" : "change" },
		// What one leaves in its session must not help the next.
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
