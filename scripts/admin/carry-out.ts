/** Carries operator commands out. Loaded once one is to be, so that help does not wait for it. */
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { type AdminCommand, type Args, UsageError } from "../../src/cli";
import {
	checkEnvironment,
	checkMigrated,
	connect,
	findEmbeddedUrl,
	findEnvironment,
	findServiceUrl,
	isConnectionFailure,
} from "../../src/platform/database";
import { announcementCommands } from "./announcements";
import { archiveCommands } from "./archive";
import { backupCommands } from "./backup";
import type { LonelyRun, Result, Run } from "./command";
import { consoleCommands } from "./console";
import { databaseCommands } from "./database";
import { deploymentCommands } from "./deployment";
import { fleetCommands } from "./fleet";
import { keyCommands } from "./keys";
import { ownerCommands } from "./owners";
import { partitionCommands } from "./partitions";
import { registryCommands } from "./registry";
import { reportCommands } from "./reports";
import { restoreCommands } from "./restore";
import { shardCommands } from "./shards";
import { tenantCommands } from "./tenants";
import { webhookCommands } from "./webhooks";

const RUNS: Readonly<Record<AdminCommand, Run | LonelyRun>> = {
	...keyCommands,
	...consoleCommands,
	...tenantCommands,
	...registryCommands,
	...ownerCommands,
	...webhookCommands,
	...reportCommands,
	...announcementCommands,
	...archiveCommands,
	...shardCommands,
	...partitionCommands,
	...databaseCommands,
	...deploymentCommands,
	...fleetCommands,
	...backupCommands,
	...restoreCommands,
};

const noService = (dataDir: string): string =>
	`no service runs on ${dataDir}: start it, or set DATA_DIR or DATABASE_URL as your service has them`;

/** Carries the command out and returns its exit code. A UsageError is a line and 2, any other error an explanation and 1. */
export async function carryOut(name: AdminCommand, args: Args): Promise<number> {
	try {
		return await run(RUNS[name], args);
	} catch (error) {
		const isMisuse = error instanceof UsageError;
		console.error(isMisuse ? error.message : explainStartupError(error));
		return isMisuse ? 2 : 1;
	}
}

async function run(command: Run | LonelyRun, args: Args): Promise<number> {
	// As the service itself: what a command writes is its own.
	process.umask(0o077);
	const isAlone = "runAlone" in command;
	const config = await readConfig(process.env, 1, { makesKek: isAlone });
	if (isAlone) return show(await command.runAlone(config, args), args);
	// Past a pooler: a command may take longer than its transactions may.
	const given = config.databaseDirectUrl ?? config.databaseUrl ?? findEmbeddedUrl(config.dataDir);
	if (!given) throw new UsageError(noService(config.dataDir));
	const url = await findServiceUrl(given).catch((error: unknown) => {
		// A killed service leaves the address of its database behind.
		if (config.databaseUrl === undefined && isConnectionFailure(error)) throw new UsageError(noService(config.dataDir));
		throw error;
	});
	const sql = connect({ url, name: "sello admin", connectionsMax: 4, isPatient: true });
	try {
		await checkMigrated(sql);
		const kekFile = config.kekFile ?? join(config.dataDir, "kek");
		// A key of another environment would decrypt nothing, and an archive key of another would sign in its name.
		if (process.env.ENVIRONMENT) await checkEnvironment(sql, config.environment);
		const environment = (await findEnvironment(sql)) ?? config.environment;
		return await show(await command({ config: { ...config, environment }, sql, kekFile }, args), args);
	} finally {
		await sql.end({ timeout: 2 });
	}
}

/** Prints the result and returns the exit code. */
async function show(result: Result, args: Args): Promise<number> {
	// The driver's row arrays carry the statement and the connection, which printing would show.
	const data = Array.isArray(result.data) ? Array.from(result.data) : result.data;
	const isWritten = await print(args.has("json") ? JSON.stringify(data) : Bun.inspect(data, { depth: 8 }));
	return isWritten ? (result.exitCode ?? 0) : 1;
}

/** Returns whether the output arrived. A key is shown only once, so a command whose output is lost has failed. */
async function print(text: string): Promise<boolean> {
	try {
		await Bun.write(Bun.stdout, `${text}\n`);
		return true;
	} catch (error) {
		console.error(`the command was carried out, but its result could not be written: ${(error as Error).message}`);
		return false;
	}
}
