/** Process root: reads the configuration, starts the service, and stops it on SIGTERM or SIGINT. */
import { availableParallelism } from "node:os";
import { ConfigError, readConfig } from "./config";
import { DatabaseTooNewError, DataDirHeldError } from "./database";
import { type Service, startService } from "./start-service";

let service: Service | undefined;
let stopping = false;

async function stop(): Promise<void> {
	// A second signal means that somebody will not wait.
	if (stopping) process.exit(1);
	stopping = true;
	await starting;
	await service?.stop();
	process.exit(0);
}

process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());

async function start(): Promise<void> {
	try {
		service = await startService(readConfig(process.env, availableParallelism()));
	} catch (error) {
		if (stopping) return;
		// What the operator can repair is said in a sentence, without a stack.
		const isPlain =
			error instanceof ConfigError || error instanceof DataDirHeldError || error instanceof DatabaseTooNewError;
		const isPortTaken = (error as { code?: string }).code === "EADDRINUSE";
		console.error(isPlain ? error.message : isPortTaken ? "the port is in use: set PORT to another one" : error);
		process.exit(1);
	}
	const { url, demoKey } = service;
	console.log(JSON.stringify({ msg: "ready", url, docs: `${url}/docs`, ...(demoKey ? { demoKey } : {}) }));
	if (process.argv.includes("--welcome")) {
		console.error(
			`\n  Sello is up at ${url}\n  documentation  ${url}/docs${demoKey ? `\n  demo API key   ${demoKey}` : ""}\n`,
		);
	}
}

const starting = start();
