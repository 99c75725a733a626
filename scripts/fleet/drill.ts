/** A drill of the fleet: what it shows, which programs it needs, and how it runs. */
import { rmSync } from "node:fs";
import type { Counts } from "../harness/environment";
import { makeFolder, type Package } from "./programs";

export type Drill = {
	readonly name: string;
	/** What must hold, in one sentence. */
	readonly shows: string;
	readonly packages: readonly Package[];
	/** Whether it is part of the smoke run. */
	readonly isInSmoke: boolean;
	readonly run: (context: DrillContext) => Promise<Counts>;
};

export type DrillContext = {
	readonly folder: string;
	readonly isSmoke: boolean;
	/** Sentences about broken promises. */
	readonly violations: string[];
	/** Registers what to end after the drill, in reverse order. */
	readonly atEnd: (close: () => unknown) => void;
};

/** Runs a drill in a folder of its own, which stays after a violation. */
export async function runDrill(drill: Drill, isSmoke: boolean) {
	const folder = makeFolder(drill.name);
	const violations: string[] = [];
	const closes: (() => unknown)[] = [];
	let counts: Counts = {};
	try {
		counts = await drill.run({ folder, isSmoke, violations, atEnd: (close) => closes.push(close) });
	} catch (error) {
		violations.push(`the drill did not end: ${error instanceof Error ? error.stack : error}`);
	} finally {
		for (const close of closes.reverse()) await close();
	}
	if (violations.length === 0) rmSync(folder, { recursive: true, force: true });
	return { name: drill.name, counts, violations, folder };
}
