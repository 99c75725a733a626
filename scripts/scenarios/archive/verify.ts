/** Runs the operator's verify command on an environment's archive. */
import type { Environment } from "./environment";

/** The checked part of the command's output. */
export type Report = {
	readonly objects: number;
	readonly verified: number;
	readonly faults: readonly Fault[];
};
export type Fault = { readonly docId: string | null; readonly key: string | null; readonly fault: string };

export async function verify(
	{ admin }: Pick<Environment, "admin">,
	options: readonly string[] = [],
): Promise<{ exitCode: number; report: Report }> {
	const { exitCode, data, complaint } = await admin(["archive", "verify", ...options]);
	if (data === undefined) throw new Error(`archive verify ended with ${exitCode} and reported nothing: ${complaint}`);
	return { exitCode, report: data as Report };
}
