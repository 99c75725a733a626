/** The generated registries that the registry benches work on. */
import { join } from "node:path";
import { generateRegistry } from "../scripts/generate-registry";
import { makeFolder } from "./child";
import { measureSide } from "./registry-side";

export const RECORDS = 760_000;
/** A smoke run proves that a bench runs. */
const SMOKE_RECORDS = 5_000;
const ROUNDS = 5;

export type RegistryData = {
	readonly folder: string;
	/** The zip, as the authority's server gives it. */
	readonly source: string;
	/** The snapshot of it. */
	readonly snapshot: string;
};

/** Generates a source; the snapshot is not there yet. It goes with the stack. */
export function makeSource(
	stack: AsyncDisposableStack,
	{ smoke, times = 1 }: { smoke: boolean; times?: number },
): RegistryData {
	const folder = makeFolder(stack);
	const source = join(folder, "registry.zip");
	generateRegistry({ records: times * (smoke ? SMOKE_RECORDS : RECORDS), seed: 1, out: source });
	return { folder, source, snapshot: join(folder, "bench.snapshot") };
}

/** Generates a source and builds its snapshot. */
export async function makeSnapshot(stack: AsyncDisposableStack, options: { smoke: boolean }): Promise<RegistryData> {
	const data = makeSource(stack, options);
	await measureSide("build-ours", data.source, data.snapshot);
	return data;
}

/** Does the same as often as a figure needs it. */
export async function repeatRounds(smoke: boolean, measureRound: (round: number) => Promise<void>): Promise<void> {
	for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) await measureRound(round);
}
