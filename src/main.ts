/**
 * Entry point: reads the configuration, starts the service, and stops it on SIGTERM, SIGINT or SIGHUP.
 *
 * The process first replaces itself to apply the allocator's settings. Then it handles signals before it loads anything else, so that an early one is
 * not lost. A signal during the start aborts it. If the embedded database server is lost, the process exits with code 1.
 *
 * With `--replace` it takes the port over from the process that holds it, which gets SIGUSR2 once this one serves.
 *
 * A closed terminal sends SIGHUP. If the process was started with SIGHUP ignored (`nohup`), it stays ignored; child processes leave SIGHUP to the first one.
 */
import { applyAllocatorSettings } from "./app/process/allocator-settings";
import { isChildProcess, isIgnored, watchNpx, watchParent } from "./app/process/process";
import type { Service } from "./app/service";

// Files and folders are the service's own (0600, 0700), whatever makes them: DATA_DIR holds keys and documents.
process.umask(0o077);
applyAllocatorSettings();

/** Given by `up`, which prints where to begin. */
const WELCOME = "--welcome";
const isWelcome = process.argv.includes(WELCOME);
if (process.argv.length > 2 && !isChildProcess()) {
	const { PROGRAMS, takeOrder } = await import("./cli");
	takeOrder(
		isWelcome ? PROGRAMS.up : PROGRAMS.start,
		process.argv.slice(2).filter((word) => word !== WELCOME),
	);
}

let service: Service | undefined;
let stoppingSince: number | undefined;
const startAbort = new AbortController();

/** A repeated signal within this time is an echo: a terminal and a wrapper may both forward the same one. */
const ECHO_MS = 1_000;

async function stop(why?: "stopped" | "retired"): Promise<void> {
	if (stoppingSince !== undefined) {
		// A later second signal is an order to exit at once.
		if (performance.now() - stoppingSince > ECHO_MS) process.exit(1);
		return;
	}
	stoppingSince = performance.now();
	startAbort.abort(new Error("the start was aborted"));
	await starting;
	await service?.stop(why);
	process.exit(0);
}

function stopOnce(): void {
	if (stoppingSince === undefined) void stop();
}

process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
// From the process that serves the port in place of this one (`former-process.ts`).
process.on("SIGUSR2", () => void stop("retired"));
if (isChildProcess()) process.on("SIGHUP", () => undefined);
else if (!isIgnored("SIGHUP")) process.on("SIGHUP", () => void stop());

async function start(): Promise<void> {
	const [{ availableParallelism }, { ALLOW_TRIAL_DEFAULTS, REPLACE, readConfig }, { startService }] = await Promise.all(
		[import("node:os"), import("./app/config/read-config"), import("./app/service")],
	);
	try {
		// The first process has judged the settings of its children.
		const refuseTrialDefaults = !isChildProcess() && !process.argv.includes(ALLOW_TRIAL_DEFAULTS);
		const isReplacing = !isChildProcess() && process.argv.includes(REPLACE);
		const config = await readConfig(process.env, availableParallelism(), { refuseTrialDefaults, isReplacing });
		service = await startService(config, { signal: startAbort.signal, entry: import.meta.path });
	} catch (error) {
		if (stoppingSince !== undefined) return;
		const { explainStartupError } = await import("./app/explain-startup-error");
		console.error(explainStartupError(error));
		process.exit(1);
	}
	void service.lost.then(exitWith);
	if (stoppingSince === undefined) await announce(service);
}

/** Exits so that a supervisor can start the service again. */
async function exitWith(error: Error): Promise<void> {
	if (stoppingSince !== undefined) return;
	stoppingSince = performance.now();
	console.error(error.message);
	await service?.stop();
	process.exit(1);
}

async function announce({ url, engine, demoKey, makeConsoleLink }: Service): Promise<void> {
	const isForPeople = isWelcome && process.stdout.isTTY;
	if (!isForPeople) console.log(JSON.stringify({ msg: "ready", url, engine, docs: `${url}/docs`, demoKey }));
	if (!isWelcome) return;
	const consoleLink = await makeConsoleLink?.();
	const lines = [
		`Sello is up at  ${url}`,
		...(consoleLink ? [`console         ${consoleLink}`, "                (signs you in once, within a day)"] : []),
		`documentation   ${url}/docs`,
		...(demoKey ? [`demo API key    ${demoKey}`, "demo company    client_id demo, client_secret demo"] : []),
		`production      needs your own address, database, key file, archive and certificates: ${url}/docs/en/install`,
		"stop            Ctrl+C",
	];
	process.stderr.write(`${lines.join("\n")}\n`);
}

if (isChildProcess()) watchParent(stopOnce);
else watchNpx(stopOnce);
const starting = start();
