/**
 * Process root: reads the configuration, starts the service, and stops it on SIGTERM, SIGINT or SIGHUP.
 *
 * A terminal that is closed sends SIGHUP. Where the process was started without it (`nohup`), it stays so, and a further process leaves it to the first
 * one, whose choice it does not inherit.
 *
 * The process first begins anew with the allocator's settings. Then the signals are heard before anything else is loaded, so that one which
 * comes at once is not lost. A signal during the start ends the process as soon as what has started can be stopped again. A process that has
 * lost its own database server ends as well, with exit code 1.
 */
import { holdFreedMemory } from "./app/process/allocator-settings";
import { isIgnored } from "./app/process/ignored-signals";
import { isFurtherProcess, watchNpx, watchParent } from "./app/process/parent-process";
import type { Service } from "./app/service";

holdFreedMemory();

let service: Service | undefined;
let stoppingSince: number | undefined;
/** Ends a start. */
const unwanted = new AbortController();

/** A repeated signal within this time is an echo: a terminal and a wrapper may both pass on the same one. */
const ECHO_MS = 1_000;

async function stop(): Promise<void> {
	if (stoppingSince !== undefined) {
		// A later second signal means that somebody will not wait.
		if (performance.now() - stoppingSince > ECHO_MS) process.exit(1);
		return;
	}
	stoppingSince = performance.now();
	unwanted.abort(new Error("the start was given up"));
	await starting;
	await service?.stop();
	process.exit(0);
}

/** A process that ends beside this one asks for nothing that is not under way. */
function stopOnce(): void {
	if (stoppingSince === undefined) void stop();
}

process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
if (isFurtherProcess()) process.on("SIGHUP", () => undefined);
else if (!isIgnored("SIGHUP")) process.on("SIGHUP", () => void stop());

async function start(): Promise<void> {
	const [{ availableParallelism }, { readConfig }, { startService }] = await Promise.all([
		import("node:os"),
		import("./app/config/config"),
		import("./app/service"),
	]);
	try {
		service = await startService(await readConfig(process.env, availableParallelism()), unwanted.signal);
	} catch (error) {
		if (stoppingSince !== undefined) return;
		const { explainFailure } = await import("./app/explain-startup-error");
		console.error(explainFailure(error));
		process.exit(1);
	}
	void service.lost.then(endWith);
	if (stoppingSince === undefined) welcome(service);
}

/** Nobody could be served any more, and whoever watches over this process starts it again. */
async function endWith(error: Error): Promise<void> {
	if (stoppingSince !== undefined) return;
	stoppingSince = performance.now();
	console.error(error.message);
	await service?.stop();
	process.exit(1);
}

function welcome({ url, engine, demoKey }: Service): void {
	console.log(JSON.stringify({ msg: "ready", url, engine, docs: `${url}/docs`, demoKey }));
	if (!process.argv.includes("--welcome")) return;
	const key = demoKey ? `\n  demo API key   ${demoKey}` : "";
	console.error(`\n  Sello is up at ${url}\n  documentation  ${url}/docs${key}\n`);
	watchNpx(stopOnce);
}

if (isFurtherProcess()) watchParent(stopOnce);
const starting = start();
