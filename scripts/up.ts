/**
 * Installs the locked dependencies and starts the service.
 *
 * On a terminal it prints six plain lines: no output of the installation, and log lines from `warn` on unless LOG_LEVEL says otherwise.
 *
 * It imports only modules of the runtime and of `src/cli`, because it runs before dependencies are installed.
 */
import { join } from "node:path";
import { PROGRAMS, takeOrder } from "../src/cli";
import { installDependencies } from "./install-dependencies";

const [runtime = "", , ...typed] = process.argv;
takeOrder(PROGRAMS.up, typed);
const isTerminal = process.stdout.isTTY === true;
installDependencies(isTerminal ? "quiet" : "open");
if (isTerminal) process.env.LOG_LEVEL ||= "warn";
const entry = join(import.meta.dir, "../src/main.ts");
const command = [runtime, entry, "--welcome", ...typed];
// The same process where the system can do that, so that signals reach the service.
process.execve?.(runtime, command, { ...process.env } as Record<string, string>);
process.argv = command;
await import(entry);
