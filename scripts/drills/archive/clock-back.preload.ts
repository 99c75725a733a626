/** Loaded before a service and each of its threads: their clock is a year behind. */
const BACK_MS = 365 * 86_400_000;
const RealDate = Date;

class DateBack extends RealDate {
	constructor(...given: readonly unknown[]) {
		super(...((given.length === 0 ? [RealDate.now() - BACK_MS] : given) as [number]));
	}
	static override now(): number {
		return RealDate.now() - BACK_MS;
	}
}

const RealWorker = Worker;

/** Threads begin with a clock of their own. */
class WorkerBack extends RealWorker {
	constructor(url: string | URL, options: WorkerOptions = {}) {
		super(url, { ...options, preload: [import.meta.path] });
	}
}

globalThis.Date = DateBack as DateConstructor;
globalThis.Worker = WorkerBack;
