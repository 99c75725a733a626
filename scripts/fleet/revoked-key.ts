/** Keys that a drill revokes during a failover, and how long nodes go on accepting them. */
import { join } from "node:path";
import { openAccess } from "../../src/identity/auth";
import { connect } from "../../src/platform/database";
import { createEnvelope, readKek } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { systemClock } from "../../src/platform/values";
import { type Fleet, lookUpOnce } from "./fleet";

export type Revoker = {
	/** Makes a key that every node knows. */
	readonly createKey: () => Promise<RevocableKey>;
	readonly close: () => Promise<void>;
};

export type RevocableKey = {
	/** Revokes it as soon as the database takes that. Returns the milliseconds until every node refuses it. */
	readonly revoke: () => Promise<number>;
};

const WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 20;

export async function openRevoker({ nodes, settings }: Fleet, ownerUrl: string): Promise<Revoker> {
	const sql = connect({ url: ownerUrl, name: "fleet drill", connectionsMax: 2 });
	const access = await openAccess({
		...{ sql, environment: "sandbox", baseUrl: settings.BASE_URL ?? "", clock: systemClock },
		envelope: createEnvelope(readKek(join(settings.DATA_DIR ?? "", "kek"))),
		log: createLog("silent", "fleet drill"),
	});
	const untilAnswered = async (url: string, key: string, status: number, deadline: number) => {
		while ((await lookUpOnce(url, key)) !== status) {
			if (performance.now() > deadline) throw new Error(`${url} does not answer ${status} to the key`);
			await Bun.sleep(LOOK_EVERY_MS);
		}
	};
	const untilAll = (key: string, status: number) => {
		const deadline = performance.now() + WITHIN_MS;
		return Promise.all(nodes.map(({ url }) => untilAnswered(url, key, status, deadline)));
	};
	return {
		async createKey() {
			const { id, key } = await access.createKey({ plan: "unlimited", label: "drill", environment: "sandbox" });
			await untilAll(key, 200);
			return {
				async revoke() {
					for (const deadline = performance.now() + WITHIN_MS; ; await Bun.sleep(LOOK_EVERY_MS)) {
						const isRevoked = await access.revokeKey(id).catch(() => false);
						if (isRevoked) break;
						if (performance.now() > deadline) throw new Error("the key could not be revoked");
					}
					const from = performance.now();
					await untilAll(key, 401);
					return Math.round(performance.now() - from);
				},
			};
		},
		async close() {
			await access.close();
			await sql.end({ timeout: 2 });
		},
	};
}
