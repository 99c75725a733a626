/** Runs one task of a registry bench in a separate process and returns its measurement. */
import { join } from "node:path";

export type Measured = {
	readonly ms: number;
	readonly cpuMs: number;
	readonly p50Micros: number;
	readonly p99Micros: number;
	readonly maxMicros: number;
	readonly peakMiB: number;
	readonly ownMiB: number;
};

export async function measureSide(task: string, ...args: readonly (string | number)[]): Promise<Measured> {
	const child = Bun.spawn([process.execPath, join(import.meta.dir, "registry.process.ts"), task, ...args.map(String)], {
		stdout: "pipe",
		stderr: "inherit",
	});
	const output = await new Response(child.stdout).text();
	if ((await child.exited) !== 0) throw new Error(`the task ${task} ended with ${child.exitCode}`);
	return JSON.parse(output) as Measured;
}
