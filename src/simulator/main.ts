/** The simulator as a program: reads its settings from the environment, prints its address in one line, ends on SIGTERM. */
import { join } from "node:path";
import { type SimulatorOptions, startSimulator } from "./simulator";

process.umask(0o077);
if (process.argv.length > 2) {
	const { PROGRAMS, takeOrder } = await import("../cli");
	takeOrder(PROGRAMS.simulator);
}
const options = readOptions(process.env);
if (Array.isArray(options)) refuse(options);

const simulator = await startSimulator(options).catch((error: unknown) => refuse([explain(error, options)]));
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

function refuse(faults: readonly string[]): never {
	for (const fault of faults) console.error(JSON.stringify({ level: "error", msg: fault }));
	process.exit(1);
}

/** Explains why the port or the file prevents a start, and names the settings that change them. Rethrows any other error. */
function explain(error: unknown, { host, port, databasePath }: SimulatorOptions): string {
	if (!(error instanceof Error)) throw error;
	const { code, syscall } = error as { code?: unknown; syscall?: unknown };
	if (code === "EADDRINUSE") return `port ${port} is in use: set PORT to another one`;
	if (syscall === "listen")
		return `${host} with port ${port} cannot be listened on, see HOST and PORT: ${error.message}`;
	if (typeof code !== "string") throw error;
	return `${databasePath} cannot be kept in, see SIMULATOR_DATA: ${error.message}`;
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
		// A separate file: the service's own simulator uses `simulator.sqlite` in the data directory.
		databasePath: environment.SIMULATOR_DATA || join(environment.DATA_DIR || ".data", "simulator-alone.sqlite"),
		delayMs: integer("SIMULATOR_DELAY_MS", 200, 3_600_000),
		...(environment.SIMULATOR_CONTROL === "own-port" ? { control: "own-port" as const } : {}),
	};
	if (!["", "own-port", undefined].includes(environment.SIMULATOR_CONTROL))
		faults.push(`expected SIMULATOR_CONTROL to be own-port, got ${JSON.stringify(environment.SIMULATOR_CONTROL)}`);
	return faults.length > 0 ? faults : read;
}
