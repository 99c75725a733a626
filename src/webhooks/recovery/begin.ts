import type { Tx } from "../../database";
import { beginProbes } from "../../endpoints";
import { append } from "../../outbox";
import type { RetrySchedule } from "../retry-schedule";
import { nextProbeSeconds } from "./schedule";

/** The outbox message that keeps a probe going; its subject is the endpoint. */
export const PROBE_KIND = "webhook.probe";

/**
 * Begins a probe of those of these endpoints that have none and want one. Call it first in the transaction that writes their dead letters:
 * then neither is there without the other.
 */
export async function ensureProbes(tx: Tx, schedule: RetrySchedule, endpointIds: readonly string[]): Promise<void> {
	const firstInSeconds = nextProbeSeconds(schedule, 0) ?? 0;
	const begun = await beginProbes(tx, endpointIds, firstInSeconds);
	const messages = begun.map(({ id, endpointId, tenantId }) => {
		return {
			kind: PROBE_KIND,
			tenantId,
			subject: endpointId,
			payload: { probe: id },
			availableInSeconds: firstInSeconds,
		};
	});
	await append(tx, ...messages);
}
