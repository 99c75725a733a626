/** The simulator as a program: reads its settings from the environment, tells its address in one line, ends on SIGTERM. */
import { join } from "node:path";
import { type SimulatorOptions, startSimulator } from "./simulator";

const options = readOptions(process.env);
if (Array.isArray(options)) {
	for (const fault of options) console.error(JSON.stringify({ level: "error", msg: fault }));
	process.exit(1);
}

const simulator = await startSimulator(options);
const { controlUrl } = simulator;
console.log(JSON.stringify({ msg: "ready", url: simulator.url, ...(options.control ? { controlUrl } : {}) }));

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
	process.on(signal, async () => {
		if (stopping) return;
		stopping = true;
		await simulator.stop();
		process.exit(0);
	});
}

/** The options, or all mistakes at once. */
function readOptions(environment: Record<string, string | undefined>): SimulatorOptions | string[] {
	const faults: string[] = [];
	const integer = (name: string, fallback: number, most: number): number => {
		const text = environment[name] || String(fallback);
		const value = Number(text);
		if (!/^[0-9]+$/.test(text) || value > most)
			faults.push(`expected ${name} to be 0–${most}, got ${JSON.stringify(text)}`);
		return value;
	};
	const read: SimulatorOptions = {
		host: environment.HOST || "127.0.0.1",
		port: integer("PORT", 0, 65_535),
		// A file of its own: the service's simulator has `simulator.sqlite` of the data directory open.
		databasePath: environment.SIMULATOR_DATA || join(environment.DATA_DIR || ".data", "simulator-alone.sqlite"),
		delayMs: integer("SIMULATOR_DELAY_MS", 200, 3_600_000),
		...(environment.SIMULATOR_CONTROL === "own-port" ? { control: "own-port" as const } : {}),
	};
	if (!["", "own-port", undefined].includes(environment.SIMULATOR_CONTROL))
		faults.push(`expected SIMULATOR_CONTROL to be own-port, got ${JSON.stringify(environment.SIMULATOR_CONTROL)}`);
	return faults.length > 0 ? faults : read;
}
