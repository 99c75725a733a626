/** Operator commands on the settings that all processes of a deployment share. */
import { ConfigError, readConfig } from "../../src/app/config/read-config";
import { KEK_SETTING, listSharedSettings } from "../../src/app/config/shared-settings";
import type { Args } from "../../src/cli";
import { operatorActor, recordAudit } from "../../src/identity/audit-log";
import { findEnvironment } from "../../src/platform/database";
import { listProcesses, listSettings, setForAll } from "../../src/platform/fleet";
import { type Context, type Result, type Runs, UsageError } from "./command";

export const deploymentCommands = {
	"deployment set": set,
	deployment: async ({ sql }) => ({
		data: {
			environment: (await findEnvironment(sql)) ?? null,
			settings: [...(await listSettings(sql))],
			processes: [...(await listProcesses(sql))],
		},
	}),
} satisfies Runs;

/** Without a value the setting is unset. */
async function set(context: Context, args: Args): Promise<Result> {
	const [name, given] = args.operands;
	if (name === undefined) throw new UsageError("the name of a setting is needed");
	if (name === "ENVIRONMENT")
		throw new UsageError("the tables' owner changes it: update deployment set environment = '…'");
	if (name === KEK_SETTING) throw new UsageError("it is changed by `keys-encryption rotate`");
	const value = await toShared(context, name, given);
	await context.sql.begin(async (tx) => {
		await setForAll(tx, { name, value });
		const at = new Date();
		await recordAudit(tx, { at, actor: operatorActor(), action: "deployment.set", subject: name, details: { value } });
	});
	const then = "processes that run are degraded until they start again with it";
	return { data: { name, value, then } };
}

/** The value as processes compare it. Throws: UsageError. */
async function toShared({ sql, kekFile }: Context, name: string, given = ""): Promise<string | null> {
	const known = (await listSettings(sql)).map((one) => [one.name, one.value ?? ""]);
	const { [KEK_SETTING]: _, ...shared } = Object.fromEntries(known);
	const env = { ...process.env, ...shared, [name]: given };
	try {
		const settings = listSharedSettings(await readConfig(env, 1), kekFile);
		const found = settings.find((one) => one.name === name);
		if (found) return found.value;
		throw new UsageError(`expected one of ${settings.map((one) => one.name).join(", ")}, got ${name}`);
	} catch (error) {
		throw error instanceof ConfigError ? new UsageError(error.message) : error;
	}
}
