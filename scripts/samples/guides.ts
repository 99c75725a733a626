/**
 * The examples of the guides. A block of `data/docs/en` that begins with "```bash tab=curl" is one: `expect=STATUS` is the status of its last
 * request, else all must be below 400; `capture=NAME:.path` takes values out of the JSON answer; `norun="reason"` leaves it out. The Spanish
 * pages have the same bytes.
 *
 * Other blocks for a shell are commands, mostly the operator's. They are run and left out in the same way, in a folder where `data` is the
 * project's, with BASE, KEY, TOKEN and DATA_DIR of the service, and their last command must succeed.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../test/support/processes";
import type { ShellSample } from "./program";

const FOLDER = join(ROOT, "data/docs/en");
const FENCE = /^```(?:bash|sh)\b(.*)\n([\s\S]*?)^```$/gm;

export type GuidePage = {
	readonly name: string;
	readonly samples: readonly ShellSample[];
	/** Reasons of the examples that are left out. */
	readonly omitted: readonly string[];
	/** Likewise of commands. */
	readonly omittedCommands: readonly string[];
};

/** Values of the guides' variables for the demo company of a sandbox. */
export const demoVariables = (baseUrl: string): Readonly<Record<string, string>> => ({
	...{ base_url: baseUrl, api_key: "ak_demo_public0000000000000000", company_rnc: "990000131" },
	...{ client_id: "demo", client_secret: "demo" },
});

/** The pages with examples, by name. Throws: Error, for an unknown variable. */
export function readGuides(variables: Readonly<Record<string, string>>): GuidePage[] {
	return readdirSync(FOLDER)
		.sort()
		.map((file) => readPage(file.replace(/\.md$/, ""), readFileSync(join(FOLDER, file), "utf8"), variables))
		.filter(({ samples, omitted, omittedCommands }) => samples.length + omitted.length + omittedCommands.length > 0);
}

/** The examples of a page, with values in place of `{{variables}}`. Throws: Error, for an unknown variable. */
export function readPage(name: string, markdown: string, variables: Readonly<Record<string, string>>): GuidePage {
	const fences = [...markdown.matchAll(FENCE)].map(([, info = "", code = ""], n) => {
		return { n: n + 1, info, code, isCommand: !info.includes("tab=curl") };
	});
	const omit = (areCommands: boolean) =>
		fences.flatMap(({ info, isCommand }) =>
			isCommand === areCommands ? (/norun="([^"]+)"/.exec(info)?.[1] ?? []) : [],
		);
	return {
		...{ name, omitted: omit(false), omittedCommands: omit(true) },
		samples: fences
			.filter(({ info }) => !info.includes("norun="))
			.map(({ n, info, code, isCommand }) => ({
				name: `${name}, example ${n}`,
				isCommand,
				code: fillVariables(code, variables),
				expected: /expect=(\d+)/.exec(info)?.[1],
				captures: [...info.matchAll(/(\w+):(\.[^\s,]+)/g)].map(([, to = "", path = ""]) => [to, path] as const),
			})),
	};
}

/** Throws: Error, for an unknown variable. */
export function fillVariables(code: string, variables: Readonly<Record<string, string>>): string {
	return code.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
		const value = variables[name];
		if (value === undefined) throw new Error(`{{${name}}} is no variable of the guides`);
		return value;
	});
}
