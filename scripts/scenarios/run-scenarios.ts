/**
 * Runs scenarios one after another in a temporary folder with a database server of their own. Each prints its counts as one JSON line; the
 * folder is kept when a promise was broken.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, startEmbeddedPostgres } from "../../src/platform/database";

/** Small scenarios go side by side, each with a service of its own. */
const CONNECTIONS = 400;

/** What all scenarios are given. */
export type ScenarioContext = {
	readonly folder: string;
	/** A database server that outlives every kill; answers a fresh database. */
	readonly createDatabase: () => Promise<string>;
	readonly small: boolean;
	/** EmailFacts for each broken promise; the exit code depends on it. */
	readonly violate: (sentence: string) => void;
	/** Called when all scenarios are over, the last one first: what scenarios share is ended there. */
	readonly atEnd: (close: () => unknown) => void;
};

/** Answers its counts. */
export type Scenario = (context: ScenarioContext) => Promise<object>;

/** Ends the process with 2 when a name is none of the scenarios'. */
export function checkNames(chosen: readonly string[], scenarios: Readonly<Record<string, unknown>>): void {
	const unknown = chosen.filter((name) => !(name in scenarios));
	if (unknown.length === 0) return;
	console.error(`unknown: ${unknown.join(", ")}; known: ${Object.keys(scenarios).join(", ")}`);
	process.exit(2);
}

/** Each lane's scenarios come one after another; lanes go side by side. Answers the exit code: 1 when a promise was broken. */
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
			// A scenario that cannot be carried out has failed, and the next one still has its turn.
			violate(`${name} broke off: ${error instanceof Error ? error.stack : error}`);
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
