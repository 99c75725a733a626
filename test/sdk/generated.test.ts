import { expect, test } from "bun:test";
import { join } from "node:path";

test("the generated files of the client libraries are current", async () => {
	const script = join(import.meta.dir, "../../scripts/generate-sdk.ts");
	const check = Bun.spawn([process.execPath, script, "--check"], { stdout: "pipe" });
	expect(await new Response(check.stdout).text()).toBe("");
	expect(await check.exited).toBe(0);
}, 30_000);
