import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { getPriority } from "node:os";

test.if(process.platform === "linux")("a thread lowers its own priority only", async () => {
	const before = getPriority();
	const module = Bun.pathToFileURL(`${import.meta.dir}/../../../src/registry/ingest/low-priority.ts`).href;
	const code = `import { lowerPriority } from ${JSON.stringify(module)}; postMessage(lowerPriority());`;
	const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "application/typescript" })));
	const worked = await new Promise((settle) => {
		worker.onmessage = (event) => settle(event.data);
	});
	expect(worked).toBe(true);
	expect(getPriority()).toBe(before);
	expect(readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ")[16]).toBe(String(before));
	worker.terminate();
});
