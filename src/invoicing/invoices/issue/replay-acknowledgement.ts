import { replayAnswer, type StoredAnswer } from "../../../platform/idempotency";
import type { Call } from "../../../platform/operation";
import type { Acknowledgement } from "../model/acknowledgement";
import { pollAfterSeconds } from "../model/status";

/** An acknowledgement again, byte for byte; where it knows no verdict, with the time to poll as it is counted now. */
export function replayAcknowledgement(
	call: Call,
	stored: Pick<StoredAnswer, "answer" | "headers">,
	now: Date,
	headers: Readonly<Record<string, string>> = {},
): Response {
	const { status, receivedAt } = JSON.parse(stored.answer) as Acknowledgement;
	if (status !== "pending") return replayAnswer(stored, headers);
	const seconds = pollAfterSeconds(call.principal?.plan ?? "free", { receivedAt: new Date(receivedAt) }, now);
	return replayAnswer(stored, { "retry-after": String(seconds), ...headers });
}
