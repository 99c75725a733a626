/** Bare RSA-2048 signatures of this machine: the limit for everything that signs. */
import { availableParallelism } from "node:os";
import { startChild } from "./child";

export type RawRsa = {
	/** One core's signatures per second times the number of cores, the basis of targets, and the cost of each. */
	readonly measureOne: (seconds: number) => Promise<{ perSecond: number; cpuMicros: number }>;
	/** All cores at once, usually slower: they share caches and run other processes. */
	readonly measureAll: (seconds: number) => Promise<{ perSecond: number }>;
};

export function startRawRsa(stack: AsyncDisposableStack): RawRsa {
	const cores = Array.from({ length: availableParallelism() }, () =>
		startChild<{ seconds: number }, { perSecond: number; cpuMicros: number }>(stack, "raw-rsa.process.ts"),
	);
	const [first] = cores;
	if (!first) throw new Error("a machine without a core");
	return {
		async measureOne(seconds) {
			const { perSecond, cpuMicros } = await first.ask({ seconds });
			return { perSecond: perSecond * cores.length, cpuMicros };
		},
		async measureAll(seconds) {
			const all = await Promise.all(cores.map((core) => core.ask({ seconds })));
			return { perSecond: all.reduce((sum, { perSecond }) => sum + perSecond, 0) };
		},
	};
}
