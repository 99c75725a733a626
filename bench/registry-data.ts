/** The generated registries for the registry benches. */
import { join } from "node:path";
import { generateRegistry } from "../scripts/generate-registry";
import { makeFolder } from "./child";
import { measureSide } from "./registry-side";

export const RECORDS = 760_000;
/** A smoke run only proves that a bench works. */
const SMOKE_RECORDS = 5_000;
const ROUNDS = 5;

export type RegistryData = {
	readonly folder: string;
	/** The zip, as on the authority's server. */
	readonly source: string;
	/** Its snapshot. */
	readonly snapshot: string;
};

/** Generates a source without its snapshot. It is removed with the stack. */
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

/** Repeats a measurement as often as a figure needs. */
export async function repeatRounds(smoke: boolean, measureRound: (round: number) => Promise<void>): Promise<void> {
	for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) await measureRound(round);
}
