/**
 * Runs scenarios in a temporary folder with a separate database server. Each prints its counts as one JSON line. The folder is kept if a
 * promise was broken.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, startEmbeddedPostgres } from "../../src/platform/database";

/** Small scenarios run side by side, each with its own service. */
const CONNECTIONS = 400;

/** What every scenario gets. */
export type ScenarioContext = {
	readonly folder: string;
	/** Creates a database on a server that outlives every kill; returns its address. */
	readonly createDatabase: () => Promise<string>;
	readonly small: boolean;
	/** Records a broken promise, which makes the exit code 1. */
	readonly violate: (sentence: string) => void;
	/** Registers a cleanup that runs after all scenarios, in reverse order. */
	readonly atEnd: (close: () => unknown) => void;
};

/** Returns its counts. */
export type Scenario = (context: ScenarioContext) => Promise<object>;

/** Exits with 2 if a name is not a scenario. */
export function checkNames(chosen: readonly string[], scenarios: Readonly<Record<string, unknown>>): void {
	const unknown = chosen.filter((name) => !(name in scenarios));
	if (unknown.length === 0) return;
	console.error(`unknown: ${unknown.join(", ")}; known: ${Object.keys(scenarios).join(", ")}`);
	process.exit(2);
}

/** Scenarios of a lane run in sequence; lanes run in parallel. Returns the exit code: 1 if a promise was broken. */
export async function runScenarios(
	title: string,
	scenarios: Readonly<Record<string, Scenario>>,
	options: { readonly lanes: readonly (readonly string[])[]; readonly small: boolean },
): Promise<number> {
	const folder = mkdtempSync(join(tmpdir(), `sello-${title}-`));
	const postgres = await startEmbeddedPostgres(folder, { connections: CONNECTIONS });
	const admin = connect({ url: postgres.url, name: "scenarios", connectionsMax: 1 });
	const cleanups: (() => unknown)[] = [];
	let databases = 0;
	let broken = 0;
	const context: Omit<ScenarioContext, "violate"> = {
		folder,
		small: options.small,
		createDatabase: async () => {
			const name = `scenario_${databases++}`;
			await admin.unsafe(`create database ${name}`);
			return postgres.url.replace(/\/postgres$/, `/${name}`);
		},
		atEnd: (close) => cleanups.push(close),
	};

	async function run(name: string): Promise<void> {
		const startedAt = performance.now();
		let violations = 0;
		const violate = (sentence: string) => {
			violations++;
			console.error(`VIOLATION  ${sentence}`);
		};
		let counts: object = {};
		try {
			counts = (await scenarios[name]?.({ ...context, violate })) ?? {};
		} catch (error) {
			// A scenario that throws has failed; the next one still runs.
			violate(`${name} failed: ${error instanceof Error ? error.stack : error}`);
		}
		broken += violations;
		const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
		console.log(JSON.stringify({ scenario: name, ok: violations === 0, ...counts, seconds }));
	}

	await Promise.all(
		options.lanes.map(async (lane) => {
			for (const name of lane) await run(name);
		}),
	);
	for (const close of cleanups.reverse()) await close();
	await admin.end();
	await postgres.stop();
	if (broken === 0) rmSync(folder, { recursive: true, force: true });
	else console.error(`${broken} promises broken; logs and files: ${folder}`);
	return broken === 0 ? 0 : 1;
}
