/** Lock numbers, channels, outbox kinds and metric names stand in one registry each; no other file of `src` writes one. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHANNELS, LOCKS } from "../../src/platform/database";
import { ARCHIVE_KINDS, OUTBOX_KINDS } from "../../src/platform/outbox";
import { METRIC_NAMES } from "../../src/platform/telemetry";

const root = join(import.meta.dir, "../..");
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
	.filter((path) => path.endsWith(".ts"))
	.map((path) => ({ path: `src/${path}`, text: readFileSync(join(root, "src", path), "utf8") }));
const functions = readdirSync(join(root, "src/platform/database/functions"))
	.filter((name) => name.endsWith(".sql"))
	.map((name) => readFileSync(join(root, "src/platform/database/functions", name), "utf8"))
	.join("\n");

const REGISTRIES = {
	locks: "src/platform/database/locks.ts",
	channels: "src/platform/database/channels.ts",
	kinds: "src/platform/outbox/kinds.ts",
	metrics: "src/platform/telemetry/metric-names.ts",
};

type Source = { readonly path: string; readonly text: string };

/** Where a file other than the registry writes what only the registry may write. */
function findLiterals(all: readonly Source[], registry: string, pattern: RegExp): string[] {
	return all
		.filter(({ path }) => path !== registry)
		.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([literal]) => `${path}: ${literal}`));
}

/** Not the table whose name a channel has. */
const quoted = (values: readonly string[]) =>
	new RegExp(`(?<!table: )["'\`](${values.join("|").replaceAll(".", "\\.")})["'\`]`, "g");
/** Not in prose, where backticks stand, and not as the action of an audit entry. */
const kind = new RegExp(`(?<!action: )["'](${Object.values(OUTBOX_KINDS).join("|").replaceAll(".", "\\.")})["']`, "g");
const RULES: readonly { readonly registry: string; readonly pattern: RegExp; readonly planted: string }[] = [
	{ registry: REGISTRIES.locks, pattern: /\b7_?301_?\d{3}\b/g, planted: "const LOCK = 7_301_099;" },
	{ registry: REGISTRIES.channels, pattern: quoted(Object.values(CHANNELS)), planted: 'sql.listen("outbox", wake)' },
	{
		registry: REGISTRIES.channels,
		pattern: /\.listen\(\s*["'`]|pg_notify\(\s*'/g,
		planted: "select pg_notify('x', '')",
	},
	{ registry: REGISTRIES.kinds, pattern: kind, planted: 'kind: "invoice.submit"' },
	{ registry: REGISTRIES.metrics, pattern: quoted(Object.values(METRIC_NAMES)), planted: 'name: "sello_dead_letters"' },
];

for (const { registry, pattern, planted } of RULES)
	test(`only ${registry} writes /${pattern.source.slice(0, 20)}…/`, () => {
		expect(findLiterals(sources, registry, pattern)).toEqual([]);
		expect(findLiterals([{ path: "src/planted.ts", text: planted }], registry, pattern)).toHaveLength(1);
	});

test("no registry holds a value twice", () => {
	for (const registry of [LOCKS, CHANNELS, OUTBOX_KINDS, METRIC_NAMES]) {
		const values: readonly (string | number)[] = Object.values(registry);
		expect(values).toHaveLength(new Set(values).size);
	}
});

test("SQL functions use only locks and channels of the registries", () => {
	const locks = [...functions.matchAll(/\b7301\d{3}\b/g)].map(([number]) => Number(number));
	const channels = [...functions.matchAll(/pg_notify\('([a-z_]+)'/g)].map(([, channel]) => channel);
	expect(locks.length).toBeGreaterThan(2);
	expect(channels.length).toBeGreaterThan(0);
	expect(new Set(locks).difference(new Set<number>(Object.values(LOCKS)))).toEqual(new Set());
	expect(new Set(channels).difference(new Set<string | undefined>(Object.values(CHANNELS)))).toEqual(new Set());
});

test("the archive's kinds are outbox kinds whose handlers write to the archive", () => {
	expect([...ARCHIVE_KINDS].filter((kind) => !kind.endsWith(".archive"))).toEqual([]);
	expect(Object.values(OUTBOX_KINDS).filter((kind) => kind.endsWith(".archive"))).toHaveLength(ARCHIVE_KINDS.length);
});
