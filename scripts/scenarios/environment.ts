/** A real service for a scenario, started from its entry file, with its own database and folder. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type Sql } from "../../src/platform/database";
import { createEnvelope, keepTombstonePepper, readKek } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { systemClock } from "../../src/platform/values";
import { type IngestRun, type RegistryEntry, runIngest, runRollback } from "../../src/registry";
import { findFreePort, type Program, startService } from "../../test/support/processes";
import { openRegistryKeys, type RegistryKeys } from "../../test/support/registry-keys";
import type { ScenarioContext } from "./run-scenarios";

export type Environment = {
	readonly url: string;
	readonly sql: Sql;
	/** Settings with which an operator command finds the same service. */
	readonly settings: Readonly<Record<string, string>>;
	/** The snapshot folder. */
	readonly directory: string;
	readonly keys: RegistryKeys;
	readonly service: () => Program;
	/** Starts the service, also after it has ended. */
	readonly start: (more?: Readonly<Record<string, string>>) => Program;
	readonly readLog: () => string;
	/** Ingests like the operator command. */
	readonly ingest: (source: string) => Promise<IngestRun>;
	readonly rollback: (runId: string) => Promise<void>;
	readonly end: () => Promise<void>;
};

let environments = 0;

export async function openEnvironment(
	context: ScenarioContext,
	settings: Readonly<Record<string, string>>,
): Promise<Environment> {
	const folder = join(context.folder, `environment-${environments++}`);
	mkdirSync(folder);
	const databaseUrl = await context.createDatabase();
	const sql = connect({ url: databaseUrl, name: "scenario", connectionsMax: 4 });
	const port = await findFreePort();
	const logPath = join(folder, "service.log");
	const all = {
		...{ ROLE: "registry", PORT: String(port), DATA_DIR: folder, DATABASE_URL: databaseUrl, LOG_LEVEL: "warn" },
		...settings,
	};
	let service: Program;
	const start = (more: Readonly<Record<string, string>> = {}) => {
		const started = startService({ ...all, ...more }, logPath);
		void started.ended.then((ending) => appendFileSync(logPath, `the service ended with ${ending}\n`));
		service = started;
		return started;
	};
	service = start();
	const url = await service.ready;
	const kekFile = join(folder, "kek");
	const keys = await openRegistryKeys({ sql, kekFile, url });
	const directory = join(folder, "registry");
	const deps = {
		...{ sql, directory, clock: systemClock, log: createLog("silent", "scenario") },
		...(settings.REGISTRY_STORE === undefined ? {} : { store: settings.REGISTRY_STORE }),
		pepper: await keepTombstonePepper({ sql, envelope: createEnvelope({ file: kekFile }) }, readKek(kekFile)),
	};
	return {
		...{ url, sql, settings: all, directory, keys, start },
		service: () => service,
		readLog: () => readFileSync(logPath, "utf8"),
		ingest: (source) => runIngest(deps, { source }),
		rollback: async (runId) => {
			await runRollback(deps, runId);
		},
		end: async () => {
			service.kill("SIGTERM");
			await service.ended;
			await keys.close();
			await sql.end({ timeout: 2 });
		},
	};
}

/** The entry of a number with its run; a string for any answer other than 200. */
export async function lookUp(
	url: string,
	key: string,
	document: string,
	headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly runId: string; readonly entry: RegistryEntry } | string> {
	const answer = await fetch(`${url}/v1/authority/document/${document}`, { headers: { "x-api-key": key, ...headers } });
	if (answer.status !== 200) return `${answer.status} ${await answer.text()}`;
	return {
		runId: answer.headers.get("x-registry-run-id") ?? "",
		entry: (await answer.json()) as RegistryEntry,
	};
}

export async function readStatus(url: string, key: string): Promise<{ run_id: string | null; record_count: number }> {
	const answer = await fetch(`${url}/v1/authority/registry/status`, { headers: { "x-api-key": key } });
	return (await answer.json()) as { run_id: string | null; record_count: number };
}

/** Waits for a condition; false if it times out. */
export async function waitFor(
	condition: () => boolean | Promise<boolean>,
	timeoutMs = 60_000,
	everyMs = 10,
): Promise<boolean> {
	const deadline = performance.now() + timeoutMs;
	while (!(await condition())) {
		if (performance.now() > deadline) return false;
		await Bun.sleep(everyMs);
	}
	return true;
}

export function temporaryFiles(directory: string): string[] {
	return readdirSync(directory).filter((name) => name.endsWith(".tmp"));
}

/** The documents of `numbered`, and the name that contains the version. */
export const FIRST_DOCUMENT = 990_000_001;

/** A source in the text format; every entry names the version. */
export function numberedText(count: number, version: string, more: readonly string[] = []): Buffer {
	const lines = Array.from({ length: count }, (_, i) => {
		return `${FIRST_DOCUMENT + i}|COMERCIAL NUMERO ${i} SRL|${version}|VENTA AL POR MENOR| | | | |03/02/2014|ACTIVO|NORMAL`;
	});
	return Buffer.from(`${[...lines, ...more].join("\r\n")}\r\n`, "latin1");
}
