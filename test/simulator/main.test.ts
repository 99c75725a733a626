import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callerOf, sharedIdentity } from "./support/authority";
import { ecf, summary } from "./support/documents";
import { sign } from "./support/signer";

const folder = mkdtempSync(join(tmpdir(), "simulator-main-"));
afterAll(() => rmSync(folder, { recursive: true }));

const MAIN = join(import.meta.dir, "../../src/simulator/main.ts");

function run(environment: Record<string, string>) {
	return Bun.spawn([process.execPath, MAIN], {
		env: { ...process.env, SIMULATOR_DATA: join(folder, "data", "authority.sqlite"), ...environment },
		stdout: "pipe",
		stderr: "pipe",
	});
}

async function start(environment: Record<string, string> = {}) {
	const program = run({ PORT: "0", SIMULATOR_DELAY_MS: "0", ...environment });
	const reader = program.stdout.getReader();
	const { value } = await reader.read();
	const line = JSON.parse(new TextDecoder().decode(value));
	expect(line).toEqual({ msg: "ready", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
	return { program, ...callerOf(line.url) };
}

test("receptions, numbers, certificates and tokens survive a kill; SIGTERM ends it", async () => {
	const first = await start();
	const document = await sign(ecf(), await sharedIdentity());
	const trackId = await first.trackIdOf(document);
	await first.send(await sign(summary(), await sharedIdentity()), "fc");
	const receptions = await first.receptions();
	const headers = await first.bearer();
	first.program.kill("SIGKILL");
	await first.program.exited;

	const second = await start();
	expect(await second.receptions()).toEqual(receptions);
	expect(receptions).toHaveLength(2);
	const path = `/testecf/consultaresultado/api/consultas/estado?trackid=${trackId}`;
	expect(await (await second.call(path, { headers })).json()).toMatchObject({ codigo: "1", encf: "E310000000001" });
	const other = await second.submit(ecf({ price: "5.00" }));
	expect((await second.result(other)).mensajes[0]?.codigo).toBe(1209);
	second.program.kill("SIGTERM");
	expect(await second.program.exited).toBe(0);
}, 120_000);

test("a kill in the middle of a burst loses nothing that was acknowledged", async () => {
	const data = { SIMULATOR_DATA: join(folder, "burst.sqlite") };
	const first = await start(data);
	const identity = await sharedIdentity();
	const encfs = Array.from({ length: 40 }, (_, index) => `E31${String(index + 1).padStart(10, "0")}`);
	const documents = await Promise.all(encfs.map((encf) => sign(ecf({ encf }), identity)));
	const acknowledged: string[] = [];
	await first.bearer();
	await Promise.all(
		documents.map(async (document) => {
			const trackId = await first.trackIdOf(document).catch(() => undefined);
			if (trackId) acknowledged.push(trackId);
			if (acknowledged.length === 10) first.program.kill("SIGKILL");
		}),
	);
	expect(acknowledged.length).toBeGreaterThanOrEqual(10);

	const second = await start(data);
	const kept = (await second.receptions()).map((reception) => reception.trackId);
	expect(kept).toEqual(expect.arrayContaining(acknowledged));
	second.program.kill("SIGTERM");
	expect(await second.program.exited).toBe(0);
}, 120_000);

test("with a control port, the ready line has it and the services' port has none", async () => {
	const program = run({ PORT: "0", SIMULATOR_CONTROL: "own-port", SIMULATOR_DATA: join(folder, "steered.sqlite") });
	const { value } = await program.stdout.getReader().read();
	const { url, controlUrl } = JSON.parse(new TextDecoder().decode(value)) as { url: string; controlUrl: string };
	expect((await fetch(`${controlUrl}/_simulator/faults`)).status).toBe(200);
	expect((await fetch(`${url}/_simulator/faults`)).status).toBe(404);
	program.kill("SIGTERM");
	expect(await program.exited).toBe(0);
}, 120_000);

test("all mistakes in its settings are reported at once", async () => {
	const program = run({ PORT: "70000", SIMULATOR_DELAY_MS: "soon", SIMULATOR_CONTROL: "everywhere" });
	expect(await program.exited).toBe(1);
	const reported = await new Response(program.stderr).text();
	expect(reported).toContain("PORT");
	expect(reported).toContain("SIMULATOR_DELAY_MS");
	expect(reported).toContain("SIMULATOR_CONTROL");
}, 120_000);

test("a used port, an invalid host and a file that is no database get a sentence", async () => {
	const file = join(folder, "text");
	writeFileSync(file, "a text that is longer than what a database begins with ".repeat(20));
	const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
	for (const [settings, reported] of [
		[{ PORT: String(taken.port) }, `port ${taken.port} is in use: set PORT to another one`],
		[{ PORT: "0", HOST: "203.0.113.9" }, "203.0.113.9 with port 0 cannot be listened on, see HOST and PORT: "],
		[{ PORT: "0", SIMULATOR_DATA: file }, `${file} cannot be kept in, see SIMULATOR_DATA: `],
		[
			{ PORT: "0", SIMULATOR_DATA: join(file, "below") },
			`${join(file, "below")} cannot be kept in, see SIMULATOR_DATA: `,
		],
	] as const) {
		const program = run(settings);
		const [line = "", ...more] = (await new Response(program.stderr).text()).trim().split("\n");
		expect([await program.exited, more]).toEqual([1, []]);
		expect(JSON.parse(line)).toEqual({ level: "error", msg: expect.stringContaining(reported) });
	}
	await taken.stop(true);
}, 120_000);
