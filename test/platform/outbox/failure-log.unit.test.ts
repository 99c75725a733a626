import { expect, test } from "bun:test";
import { createFailureLog } from "../../../src/platform/outbox/execute";
import { captureLog } from "../../api/support/log";
import { until } from "../../support/until";

const message = (n: number, kind = "invoice.archive") => ({ id: `m${n}`, kind, subject: `s${n}` });

function open(spanMs?: number) {
	const { log, lines } = captureLog();
	const { report, finish } = createFailureLog(log, spanMs);
	const reportMany = (count: number) => {
		for (let n = 1; n <= count; n++) report(message(n), new Error(`m${n} is away`));
	};
	return { lines, report, finish, reportMany };
}

test("a handler's failure is logged with its message and error", () => {
	const { lines, report } = open();
	report(message(1), new Error("away"));
	expect(lines).toMatchObject([
		{ level: "error", msg: "handler failed", message: "m1", kind: "invoice.archive", subject: "s1" },
	]);
	expect(lines[0]?.err).toMatchObject({ message: "away" });
});

test("many equal failures are logged as ten per span and a count", async () => {
	const { lines, reportMany } = open(50);
	reportMany(1_000);
	expect(lines).toHaveLength(10);
	await until(() => lines.length > 10);
	expect(lines.at(-1)).toMatchObject({
		kind: "invoice.archive",
		sort: "Error",
		count: 990,
		msg: "omitted further failures of the same kind",
	});
	reportMany(1_000);
	expect(lines).toHaveLength(21);
});

test("many failures of a kind hide no failures of another kind or sort", () => {
	const { lines, report, reportMany } = open();
	reportMany(100);
	report(message(101, "mail.send"), new Error("refused"));
	report(message(102), new TypeError("not a function"));
	report(message(103), Object.assign(new Error("no room"), { code: "ENOSPC" }));
	expect(lines.slice(10).map(({ message: of }) => of)).toEqual(["m101", "m102", "m103"]);
});

test("omitted failures are counted in the log at shutdown, once", async () => {
	const { lines, reportMany, finish } = open(50);
	reportMany(1_000);
	finish();
	finish();
	await Bun.sleep(60);
	expect(lines.slice(10)).toMatchObject([{ kind: "invoice.archive", sort: "Error", count: 990 }]);
});
