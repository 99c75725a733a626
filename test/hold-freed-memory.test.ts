import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MODULE = join(import.meta.dir, "../src/hold-freed-memory.ts");
const PROGRAM = `
	import { holdFreedMemory } from ${JSON.stringify(MODULE)};
	holdFreedMemory();
	const { MIMALLOC_PURGE_DELAY = null, MIMALLOC_PURGE_HOLES = null, OTHER = null } = process.env;
	const said = { pid: process.pid, delay: MIMALLOC_PURGE_DELAY, holes: MIMALLOC_PURGE_HOLES, other: OTHER };
	console.log(JSON.stringify({ ...said, last: process.argv.at(-1), in: await Bun.stdin.text() }));
`;

test("the process goes on with the same number, arguments, environment and input, and with the allocator's settings", async () => {
	const { pid, said } = await start({ OTHER: "as before" });
	expect(said).toEqual({ pid, delay: "20000", holes: "0", other: "as before", last: "--welcome", in: "asked" });
});

test("an operator's own setting is left alone, and nothing is added to it", async () => {
	const { pid, said } = await start({ MIMALLOC_PURGE_DELAY: "-1" });
	expect(said).toEqual({ pid, delay: "-1", holes: null, other: null, last: "--welcome", in: "asked" });
});

async function start(settings: Readonly<Record<string, string>>) {
	const env: Record<string, string> = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...settings };
	await using folder = await makeProgram();
	const child = Bun.spawn([process.execPath, folder.path, "--welcome"], {
		env,
		stdin: new TextEncoder().encode("asked"),
		stdout: "pipe",
		stderr: "inherit",
	});
	return { pid: child.pid, said: JSON.parse(await new Response(child.stdout).text()) as unknown };
}

async function makeProgram() {
	const folder = await mkdtemp(join(tmpdir(), "sello-test-"));
	const path = join(folder, "program.ts");
	await Bun.write(path, PROGRAM);
	return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
