import { expect, test } from "bun:test";
import { createFailureLog } from "../../src/outbox/failure-log";
import { captureLog } from "../http/support/log";

const message = (n: number, kind = "invoice.archive") => ({ id: `m${n}`, kind, subject: `s${n}` });

function open() {
	const { log, lines } = captureLog();
	const clock = { nowMs: 0 };
	return { lines, clock, failures: createFailureLog(log, () => clock.nowMs) };
}

test("a handler's failure is told with its message and what it failed with", () => {
	const { lines, failures } = open();
	failures.tell(message(1), new Error("away"));
	expect(lines).toMatchObject([
		{
			level: "error",
			msg: "a handler failed",
			message: "m1",
			kind: "invoice.archive",
			subject: "s1",
			err: { message: "away" },
		},
	]);
});

test("of a kind of which many fail ten are told in a minute, and then how many more there were", () => {
	const { lines, clock, failures } = open();
	for (let n = 1; n <= 1_000; n++) failures.tell(message(n), new Error("away"));
	expect(lines).toHaveLength(10);
	clock.nowMs = 60_000;
	failures.tell(message(1_001), new Error("away"));
	expect(lines).toHaveLength(11);
	expect(lines.at(-1)).toMatchObject({ message: "m1001", alsoFailed: 990 });
	clock.nowMs = 120_000;
	failures.tell(message(1_002), new Error("away"));
	expect(lines.at(-1)).not.toHaveProperty("alsoFailed");
});

test("a kind of which many fail leaves the failures of another to be told", () => {
	const { lines, failures } = open();
	for (let n = 1; n <= 100; n++) failures.tell(message(n), new Error("away"));
	failures.tell(message(101, "mail.send"), new Error("refused"));
	expect(lines).toHaveLength(11);
	expect(lines.at(-1)).toMatchObject({ kind: "mail.send" });
});
