import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MODULE = join(import.meta.dir, "../../../src/app/process/allocator-settings.ts");
const PROGRAM = `
	import { basename } from "node:path";
	import { applyAllocatorSettings } from ${JSON.stringify(MODULE)};
	applyAllocatorSettings();
	const { MIMALLOC_PURGE_DELAY: delay = null, MIMALLOC_PURGE_HOLES_MIN_INTERVAL: holes = null, OTHER: other = null } = process.env;
	const said = { pid: process.pid, delay, holes, other, last: process.argv.at(-1), folder: basename(process.cwd()) };
	console.log(JSON.stringify({ ...said, in: await Bun.stdin.text() }));
`;
const HELD = { delay: "20000", holes: "20000" };
const LEFT = { delay: null, holes: null };
const SAME = { other: null, last: "--welcome", folder: "inner", in: "asked" };

test("the process keeps id, arguments, environment, folder and input", async () => {
	const { pid, said } = await start({ settings: { OTHER: "as before" } });
	expect(said).toEqual({ ...SAME, ...HELD, pid, other: "as before" });
});

test("an operator's own setting is left alone, and nothing is added to it", async () => {
	const { pid, said } = await start({ settings: { MIMALLOC_PURGE_DELAY: "-1" } });
	expect(said).toEqual({ ...SAME, pid, delay: "-1", holes: null });
});

test("a setting of `.env` replaces ours", async () => {
	const { pid, said } = await start({ dotEnv: "MIMALLOC_PURGE_DELAY=-1\n" });
	expect(said).toEqual({ ...SAME, pid, delay: "-1", holes: null });
});

test("a `--cwd` argument is not applied twice", async () => {
	for (const flags of [["--cwd", "inner"], ["--cwd=inner"]]) {
		const { pid, said } = await start({ flags, from: "." });
		expect(said).toEqual({ ...SAME, ...HELD, pid });
	}
});

test("a process with a file descriptor argument keeps the file open", async () => {
	const { pid, said } = await start({ settings: { KEK_FILE: "/dev/fd/63" } });
	expect(said).toEqual({ ...SAME, ...LEFT, pid });
});

type Start = {
	readonly settings?: Readonly<Record<string, string>>;
	readonly flags?: readonly string[];
	readonly dotEnv?: string;
	readonly from?: string;
};

async function start({ settings = {}, flags = [], dotEnv, from = "inner" }: Start) {
	await using folder = await makeFolder();
	const program = join(folder.path, "inner/program.ts");
	await Bun.write(program, PROGRAM);
	if (dotEnv !== undefined) await Bun.write(join(folder.path, "inner/.env"), dotEnv);
	const child = Bun.spawn([process.execPath, ...flags, program, "--welcome"], {
		cwd: join(folder.path, from),
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...settings },
		stdin: new TextEncoder().encode("asked"),
		stdout: "pipe",
		stderr: "inherit",
	});
	return { pid: child.pid, said: JSON.parse(await new Response(child.stdout).text()) as unknown };
}

async function makeFolder() {
	const path = await mkdtemp(join(tmpdir(), "sello-test-"));
	await mkdir(join(path, "inner"));
	return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
