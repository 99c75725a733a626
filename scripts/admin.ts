/**
 * Operator commands against the configured database, including the embedded one of a running service.
 * `--json` prints the result of any command as one JSON document.
 */
import { join } from "node:path";
import { readConfig } from "../src/app/config/read-config";
import { explainStartupError } from "../src/app/explain-startup-error";
import {
	checkEnvironment,
	checkMigrated,
	connect,
	findEmbeddedUrl,
	findEnvironment,
	findServiceUrl,
	isConnectionFailure,
} from "../src/platform/database";
import { announcementCommands } from "./admin/announcements";
import { archiveCommands } from "./admin/archive";
import { readArgs } from "./admin/args";
import { type Command, UsageError } from "./admin/command";
import { keyCommands } from "./admin/keys";
import { ownerCommands } from "./admin/owners";
import { partitionCommands } from "./admin/partitions";
import { registryCommands } from "./admin/registry";
import { reportCommands } from "./admin/reports";
import { shardCommands } from "./admin/shards";
import { tenantCommands } from "./admin/tenants";
import { webhookCommands } from "./admin/webhooks";

const commands: readonly Command[] = [
	...keyCommands,
	...tenantCommands,
	...registryCommands,
	...ownerCommands,
	...webhookCommands,
	...reportCommands,
	...announcementCommands,
	...archiveCommands,
	...shardCommands,
	...partitionCommands,
];

const USAGE = ["usage: bun run admin COMMAND [--json]", ...commands.map(({ usage }) => `  ${usage}`)].join("\n");

const noService = (dataDir: string): string =>
	`no service runs on ${dataDir}: start it, or set DATA_DIR or DATABASE_URL as your service has them`;

async function main(): Promise<number> {
	// As the service itself: what a command writes is its own.
	process.umask(0o077);
	const { name, usage, args } = readArgs(
		process.argv.slice(2),
		commands.map((one) => one.usage),
	);
	const command = commands.find((one) => one.usage === usage);
	if (!command) throw new UsageError(name ? `unknown command: ${name}` : "a command is needed");
	const config = await readConfig(process.env, 1);
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
		const result = await command.run({ config: { ...config, environment }, sql, kekFile }, args);
		// The driver's row arrays carry the statement and the connection, which printing would show.
		const data = Array.isArray(result.data) ? Array.from(result.data) : result.data;
		const isWritten = await print(args.has("json") ? JSON.stringify(data) : Bun.inspect(data, { depth: 8 }));
		return isWritten ? (result.exitCode ?? 0) : 1;
	} finally {
		await sql.end({ timeout: 2 });
	}
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

try {
	process.exit(await main());
} catch (error) {
	if (error instanceof UsageError) {
		console.error(`${error.message}\n\n${USAGE}`);
		process.exit(2);
	}
	console.error(explainStartupError(error));
	process.exit(1);
}
