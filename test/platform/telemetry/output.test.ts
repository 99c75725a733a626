import { afterAll, expect, test } from "bun:test";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../support/processes";

const folder = mkdtempSync(join(tmpdir(), "sello-output-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A hundred thousand lines to a reader who reads nothing until they are written, and one line at a time afterwards. */
const PROGRAM = `
	const { writeLine } = await import("./src/platform/telemetry");
	for (let i = 0; i < 100_000; i++) writeLine("line " + i + "x".repeat(300) + "\\n");
	console.error("written");
	for await (const _ of Bun.stdin.stream()) writeLine("after\\n");
`;

test("unread lines do not fill the memory and are counted", async () => {
	const pipe = join(folder, "log");
	Bun.spawnSync(["mkfifo", pipe]);
	const program = Bun.spawn(["sh", "-c", `exec "$0" -e '${PROGRAM}' >'${pipe}'`, process.execPath], {
		cwd: ROOT,
		...{ stdin: "pipe", stderr: "pipe" },
	});
	const log = createReadStream(pipe, "utf8");
	await program.stderr.getReader().read();
	let text = "";
	for await (const chunk of log) {
		text += chunk;
		program.stdin.write("on\n");
		program.stdin.flush();
		if (text.includes("after")) break;
	}
	program.kill();
	const lines = text.split("\n");
	const kept = lines.filter((line) => line.startsWith("line ")).length;
	const reported = lines.find((line) => line.includes("were lost")) ?? "{}";
	expect(kept * 300).toBeLessThan(10 * 1024 * 1024);
	expect(JSON.parse(reported)).toMatchObject({ level: "warn" });
	expect(kept + JSON.parse(reported).lost).toBeGreaterThanOrEqual(100_000);
	expect(lines[kept - 1]).toStartWith(`line ${kept - 1}x`);
}, 60_000);
