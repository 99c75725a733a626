import { expect, test } from "bun:test";
import { secondsToNextPoll } from "../../../../src/invoicing/invoices/submit/wait-for-reference";

test("a waiting note polls every ten seconds at first and every minute after hours", () => {
	expect([0, 60, 200, 600, 1_200, 86_400].map(secondsToNextPoll)).toEqual([10, 10, 10, 30, 60, 60]);
});
