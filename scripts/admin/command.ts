/** The action of an operator command. */

import type { Config } from "../../src/app/config/config";
import { type AdminCommand, type Args, UsageError } from "../../src/cli";
import { openAccess } from "../../src/identity/auth";
import type { Sql } from "../../src/platform/database";
import { createEnvelope } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { isId, systemClock } from "../../src/platform/values";

export { UsageError };

export type Context = { readonly config: Config; readonly sql: Sql; readonly kekFile: string };

/** `data` is printed; the exit code defaults to 0. */
export type Result = { readonly data: unknown; readonly exitCode?: number };

export type Run = (context: Context, args: Args) => Promise<Result>;

/** An action that opens the database itself, because there is none yet. */
export type LonelyRun = { readonly runAlone: (config: Config, args: Args) => Promise<Result> };

/** Actions by the words of their commands, which the table of the program describes. */
export type Runs = { readonly [Name in AdminCommand]?: Run | LonelyRun };

/** The operand, which must be an id. Throws: UsageError with the sentence. */
export function needId({ operand }: Args, sentence: string): string {
	if (operand !== undefined && isId(operand)) return operand;
	const [expected, ...hint] = sentence.split("; ");
	throw new UsageError([`${expected}, got ${operand}`, ...hint].join("; "));
}

/** The first instant after a day (UTC-4). */
export function endOfDay(day: string): Date {
	return new Date(Date.parse(`${day}T00:00:00-04:00`) + 86_400_000);
}

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
