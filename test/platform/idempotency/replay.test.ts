import { expect, test } from "bun:test";
import {
	checkRepeat,
	hashBytes,
	hashPayload,
	replayAnswer,
	type StoredAnswer,
} from "../../../src/platform/idempotency";
import { Problem } from "../../../src/platform/problem";

const body = '{"amount":"118.00","name":"x"}';
const stored: StoredAnswer = {
	rawSha256: hashBytes(Buffer.from(body)),
	payloadSha256: hashPayload(JSON.parse(body)),
	answer: '{"docId":"1",  "status":"pending"}',
	headers: { location: "/v1/invoices/1" },
	docId: "0192f110-7a00-7b11-9c22-334455667788",
};
const check = (text: string) => checkRepeat(stored, hashBytes(Buffer.from(text)), () => JSON.parse(text));

test("the same bytes are a repeat and are not even parsed", () => {
	checkRepeat(stored, hashBytes(Buffer.from(body)), () => {
		throw new Error("parsed");
	});
});

test("bytes that say the same are a repeat", () => {
	check('{ "name": "x", "amount": "118" }');
});

test("bytes that say something else are a reused key, and the first document is named", () => {
	let refusal: unknown;
	try {
		check('{"amount":"118.01","name":"x"}');
	} catch (error) {
		refusal = error;
	}
	expect(refusal).toBeInstanceOf(Problem);
	expect(refusal).toMatchObject({ slug: "idempotency-key-reused", status: 422, extensions: { docId: stored.docId } });
});

test("a body that cannot be parsed keeps its own problem", () => {
	const malformed = new Problem("malformed-json");
	const parse = () => {
		throw malformed;
	};
	expect(() => checkRepeat(stored, hashBytes(Buffer.from("{")), parse)).toThrow(malformed);
});

test("a replay is 200, byte for byte the first answer, and says that it is one", async () => {
	const response = replayAnswer(stored, { "retry-after": "5" });
	expect(response.status).toBe(200);
	expect(await response.text()).toBe(stored.answer);
	expect(Object.fromEntries(response.headers)).toEqual({
		"content-type": "application/json; charset=utf-8",
		"idempotency-replayed": "true",
		location: "/v1/invoices/1",
		"retry-after": "5",
	});
});
