/**
 * Process root: reads the configuration, starts the service, and stops it on SIGTERM or SIGINT.
 *
 * The process first begins anew with the allocator's settings. Then the signals are heard before anything else is loaded, so that one which
 * comes at once is not lost. A signal during the start ends the process as soon as what has started can be stopped again.
 */
import { holdFreedMemory } from "./hold-freed-memory";
import { watchNpx, watchParent } from "./parent-process";
import type { Service } from "./start-service";

holdFreedMemory();

let service: Service | undefined;
let stoppingSince: number | undefined;

/** A repeated signal within this time is an echo: a terminal and a wrapper may both pass on the same one. */
const ECHO_MS = 1_000;

async function stop(): Promise<void> {
	if (stoppingSince !== undefined) {
		// A later second signal means that somebody will not wait.
		if (performance.now() - stoppingSince > ECHO_MS) process.exit(1);
		return;
	}
	stoppingSince = performance.now();
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

async function start(): Promise<void> {
	const [{ availableParallelism }, { readConfig }, { startService }] = await Promise.all([
		import("node:os"),
		import("./config"),
		import("./start-service"),
	]);
	try {
		service = await startService(
			await readConfig(process.env, availableParallelism()),
			() => stoppingSince !== undefined,
		);
	} catch (error) {
		if (stoppingSince !== undefined) return;
		const { explainFailure } = await import("./explain-failure");
		console.error(explainFailure(error));
		process.exit(1);
	}
	if (stoppingSince === undefined) welcome(service);
}

function welcome({ url, engine, demoKey }: Service): void {
	console.log(JSON.stringify({ msg: "ready", url, engine, docs: `${url}/docs`, demoKey }));
	if (!process.argv.includes("--welcome")) return;
	const key = demoKey ? `\n  demo API key   ${demoKey}` : "";
	console.error(`\n  Sello is up at ${url}\n  documentation  ${url}/docs${key}\n`);
	watchNpx(stopOnce);
}

if (process.argv.includes("--further")) watchParent(stopOnce);
const starting = start();
