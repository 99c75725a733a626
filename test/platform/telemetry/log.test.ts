import { expect, test } from "bun:test";
import { join } from "node:path";
import { LOG_FORMATS } from "../../../src/platform/telemetry";
import { ROOT } from "../../support/processes";
import { startCollector } from "../../support/trace-collector";

/** The lines of a program that logs. */
function logged(program: string): string {
	const head = `const { createLog, inSpan, startTracing } = await import("${join(ROOT, "src/platform/telemetry")}");`;
	const run = Bun.spawnSync([process.execPath, "-e", head + program], { stderr: "inherit" });
	return run.stdout.toString();
}

const FAILURE = `
	const err = new Error("no\\x1b[2Jsuch\\nfile");
	createLog("info", "main", "text").error({ event: "file.missing", apiKey: "abc", path: "a b", count: 3, err }, "cannot read");
`;

test("a text line holds what a JSON line holds, and its stack trace below it", () => {
	const [first = "", ...stack] = logged(FAILURE).trimEnd().split("\n");
	expect(first).toMatch(/^\d\d:\d\d:\d\d\.\d{3} error main {7}cannot read {2}event=file\.missing /);
	expect(first).toContain(' apiKey="[hidden]" path="a b" count=3 type=Error ');
	expect(stack.length).toBeGreaterThan(1);
	expect(stack.every((line) => line.startsWith("    "))).toBe(true);
});

test("a value cannot move the cursor of a terminal or begin a line", () => {
	const text = logged(FAILURE);
	expect(text).not.toContain("\u001b");
	expect(text.split("\n").filter((line) => line.startsWith("file"))).toEqual([]);
});

test("lines are JSON unless text is asked for", () => {
	expect(LOG_FORMATS[0]).toBe("json");
	const line = logged(`createLog("info", "main").info({ event: "file.read" }, "read")`);
	expect(JSON.parse(line)).toMatchObject({ level: "info", name: "main", event: "file.read", msg: "read" });
});

test("a line within a span names its trace, with tracing alone", async () => {
	const collector = startCollector();
	const program = (settings: string) => `
		const stop = await startTracing(${settings}, () => undefined);
		const log = createLog("info", "main");
		const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
		inSpan({ name: "work", parent }, () => log.info({ event: "work.begun" }, "begun"));
		log.info({ event: "work.ended" }, "ended");
		process.exit(0);
	`;
	const read = (settings: string) =>
		logged(program(settings))
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line).traceId);
	expect(read(`{ endpoint: "${collector.url}", share: 1, version: "1" }`)).toEqual([
		"4bf92f3577b34da6a3ce929d0e0e4736",
		undefined,
	]);
	expect(read("undefined")).toEqual([undefined, undefined]);
	await collector.stop();
});
