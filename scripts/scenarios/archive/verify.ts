/** The operator's verify command, run against an environment's archive as it is. */
import type { Environment } from "./environment";

/** What the command prints, as far as scenarios judge it. */
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
