/**
 * Writes `data/docs/{en,es}/log-events.md`, the list of the events in log lines, from the sources.
 *
 *     bun scripts/log-events.ts            writes both pages
 *     bun scripts/log-events.ts --check    exits with 1 when a page is out of date
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLogCalls } from "./check/source-rules";

const ROOT = join(import.meta.dir, "..");
const HEADS = {
	en: `---
title: Log events
section: Operate
order: 90
roles: all
summary: The events that the service writes to its log.
---

# Log events

Each log line is one JSON object. Its member \`event\` is stable: use it for alerts and filters. Messages may change.
Events of level \`debug\` are not listed.

| event | level | message |
|---|---|---|
`,
	es: `---
title: Eventos del registro de actividad
section: Operar
order: 90
roles: all
summary: Los eventos que el servicio escribe en su registro de actividad.
---

# Eventos del registro de actividad

Cada línea es un objeto JSON. Su campo \`event\` es estable: úselo para alertas y filtros. Los mensajes están en inglés y pueden cambiar. No se listan los eventos de nivel \`debug\`.

| evento | nivel | mensaje |
|---|---|---|
`,
} as const;

export const LOG_EVENT_PAGES = { en: "data/docs/en/log-events.md", es: "data/docs/es/log-events.md" } as const;

/** One row for each event and level; a message shows its first part, up to a semicolon or what is put in at run time. */
export function writeLogEvents(root: string, language: keyof typeof HEADS): string {
	const rows = new Map<string, string>();
	for (const path of [...new Bun.Glob("src/**/*.ts").scanSync(root)].sort())
		for (const { event, level, message = "" } of readLogCalls(readFileSync(join(root, path), "utf8"))) {
			const key = `| \`${event}\` | ${level} |`;
			const shown = message.split(/\$\{|;/)[0]?.trim() ?? "";
			if (event !== undefined && level !== "debug" && !rows.get(key)) rows.set(key, shown);
		}
	return (
		HEADS[language] +
		[...rows]
			.map(([key, message]) => `${key} ${message} |\n`)
			.sort()
			.join("")
	);
}

if (import.meta.main) {
	for (const language of ["en", "es"] as const) {
		const path = LOG_EVENT_PAGES[language];
		const page = writeLogEvents(ROOT, language);
		if (!Bun.argv.includes("--check")) writeFileSync(join(ROOT, path), page);
		else if (readFileSync(join(ROOT, path), "utf8") !== page) {
			console.error(`${path} is out of date: run bun scripts/log-events.ts`);
			process.exitCode = 1;
		}
	}
}
