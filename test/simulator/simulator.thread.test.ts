import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FromSimulatorThread, ToSimulatorThread } from "../../src/simulator/simulator.thread";
import { callerOf } from "./support/authority";
import { ecf } from "./support/documents";

const folder = mkdtempSync(join(tmpdir(), "simulator-thread-"));
afterAll(() => rmSync(folder, { recursive: true }));

const THREAD = new URL("../../src/simulator/simulator.thread.ts", import.meta.url);

function openThread() {
	const worker = new Worker(THREAD.href);
	const closed = new Promise<void>((resolve) => worker.addEventListener("close", () => resolve()));
	const ask = (message: ToSimulatorThread) =>
		new Promise<FromSimulatorThread>((resolve) => {
			worker.onmessage = ({ data }: MessageEvent<FromSimulatorThread>) => resolve(data);
			worker.postMessage(message);
		});
	return { ask, closed };
}

const options = { host: "127.0.0.1", port: 0, databasePath: join(folder, "authority.sqlite"), delayMs: 0 };

test("the thread starts a simulator, stops it on request, and ends", async () => {
	const { ask, closed } = openThread();
	const ready = await ask({ kind: "start", options });
	if (ready.kind !== "ready") throw new Error(JSON.stringify(ready));
	const authority = callerOf(ready.url);
	expect(await authority.result(await authority.submit(ecf()))).toMatchObject({ codigo: "1" });
	expect(await ask({ kind: "stop" })).toEqual({ kind: "stopped" });
	await closed;
	await expect(authority.receptions()).rejects.toThrow();
});

test("the thread reports why it cannot start", async () => {
	const { ask, closed } = openThread();
	const failed = await ask({ kind: "start", options: { ...options, databasePath: folder } });
	expect(failed).toEqual({ kind: "failed", message: expect.any(String) });
	expect(await ask({ kind: "stop" })).toEqual({ kind: "stopped" });
	await closed;
});
