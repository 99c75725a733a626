/** The same answer for the same key, for 24 hours. */
export {
	answerOnce,
	checkRepeat,
	createRequestQueue,
	idempotencyKeyParameter,
	REPEATED,
	readIdempotencyKey,
	replayAnswer,
	WRITE_PROBLEMS,
	type Written,
} from "./answer-once";
export { hashBytes, hashPayload, listDifferences } from "./fingerprint";
export {
	ageAnswers,
	findAnswer,
	findKey,
	type IdempotencyKey,
	KEY_HOURS,
	nameOf as nameOfPlace,
	replaceAnswer,
	type StoredAnswer,
	type StoredKey,
	saveAnswer,
	takeKey,
} from "./store";
