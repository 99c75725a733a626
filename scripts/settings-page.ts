/**
 * Writes `data/docs/{en,es}/settings.md` from `data/docs/settings.json`, which has a sentence in both languages for each setting that the
 * configuration reads. What needs more than a sentence stands in `data/docs/{en,es}/configuration.md`.
 *
 *     bun scripts/settings-page.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import settings from "../data/docs/settings.json";
import { listProjectFiles } from "./check/project-files";

type Language = "en" | "es";
type Text = string | Readonly<Record<Language, string>>;
type Setting = Readonly<Record<Language, string>> & { readonly names: readonly string[]; readonly default: Text };
type Section = { readonly title: Readonly<Record<Language, string>>; readonly settings: readonly Setting[] };

const SECTIONS: readonly Section[] = settings.sections;

const HEAD: Readonly<Record<Language, string>> = {
	en: `---
title: Settings
summary: Every environment variable, its default and its meaning.
section: Operate
order: 10
roles: all
---

# Settings

Sello reads its configuration from environment variables. Every variable has a default for the sandbox. All are checked at start, and all
violations are reported at once. [Configuration](configuration.md) explains what production requires and what processes must share.
`,
	es: `---
title: Variables de configuración
summary: Todas las variables de entorno, su valor por defecto y su significado.
section: Operar
order: 10
roles: all
---

# Variables de configuración

Sello lee su configuración de variables de entorno. Cada una tiene un valor por defecto para el ambiente de pruebas. Todas se revisan al iniciar, y todas las infracciones se informan a la vez. [Configuración](configuration.md) explica qué exige producción y qué deben compartir los procesos.
`,
};

const COLUMNS: Readonly<Record<Language, string>> = {
	en: "| variable | default | meaning |",
	es: "| variable | por defecto | significado |",
};

export function writeSettingsPage(language: Language): string {
	const inLanguage = (text: Text) => (typeof text === "string" ? text : text[language]);
	const toRow = (one: Setting) => {
		const names = one.names.map((name) => `\`${name}\``).join(", ");
		return `| ${names} | ${inLanguage(one.default)} | ${one[language]} |\n`;
	};
	const toTable = ({ title, settings: rows }: Section) =>
		`\n## ${title[language]}\n\n${COLUMNS[language]}\n|---|---|---|\n${rows.map(toRow).join("")}`;
	return HEAD[language] + SECTIONS.map(toTable).join("");
}

/** Names of the settings that have a sentence. */
export function listDescribedSettings(): string[] {
	return SECTIONS.flatMap(({ settings: rows }) => rows.flatMap(({ names }) => names));
}

/** Names of the settings that the configuration reads, by its sources. */
export function listReadSettings(root: string): string[] {
	const sources = listProjectFiles(root).filter((path) => /^src\/(app\/config\/.*|.*\/settings)\.ts$/.test(path));
	const names = sources.flatMap((path) => {
		const calls = readFileSync(join(root, path), "utf8").matchAll(
			/\b(?:text|oneOf|integer|number|list|url|baseUrl)\(\s*"([A-Z][A-Z0-9_]+)"/g,
		);
		return [...calls].map(([, name = ""]) => name);
	});
	return [...new Set(names)];
}

if (import.meta.main) {
	for (const language of ["en", "es"] as const) {
		writeFileSync(join(import.meta.dir, `../data/docs/${language}/settings.md`), writeSettingsPage(language));
	}
}
