import { expect, test } from "bun:test";
import { secondsToNextPoll } from "../../../../src/invoicing/invoices/submit/wait-for-reference";

test("a held note looks every ten seconds at first and once a minute after hours, since it is woken anyway", () => {
	expect([0, 60, 200, 600, 1_200, 86_400].map(secondsToNextPoll)).toEqual([10, 10, 10, 30, 60, 60]);
});
