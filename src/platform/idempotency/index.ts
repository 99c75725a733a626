/** The same answer for the same key, for 24 hours. */
export { answerOnce, type Written } from "./answer-once";
export { hashBytes, hashPayload, listDifferences } from "./fingerprint";
export { idempotencyKeyParameter, readIdempotencyKey } from "./key";
export { checkRepeat, replayAnswer } from "./replay";
export { createRequestQueue } from "./request-queue";
export {
	ageAnswers,
	findAnswer,
	findFreshAnswer,
	KEY_HOURS,
	type KeyPlace,
	nameOf as nameOfPlace,
	replaceAnswer,
	type StoredAnswer,
	saveAnswer,
	sweepExpired,
	takeAnswer,
} from "./store";
