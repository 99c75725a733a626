/** Preloaded into a service and each of its threads: shifts their clock by the milliseconds in a file, also when the file changes. */
import { readFileSync } from "node:fs";
import { SHIFT_FILE_VARIABLE } from "./shifted-clock";

const LOOK_EVERY_MS = 50;
const path = process.env[SHIFT_FILE_VARIABLE] ?? "";
const RealDate = Date;
let shiftMs = 0;
let lookedAt = Number.NEGATIVE_INFINITY;

function now(): number {
	if (performance.now() - lookedAt > LOOK_EVERY_MS) {
		lookedAt = performance.now();
		shiftMs = Number(readFileSync(path, "utf8"));
	}
	return RealDate.now() + shiftMs;
}

class ShiftedDate extends RealDate {
	constructor(...given: readonly unknown[]) {
		super(...((given.length === 0 ? [now()] : given) as [number]));
	}
	static override now(): number {
		return now();
	}
}

const RealWorker = Worker;

/** Threads start with a shifted clock too. */
class ShiftedWorker extends RealWorker {
	constructor(url: string | URL, options: WorkerOptions = {}) {
		super(url, { ...options, preload: [import.meta.path] });
	}
}

globalThis.Date = ShiftedDate as DateConstructor;
globalThis.Worker = ShiftedWorker;
