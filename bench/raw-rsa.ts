/** Bare RSA-2048 signatures per second of this machine: the limit of everything that signs. */
import { availableParallelism } from "node:os";
import { type Child, startChild } from "./child";

export type RawRsa = {
	/** One core, times their number. Targets are stated against it. */
	readonly ofOneTimesCores: (seconds: number) => Promise<number>;
	/** All cores at once, which hardly ever is as much: they share caches, heat and other processes. */
	readonly ofAllAtOnce: (seconds: number) => Promise<number>;
};

export function startRawRsa(stack: AsyncDisposableStack): RawRsa {
	const cores: Child<{ seconds: number }, number>[] = Array.from({ length: availableParallelism() }, () =>
		startChild(stack, "raw-rsa.process.ts"),
	);
	const ask = async (some: typeof cores, seconds: number) => {
		const rates = await Promise.all(some.map((core) => core.ask({ seconds })));
		return rates.reduce((sum, rate) => sum + rate, 0);
	};
	return {
		ofOneTimesCores: async (seconds) => (await ask(cores.slice(0, 1), seconds)) * cores.length,
		ofAllAtOnce: (seconds) => ask(cores, seconds),
	};
}
