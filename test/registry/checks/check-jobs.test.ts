/** Lists that are checked in this process: days, limits, expiry, and what a killed process leaves. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plan } from "../../../src/platform/operation";
import type { Registry } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import { directoryOf, entries, entry, openOn, settableClock, temporaryFolder, toText } from "../build";
import { ask, problemOf } from "../in-memory";

const CHECKS = "/v1/authority/checks";
const folder = temporaryFolder();
const clock = settableClock(new Date("2026-11-20T16:00:00Z"));
let database: TestDatabase;
let registry: Registry;
let source: string;

const A = { rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL", trade_name: "" };
const B = { rnc: "101000001", name: "PANADERIA LA ESPIGA SRL", trade_name: "" };

beforeAll(async () => {
	database = await openTestDatabase();
	source = folder.write("list.txt", toText([entry(A), ...entries(300)]));
	registry = await openOn(database.sql, source, { clock, schedule: "0 0 1 1 *" });
	clock.set(new Date("2026-11-22T16:00:00Z"));
	folder.write("list.txt", toText([entry({ ...A, status: "SUSPENDIDO" }), entry(B), ...entries(300)]));
	await registry.ingest({ force: true });
}, 120_000);
afterAll(async () => {
	await registry?.close();
	await database?.close();
	folder.remove();
}, 120_000);

type Check = { check_id: string; status: string; done: number; as_of: string | null; counts: Record<string, number> };

const send = (raw: string, query = "", caller: { readonly plan?: Plan; readonly owner?: string } = {}) =>
	ask(registry.operations, "POST", `${CHECKS}${query}`, { raw, ...caller, type: "text/csv" });
const read = async (id: string, owner?: string): Promise<Check> =>
	(await ask(registry.operations, "GET", `${CHECKS}/${id}`, owner ? { owner } : {})).json() as Promise<Check>;
const files = (ending: string) =>
	readdirSync(join(directoryOf(database.sql), "checks")).filter((name) => name.endsWith(ending));

async function finish(id: string): Promise<Check> {
	await until(async () => (await read(id)).status !== "running");
	return read(id);
}

async function billed(): Promise<number> {
	const [row] = await database.sql`
		select coalesce(sum(billable), 0)::int as rows from usage_days where operation = 'createRegistryCheck'`;
	return row?.rows;
}

async function resultOf(id: string): Promise<string> {
	const answer = await ask(registry.operations, "GET", `${CHECKS}/${id}/result`);
	return answer.text();
}

test("verdicts of a day are those of what our copy held at its end", async () => {
	const list = `RNC,Nombre\n${A.rnc},${A.name}\n${B.rnc},\n,${B.name}\n,${A.name}\n`;
	const verdicts = async (query: string) => {
		const { check_id: id } = (await (await send(list, query)).json()) as Check;
		const { as_of, status } = await finish(id);
		const rows = (await resultOf(id)).trim().split("\r\n").slice(1);
		return [as_of, status, ...rows.map((row) => row.split(",").slice(2, 4).join(" "))];
	};
	expect(await verdicts("?as_of=2026-11-21")).toEqual([
		...["2026-11-21", "done", `found ${A.rnc}`, `not_found ${B.rnc}`, "not_found ", `found ${A.rnc}`],
	]);
	const today = [`inactive ${A.rnc}`, `found ${B.rnc}`, `found ${B.rnc}`, `inactive ${A.rnc}`];
	expect(await verdicts("?as_of=2026-11-22")).toEqual(["2026-11-22", "done", ...today]);
	expect(await verdicts("")).toEqual([null, "done", ...today]);
	expect((await problemOf(send(list, "?as_of=2026-11-23"))).faults).toMatchObject([{ code: "future-date" }]);
	expect(await problemOf(send(list, "?as_of=2026-11-19"))).toMatchObject({
		...{ slug: "history-not-available", extensions: { history_begins: "2026-11-20" } },
	});
});

test("a plan limits the rows of a list and of a month, and says so", async () => {
	const rows = (count: number) => `RNC\n${"131880681\n".repeat(count)}`;
	const large = await problemOf(send(rows(101), "", { plan: "demo" }));
	expect([large.slug, large.faults?.[0]]).toMatchObject(["validation-error", { code: "too-many", maximum: 100 }]);
	for (let sent = 0; sent < 10; sent++) expect((await send(rows(100), "", { plan: "demo" })).status).toBe(202);
	const beyond = await problemOf(send(rows(1), "", { plan: "demo" }));
	expect(beyond).toMatchObject({ slug: "rate-limit-exceeded", extensions: { policy: "check-rows", limit: 1_000 } });
	expect(String(beyond.detail)).toContain("allows 1000 rows in a month");
});

test("behind the demo key a check is the bearer's company's, or else the address's", async () => {
	const place = { plan: "demo", address: "192.0.2.1" } as const;
	const company = crypto.randomUUID();
	const sent = async (caller: object) =>
		(await (await send("RNC\n131880681\n", "", { ...place, ...caller })).json()) as Check;
	const finds = async (caller: object, { check_id: id }: Check): Promise<boolean> => {
		const asked = ask(registry.operations, "GET", `${CHECKS}/${id}`, { ...place, ...caller });
		return asked.then(
			() => true,
			() => false,
		);
	};
	const [withBearer, without] = [await sent({ company }), await sent({})];
	const elsewhere = "192.0.2.2";
	expect([await finds({ company, address: elsewhere }, withBearer), await finds({}, withBearer)]).toEqual([
		true,
		false,
	]);
	expect([await finds({}, without), await finds({ company }, without)]).toEqual([true, false]);
	expect(await finds({ address: elsewhere }, without)).toBe(false);
});

test("a check continues where a killed process left it, and counts once", async () => {
	const note = "x".repeat(2_000);
	const lines = Array.from({ length: 600 }, (_, i) => `,Comercial Nuevo ${i % 300} de ${i},${note}`);
	const list = `RNC,Nombre,Nota\n131880681,,\n${lines.join("\n")}\n`;
	const child = Bun.spawn(
		[
			...[process.execPath, join(import.meta.dir, "killed-check.process.ts"), database.url],
			...[directoryOf(database.sql), source, folder.write("sent.csv", Buffer.from(list))],
		],
		{ stdout: "inherit", stderr: "inherit" },
	);
	await child.exited;
	expect(child.signalCode).toBe("SIGKILL");
	const [left] = await database.sql`
		update registry_checks set lease_until = null where rows = 601 and status = 'running' returning id, rows`;
	const id: string = left?.id;
	const written = readFileSync(join(directoryOf(database.sql), "checks", `${id}.ndjson`), "utf8");
	expect([left?.rows, written.split("\n").length < 600]).toEqual([601, true]);
	const before = await billed();
	// Makes this process look for what is left.
	const { check_id: other } = (await (await send("RNC\n131880681\n")).json()) as Check;
	await finish(other);
	const { done, counts } = await finish(id);
	expect([done, Object.values(counts).reduce((sum, count) => sum + count, 0)]).toEqual([601, 601]);
	expect(await billed()).toBe(before + 1 + 601 - (counts.not_found ?? 0));
	const answer = await ask(registry.operations, "GET", `${CHECKS}/${id}/result?format=ndjson`);
	const result = await answer.text();
	expect(result.startsWith(written.slice(0, written.lastIndexOf("\n") + 1))).toBe(true);
	expect(result.trim().split("\n").length).toBe(601);
});

test("a small check does not wait for a large one of another owner", async () => {
	const names = Array.from({ length: 20_000 }, (_, i) => `Comercial ${i % 300} de ${i}`);
	const { check_id: large } = (await (await send(`Nombre\n${names.join("\n")}\n`)).json()) as Check;
	const owner = crypto.randomUUID();
	const { check_id: small } = (await (await send("RNC\n131880681\n", "", { owner })).json()) as Check;
	await until(async () => (await read(small, owner)).status === "done");
	expect((await read(large)).status).toBe("running");
	expect((await ask(registry.operations, "DELETE", `${CHECKS}/${large}`)).status).toBe(204);
});

test("list and result are gone seven days after the check", async () => {
	const { check_id: id } = (await (await send("RNC\n131880681\n")).json()) as Check;
	await finish(id);
	clock.advanceSeconds(7 * 86_400);
	expect((await problemOf(ask(registry.operations, "GET", `${CHECKS}/${id}`))).slug).toBe("not-found");
	await send("RNC\n131880681\n");
	await until(() => !files(".ndjson").includes(`${id}.ndjson`));
});
