/**
 * Entry point: reads the configuration, starts the service, and stops it on SIGTERM, SIGINT or SIGHUP.
 *
 * The process first replaces itself to apply the allocator's settings. Then it handles signals before it loads anything else, so that an early one is
 * not lost. A signal during the start aborts it. If the embedded database server is lost, the process exits with code 1.
 *
 * A closed terminal sends SIGHUP. If the process was started with SIGHUP ignored (`nohup`), it stays ignored; child processes leave SIGHUP to the first one.
 */
import { applyAllocatorSettings } from "./app/process/allocator-settings";
import { isChildProcess, isIgnored, watchNpx, watchParent } from "./app/process/process";
import type { Service } from "./app/service";

// Files and folders are the service's own (0600, 0700), whatever makes them: DATA_DIR holds keys and documents.
process.umask(0o077);
applyAllocatorSettings();

let service: Service | undefined;
let stoppingSince: number | undefined;
const startAbort = new AbortController();

/** A repeated signal within this time is an echo: a terminal and a wrapper may both forward the same one. */
const ECHO_MS = 1_000;

async function stop(): Promise<void> {
	if (stoppingSince !== undefined) {
		// A later second signal is an order to exit at once.
		if (performance.now() - stoppingSince > ECHO_MS) process.exit(1);
		return;
	}
	stoppingSince = performance.now();
	startAbort.abort(new Error("the start was aborted"));
	await starting;
	await service?.stop();
	process.exit(0);
}

function stopOnce(): void {
	if (stoppingSince === undefined) void stop();
}

process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
if (isChildProcess()) process.on("SIGHUP", () => undefined);
else if (!isIgnored("SIGHUP")) process.on("SIGHUP", () => void stop());

async function start(): Promise<void> {
	const [{ availableParallelism }, { ALLOW_TRIAL_DEFAULTS, readConfig }, { startService }] = await Promise.all([
		import("node:os"),
		import("./app/config/read-config"),
		import("./app/service"),
	]);
	try {
		// The first process has judged the settings of its children.
		const refuseTrialDefaults = !isChildProcess() && !process.argv.includes(ALLOW_TRIAL_DEFAULTS);
		const config = await readConfig(process.env, availableParallelism(), { refuseTrialDefaults });
		service = await startService(config, { signal: startAbort.signal, entry: import.meta.path });
	} catch (error) {
		if (stoppingSince !== undefined) return;
		const { explainStartupError } = await import("./app/explain-startup-error");
		console.error(explainStartupError(error));
		process.exit(1);
	}
	void service.lost.then(exitWith);
	if (stoppingSince === undefined) announce(service);
}

/** Exits so that a supervisor can start the service again. */
async function exitWith(error: Error): Promise<void> {
	if (stoppingSince !== undefined) return;
	stoppingSince = performance.now();
	console.error(error.message);
	await service?.stop();
	process.exit(1);
}

function announce({ url, engine, demoKey }: Service): void {
	console.log(JSON.stringify({ msg: "ready", url, engine, docs: `${url}/docs`, demoKey }));
	if (!process.argv.includes("--welcome")) return;
	const key = demoKey ? `\n  demo API key   ${demoKey}` : "";
	console.error(`\n  Sello is up at ${url}\n  documentation  ${url}/docs${key}\n`);
}

if (isChildProcess()) watchParent(stopOnce);
else watchNpx(stopOnce);
const starting = start();
