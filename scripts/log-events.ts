/**
 * Writes `data/docs/en/log-events.md`, the list of the events in log lines, from the sources.
 *
 *     bun scripts/log-events.ts            writes the page
 *     bun scripts/log-events.ts --check    exits with 1 when the page is out of date
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLogCalls } from "./check/source-rules";

const ROOT = join(import.meta.dir, "..");
const PAGE = join(ROOT, "data/docs/en/log-events.md");

const HEAD = `---
title: Log events
section: Operate
order: 90
summary: The events that the service writes to its log.
---

# Log events

Each log line is one JSON object. Its member \`event\` is stable: use it for alerts and filters. Messages may change.

| event | level | message |
|---|---|---|
`;

/** One row for each event and level; a message that is put together at run time shows its first part. */
export function writeLogEvents(root: string): string {
	const rows = new Map<string, string>();
	for (const path of [...new Bun.Glob("src/**/*.ts").scanSync(root)].sort())
		for (const { event, level, message = "" } of readLogCalls(readFileSync(join(root, path), "utf8"))) {
			const key = `| \`${event}\` | ${level} |`;
			const shown = message.split("${")[0]?.trim() ?? "";
			if (event !== undefined && !rows.get(key)) rows.set(key, shown);
		}
	return (
		HEAD +
		[...rows]
			.map(([key, message]) => `${key} ${message} |\n`)
			.sort()
			.join("")
	);
}

if (import.meta.main) {
	const page = writeLogEvents(ROOT);
	if (!Bun.argv.includes("--check")) writeFileSync(PAGE, page);
	else if (readFileSync(PAGE, "utf8") !== page) {
		console.error("data/docs/en/log-events.md is out of date: run bun scripts/log-events.ts");
		process.exitCode = 1;
	}
}
