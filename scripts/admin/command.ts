/** What an operator's command is: the line that tells how it is called, which is also what its options are read by, and what it does. */

import type { Config } from "../../src/app/config/config";
import { openAccess } from "../../src/identity/auth";
import type { Sql } from "../../src/platform/database";
import { createEnvelope } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { systemClock } from "../../src/platform/values";
import type { Args } from "./args";

export type Context = { readonly config: Config; readonly sql: Sql; readonly kekFile: string };

/** `data` is printed; the exit code is 0 unless told. */
export type Result = { readonly data: unknown; readonly exitCode?: number };

export type Command = {
	/** Its two words, what follows them in capitals, and its options. */
	readonly usage: string;
	readonly run: (context: Context, args: Args) => Promise<Result>;
};

/** The command cannot do what it was asked for; told in a sentence with the usage. */
export class UsageError extends Error {}

/** What was asked for and cannot be is told with the usage, as a misspelt option is. */
export function refuseAsUsage(kind: new (...args: never[]) => Error): (error: unknown) => never {
	return (error) => {
		throw error instanceof kind ? new UsageError(error.message) : error;
	};
}

/** Work on a path that an option named, which may be no good. Throws: UsageError. */
export function atPath<T>(option: string, path: string, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw new UsageError(`${option} ${path} cannot be used: ${(error as Error).message}`);
	}
}

/** Work with what knows keys and credentials, which is closed behind it. */
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
