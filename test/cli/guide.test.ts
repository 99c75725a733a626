/** The guide to the command line lists what the programs parse. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { updateGuide } from "../../scripts/cli-guide";
import { ADMIN, OPERATOR_PROGRAMS, SELLO } from "../../src/cli";

test.each(["en", "es"] as const)("the guide in %p is current: bun scripts/cli-guide.ts", (language) => {
	const text = readFileSync(join(import.meta.dir, `../../data/docs/${language}/cli.md`), "utf8");
	expect(updateGuide(text, language)).toBe(text);
});

test("every program, command and option that says something says it in both languages", () => {
	const programs = [...OPERATOR_PROGRAMS, SELLO];
	const texts = programs.flatMap((program) => {
		const commands = Object.entries(program.commands).flatMap(([name, { means = {}, ...command }]) => [
			...(name === "" ? [] : [command]),
			...Object.values(means),
		]);
		return [program, ...Object.values(program.means), ...commands];
	});
	expect(texts.length).toBeGreaterThan(100);
	expect(texts.filter(({ en, es }) => en === "" || es === "" || en === es)).toEqual([]);
	expect(Object.keys(ADMIN.commands).length).toBeGreaterThan(30);
});
