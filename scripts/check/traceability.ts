/** The table that names, for each promise of the specification, the tests that would fail without it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Traceability = {
	readonly sections: readonly {
		readonly title: string;
		/** Heading of the column of promises. */
		readonly column: string;
		readonly rows: readonly { readonly promise: string; readonly shownBy: readonly string[] }[];
	}[];
};

const HEAD = `# Traceability

Which tests, scenarios and benchmarks show that the service does what its specification says. A folder stands for all tests in it.
\`test/api/door\` and \`scripts/api-scenarios.ts\` also cover every operation, because they are generated from the operations and from the
published document.

Generated from \`data/traceability.json\` by \`bun scripts/traceability.ts\`.
`;

export function readTraceability(root: string): Traceability {
	return JSON.parse(readFileSync(join(root, "data/traceability.json"), "utf8"));
}

export function writeTraceability({ sections }: Traceability): string {
	const parts = sections.map(({ title, column, rows }) => {
		const lines = rows.map(
			({ promise, shownBy }) => `| ${promise} | ${shownBy.map((path) => `\`${path}\``).join(", ")} |`,
		);
		return `## ${title}\n\n| ${column} | shown by |\n|---|---|\n${lines.join("\n")}\n`;
	});
	return [HEAD, ...parts].join("\n");
}

/** Promises that nothing shows, paths that do not exist, and promises that stand twice. */
export function findGaps(root: string, { sections }: Traceability): string[] {
	const rows = sections.flatMap((section) => section.rows);
	const promises = rows.map(({ promise }) => promise);
	return [
		...rows.filter(({ shownBy }) => shownBy.length === 0).map(({ promise }) => `${promise}: no test is named`),
		...rows.flatMap(({ promise, shownBy }) =>
			shownBy.filter((path) => !existsSync(join(root, path))).map((path) => `${promise}: ${path} does not exist`),
		),
		...promises.filter((promise, n) => promises.indexOf(promise) !== n).map((promise) => `${promise}: listed twice`),
	];
}
