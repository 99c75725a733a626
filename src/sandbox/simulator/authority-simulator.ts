/** Runs the authority's simulator, which is the authority of the sandboxes, in a thread of the service on a free loopback port. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Freeing numbers takes milliseconds. */
const RELEASE_MAX_MS = 10_000;

export type SandboxAuthority = {
	readonly url: string;
	/** Frees all numbers of an issuer, so that a company that is registered again starts at 1. */
	readonly releaseIssuer: (rnc: string) => Promise<void>;
	readonly stop: () => Promise<void>;
};

type FromSimulator =
	| { kind: "ready"; url: string }
	| { kind: "failed"; message: string }
	| { kind: "released"; rnc: string }
	| { kind: "kept"; rnc: string; message: string }
	| { kind: "stopped" };

/**
 * Starts the simulator on its previous port, since printed QR codes contain it, or on another one if that is taken. `isSteered`: tests may
 * order faults and read its data; otherwise it has no control interface. `keptMs`: how long it keeps documents.
 */
export async function startSandboxAuthority(
	dataDir: string,
	delayMs: number,
	isSteered = false,
	keptMs?: number,
): Promise<SandboxAuthority> {
	mkdirSync(dataDir, { recursive: true, mode: 0o700 });
	const remembered = join(dataDir, "simulator.port");
	const before = existsSync(remembered) ? Number(readFileSync(remembered, "utf8")) : 0;
	const started = await startOn(before, dataDir, delayMs, isSteered, keptMs).catch((error) => {
		if (before === 0) throw error;
		return startOn(0, dataDir, delayMs, isSteered, keptMs);
	});
	writeFileSync(remembered, new URL(started.url).port, { mode: 0o600 });
	return started;
}

/** Starts a simulator that forgets everything when it stops. Certification test sets are rehearsed against it in every environment. */
export async function startRehearsalAuthority(): Promise<Pick<SandboxAuthority, "url" | "stop">> {
	const directory = mkdtempSync(join(tmpdir(), "sello-rehearsal-"));
	const forget = () => rmSync(directory, { recursive: true, force: true });
	try {
		const { url, stop } = await startOn(0, directory, 0, false);
		return { url, stop: () => stop().finally(forget) };
	} catch (error) {
		forget();
		throw error;
	}
}

async function startOn(
	port: number,
	dataDir: string,
	delayMs: number,
	isSteered: boolean,
	keptMs?: number,
): Promise<SandboxAuthority> {
	const entry = new URL("../../simulator/simulator.thread.ts", import.meta.url).href;
	const worker = new Worker(entry, { name: "simulator" });
	const url = await new Promise<string>((ready, fail) => {
		worker.onmessage = (event: MessageEvent<FromSimulator>) => {
			if (event.data.kind === "ready") ready(event.data.url);
			if (event.data.kind === "failed") fail(new Error(`the simulator did not start: ${event.data.message}`));
		};
		worker.addEventListener("close", () => fail(new Error("the simulator ended before it was ready")));
		const databasePath = join(dataDir, "simulator.sqlite");
		const control = isSteered ? "same-port" : "none";
		const options = { host: "127.0.0.1", port, databasePath, delayMs, control, keptMs };
		worker.postMessage({ kind: "start", options });
	});
	let hasEnded = false;
	worker.addEventListener("close", () => {
		hasEnded = true;
	});
	return {
		url,
		releaseIssuer: (rnc) =>
			new Promise((released, fail) => {
				// The caller waits with locks, and a message to a thread that has ended is lost silently.
				if (hasEnded) return fail(new Error("the simulator has ended"));
				const late = setTimeout(() => {
					forget();
					fail(new Error(`the simulator did not free the numbers of ${rnc} in time`));
				}, RELEASE_MAX_MS);
				const forget = () => {
					clearTimeout(late);
					worker.removeEventListener("message", onMessage);
					worker.removeEventListener("close", end);
				};
				const onMessage = ({ data }: MessageEvent<FromSimulator>) => {
					if (!("rnc" in data) || data.rnc !== rnc) return;
					forget();
					if (data.kind === "released") released();
					else fail(new Error(`the simulator did not free the numbers of ${rnc}: ${data.message}`));
				};
				const end = () => {
					forget();
					fail(new Error("the simulator has ended"));
				};
				worker.addEventListener("message", onMessage);
				worker.addEventListener("close", end);
				worker.postMessage({ kind: "release", rnc });
			}),
		stop: () =>
			new Promise((stopped) => {
				worker.addEventListener("message", (event: MessageEvent<FromSimulator>) => {
					if (event.data.kind === "stopped") stopped();
				});
				worker.addEventListener("close", () => stopped());
				worker.postMessage({ kind: "stop" });
			}),
	};
}
