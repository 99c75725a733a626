/** A clock for a service under test that can be changed while it runs; other programs keep the right time. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const SHIFT_FILE_VARIABLE = "SHIFTED_CLOCK_FILE";
const PRELOAD = join(import.meta.dir, "shifted-clock.preload.ts");

export type ShiftedClock = {
	/** Environment variables for the service. */
	readonly settings: Readonly<Record<string, string>>;
	/** Units: milliseconds from the right time. Every thread applies it within a twentieth of a second. */
	readonly set: (shiftMs: number) => void;
};

export function createShiftedClock(folder: string, shiftMs = 0): ShiftedClock {
	const path = join(folder, "clock");
	const set = (ms: number) => {
		// Written atomically.
		writeFileSync(`${path}.new`, String(ms));
		renameSync(`${path}.new`, path);
	};
	set(shiftMs);
	return { settings: { BUN_OPTIONS: `--preload=${PRELOAD}`, [SHIFT_FILE_VARIABLE]: path }, set };
}
