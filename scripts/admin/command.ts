/** An operator command: its usage line, from which its options are parsed, and its action. */

import type { Config } from "../../src/app/config/config";
import { openAccess } from "../../src/identity/auth";
import type { Sql } from "../../src/platform/database";
import { createEnvelope } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { systemClock } from "../../src/platform/values";
import type { Args } from "./args";

export type Context = { readonly config: Config; readonly sql: Sql; readonly kekFile: string };

/** `data` is printed; the exit code defaults to 0. */
export type Result = { readonly data: unknown; readonly exitCode?: number };

export type Command = {
	/** Its two words, operands in capitals, and options. */
	readonly usage: string;
	readonly run: (context: Context, args: Args) => Promise<Result>;
};

/** The command cannot do what was requested. The message is printed with the usage. */
export class UsageError extends Error {}

/** Turns errors of the given kind into usage errors. */
export function refuseAsUsage(kind: new (...args: never[]) => Error): (error: unknown) => never {
	return (error) => {
		throw error instanceof kind ? new UsageError(error.message) : error;
	};
}

/** Runs work on a path given as an option. Throws: UsageError if the path is unusable. */
export function atPath<T>(option: string, path: string, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw new UsageError(`${option} ${path} cannot be used: ${(error as Error).message}`);
	}
}

/** Runs work with access to keys and credentials, and closes it afterwards. */
export async function withAccess<T>(
	{ config, sql, kekFile }: Context,
	use: (access: Awaited<ReturnType<typeof openAccess>>) => Promise<T>,
): Promise<T> {
	const access = await openAccess({
		sql,
		envelope: createEnvelope({ file: kekFile }),
		environment: config.environment,
		baseUrl: config.baseUrl ?? "http://localhost",
		clock: systemClock,
		log: createLog("silent", "admin"),
	});
	try {
		return await use(access);
	} finally {
		await access.close();
	}
}
