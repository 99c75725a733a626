/** The first invoice of a newcomer: two commands, without a registration, as often as they like. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { get, sharedService } from "../support/service";

/** The README's block for the sandbox's company. */
const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
const [, COMMANDS = ""] = /ready to issue\.\n\n```sh\n([\s\S]*?)```/.exec(README) ?? [];
const KEY = "ak_demo_public0000000000000000";

test("two commands, pasted twice into a shell, issue two invoices", async () => {
	const service = await sharedService();
	const paste = async () => {
		const env = { PATH: process.env.PATH ?? "", BASE: service.url, KEY };
		const shell = Bun.spawn(["sh", "-c", `${COMMANDS}\nprintf '\\n%s' "$TOKEN"`], { env, stderr: "inherit" });
		const [answer = "", token = ""] = (await new Response(shell.stdout).text()).split("\n");
		expect(await shell.exited).toBe(0);
		const { docId, encf } = JSON.parse(answer) as { docId: string; encf: string };
		const headers = { "x-api-key": KEY, authorization: `Bearer ${token}` };
		expect((await get(service, `/v1/invoices/${docId}`, headers)).status).toBe(200);
		return encf;
	};
	const [first, second] = [await paste(), await paste()];
	expect(first).toMatch(/^E32\d{10}$/);
	expect(second).toMatch(/^E32\d{10}$/);
	expect(second).not.toBe(first);
});
