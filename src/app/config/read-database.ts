/** Reads the addresses of the database from the environment, and how it is used. */
import { isDatabaseAddress } from "../../platform/database/settings";
import type { Environment } from "../../platform/values";
import { type Config, DATABASE_ENGINES, DATABASE_RIGHTS, DURABILITIES, DURABILITY_LOSSES, LANES } from "./config";
import type { EnvReader } from "./env-reader";

export function readDatabase(variables: EnvReader, environment: Environment) {
	const address = (name: string) => {
		const value = variables.text(name);
		if (value === undefined || isDatabaseAddress(value)) return value?.replace(/\/+$/, "");
		// The value may contain a password, so the message does not repeat it.
		variables.report(`expected ${name} to be a URL with postgres: or postgresql:`);
		return undefined;
	};
	const databaseUrl = address("DATABASE_URL");
	const databaseMigrationUrl = address("DATABASE_MIGRATION_URL");
	if (databaseMigrationUrl !== undefined && variables.text("DATABASE_URL") === undefined) {
		variables.report("DATABASE_MIGRATION_URL needs DATABASE_URL, which is not set");
	}
	const isDatabasePooled = variables.oneOf("DATABASE_POOLED", ["on", "off"], "off") === "on";
	const databaseDirectUrl = address("DATABASE_DIRECT_URL");
	const databaseReadUrl = address("DATABASE_READ_URL");
	if (databaseReadUrl !== undefined && variables.text("DATABASE_URL") === undefined)
		variables.report("DATABASE_READ_URL needs DATABASE_URL, which is not set");
	const isDirect = variables.text("DATABASE_DIRECT_URL") !== undefined;
	if (isDatabasePooled && variables.text("DATABASE_URL") === undefined)
		variables.report("DATABASE_POOLED=on needs DATABASE_URL, the address of the pooler");
	if (isDatabasePooled && !isDirect)
		variables.report("DATABASE_POOLED=on needs DATABASE_DIRECT_URL, the address of the same login past the pooler");
	if (isDirect && !isDatabasePooled)
		variables.report("DATABASE_DIRECT_URL is for DATABASE_POOLED=on, which is not set");
	const databaseEngine = variables.oneOf("DATABASE_ENGINE", DATABASE_ENGINES, "auto");
	if (databaseEngine === "citus" && variables.text("DATABASE_URL") === undefined)
		variables.report("DATABASE_ENGINE=citus needs DATABASE_URL, the address of the coordinator");
	if (databaseEngine === "citus" && environment === "public-sandbox")
		variables.report(
			"DATABASE_ENGINE=citus is not for ENVIRONMENT=public-sandbox: its wipes read all nodes in a trigger",
		);
	// Gap: if the server's only login owns the database, production starts only when the operator sets this.
	const otherwise = environment === "production" ? "strict" : "lenient";
	const databaseRights = variables.oneOf("DATABASE_RIGHTS", DATABASE_RIGHTS, otherwise);
	return {
		databaseUrl,
		databaseMigrationUrl,
		isDatabasePooled,
		databaseDirectUrl,
		databaseReadUrl,
		databaseEngine,
		lanes: variables.oneOf("LANES", LANES, "auto"),
		databaseRights,
		...readDurability(variables, environment),
	} satisfies Partial<Config>;
}

function readDurability(variables: EnvReader, environment: Environment) {
	const isExternal = variables.text("DATABASE_URL") !== undefined;
	const otherwise = environment === "production" && isExternal ? "replicated" : "single";
	const durability = variables.oneOf("DURABILITY", DURABILITIES, otherwise);
	if (durability === "replicated" && !isExternal)
		variables.report("DURABILITY=replicated needs DATABASE_URL: the embedded database has no standby");
	const durabilityOnLoss = variables.oneOf("DURABILITY_ON_LOSS", DURABILITY_LOSSES, "alarm");
	if (durabilityOnLoss === "refuse" && durability === "single")
		variables.report("DURABILITY_ON_LOSS=refuse needs DURABILITY=replicated, which is not set");
	return { durability, durabilityOnLoss } satisfies Partial<Config>;
}
