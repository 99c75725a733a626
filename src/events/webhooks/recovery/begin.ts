import type { Tx } from "../../../platform/database";
import { append } from "../../../platform/outbox";
import { beginProbes } from "../../endpoints";
import type { RetrySchedule } from "../retry-schedule";
import { nextProbeSeconds } from "./schedule";
import { hasLetters } from "./store";

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

/** Begins a probe of an endpoint that is locked and may be probed again, if there are letters for it. */
export async function resumeProbe(tx: Tx, schedule: RetrySchedule, endpointId: string): Promise<void> {
	if (await hasLetters(tx, endpointId)) await ensureProbes(tx, schedule, [endpointId]);
}
