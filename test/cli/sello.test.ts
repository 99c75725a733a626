/** `sello` as an integrator uses it, against a running service. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenant, sharedService, type Tenant, type TestService } from "../support/service";
import { credentialsOf, makeConfigFolder, startSello } from "./support/start-sello";

let service: TestService;
let tenant: Tenant;
let env: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), "sello-test-cli-"));
const config = makeConfigFolder();
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { company: { settings: { sequenceMode: "service" } } });
	env = credentialsOf(service, tenant);
});
afterAll(() => {
	for (const path of [folder, config]) rmSync(path, { recursive: true });
});

async function run(words: readonly string[], settings: Record<string, string> = env, input = "") {
	const child = startSello(words, settings, folder);
	child.write(input);
	return { code: await child.exited, out: child.printed(), errors: child.errors() };
}

async function runJson(...words: string[]) {
	const { code, out, errors } = await run([...words, "--json"]);
	return { code, errors, data: JSON.parse(out || "null") };
}

test("a login checks the credentials and keeps them where only their owner reads them", async () => {
	const { apiKey, clientId, clientSecret, rnc } = tenant;
	const own = { XDG_CONFIG_HOME: config };
	const words = ["--url", service.url, "--key", apiKey, "--client-id", clientId, "--client-secret"];
	const wrong = await run(["login", ...words, "wrong"], own);
	expect(wrong).toMatchObject({ code: 3, out: "", errors: expect.stringContaining("Unauthorised") });
	expect(existsSync(join(config, "sello"))).toBe(false);
	expect(await run(["login", ...words, clientSecret], own)).toMatchObject({ code: 0, errors: "" });
	const file = join(config, "sello/config.json");
	expect(statSync(file).mode & 0o777).toBe(0o600);
	const shown = await run(["whoami", "--json"], own);
	expect(JSON.parse(shown.out)).toMatchObject({ url: service.url, company: { rnc }, environment: "sandbox" });
	expect(shown.out).not.toContain(clientSecret);
	// The environment wins, and nothing of the two is mixed.
	const other = await run(["whoami", "--json"], { ...own, SELLO_API_KEY: apiKey });
	expect(JSON.parse(other.out)).toMatchObject({ clientId: null });
	expect(await run(["logout"], own)).toMatchObject({ code: 0 });
	expect(await run(["whoami"], own)).toMatchObject({ code: 3, errors: "no credentials: sello login\n" });
});

test("an agent's key, which may not read the company, logs in", async () => {
	const answer = await fetch(`${service.url}/v1/api-keys`, {
		method: "POST",
		headers: { ...tenant.headers, "content-type": "application/json" },
		body: JSON.stringify({ label: "agent", scopes: ["invoices:read", "invoices:prepare", "registry:read"] }),
	});
	const { key } = (await answer.json()) as { key: string };
	const own = { XDG_CONFIG_HOME: makeConfigFolder() };
	const { clientId, clientSecret, tenantId } = tenant;
	const words = ["--key", key, "--client-id", clientId, "--client-secret", clientSecret, "--profile", "agent"];
	const logged = await run(["login", "--url", service.url, ...words], own);
	expect(logged).toMatchObject({ code: 0, errors: "", out: expect.stringContaining(tenantId) });
	expect(await run(["whoami"], own)).toMatchObject({ code: 0, out: expect.stringContaining(tenantId) });
	rmSync(own.XDG_CONFIG_HOME, { recursive: true });
});

test("credentials of a new company go into the profile, and new ones replace them", async () => {
	const own = { XDG_CONFIG_HOME: makeConfigFolder() };
	const key = await service.createKey();
	await run(["login", "--url", service.url, "--key", key], own);
	const created = await run(["company", "create", "990-00000-4"], own);
	expect(created).toMatchObject({ code: 0, errors: "" });
	const read = () => JSON.parse(readFileSync(join(own.XDG_CONFIG_HOME, "sello/config.json"), "utf8")).profiles.default;
	const first = read();
	expect(first).toMatchObject({ rnc: "990000004", apiKey: key });
	expect(first.clientSecret).toStartWith("cs_");
	expect(created.out).not.toContain(first.clientSecret);
	const issued = await run(["invoices", "create", "--item", "Café molido:2:250.00", "--wait", "10", "--json"], own);
	expect(JSON.parse(issued.out)).toMatchObject({ status: "accepted" });
	expect(await run(["company", "credentials"], own)).toMatchObject({ code: 0 });
	expect(read().clientSecret).not.toBe(first.clientSecret);
	expect(await run(["whoami"], own)).toMatchObject({ code: 0 });
	rmSync(own.XDG_CONFIG_HOME, { recursive: true });
});

test("an invoice is issued, listed, shown and printed", async () => {
	const issued = await runJson("invoices", "create", "--item", "Café: molido:2:250.00:18", "--wait", "10");
	expect(issued).toMatchObject({ code: 0, errors: "", data: { status: "accepted" } });
	const { docId, encf } = issued.data as { docId: string; encf: string };
	const listed = await run(["invoices", "list", "--limit", "1"]);
	expect(listed.out).toContain(encf);
	expect(listed.out).toContain("590.00");
	expect(listed.out).not.toContain("\u001b");
	const shown = await runJson("invoices", "get", docId);
	expect(shown.data.request.lines).toMatchObject([{ description: "Café: molido", quantity: "2" }]);
	expect(await run(["invoices", "pdf", docId, "--out", "f.pdf"])).toMatchObject({ code: 0 });
	expect(readFileSync(join(folder, "f.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
});

test("a rejection has an exit code of its own and names the code", async () => {
	const rejected = await run(["invoices", "create", "--item", "Café:1:100.00", "--scenario", "reject", "--wait", "10"]);
	expect(rejected).toMatchObject({ code: 5, out: expect.stringContaining("why: sello explain 1920"), errors: "" });
	const explained = await run(["explain", "1920", "--lang", "es"]);
	expect(explained).toMatchObject({ code: 0, out: expect.stringContaining("1920 ") });
});

test("a file is issued, gross prices include the tax, and a dry run stores nothing", async () => {
	const { data } = await runJson("invoices", "create", "--item", "Café:1:118.00", "--prices", "gross", "--dry-run");
	expect(data).toMatchObject({ dryRun: true, totals: { itbis: "18.00", total: "118.00" } });
	const body = {
		...{ type: "32", encf: "auto", company: { rnc: tenant.rnc, name: tenant.name } },
		lines: [{ line_number: 1, description: "Té", quantity: "1", unit_price: "100.00", subtotal: "100.00" }],
		totals: { subtotal: "100.00", tax: "18.00", grand_total: "118.00" },
	};
	const piped = await run(["invoices", "create", "-f", "-", "--json"], env, JSON.stringify(body));
	expect(JSON.parse(piped.out)).toMatchObject({ docId: expect.any(String) });
	const wrong = await run(["invoices", "create", "-f", "-"], env, JSON.stringify({ ...body, lines: [] }));
	expect(wrong).toMatchObject({
		code: 1,
		out: "",
		errors: expect.stringMatching(/\/lines: .*\n(?:.*\n)*.*sello explain validation-error/),
	});
});

test("a file of numbers is checked, and an interrupted check goes on", async () => {
	const rows = ["990000001", "999999999", "", "12"].map((number, n) => `"S, ${n}";${number}`);
	writeFileSync(join(folder, "list.csv"), `nombre;rnc\r\n${rows.join("\r\n")}\r\n`);
	const checked = await run(["registry", "check", "list.csv", "--fail-on", "missing"]);
	expect(checked).toMatchObject({
		code: 1,
		out: expect.stringContaining("4: 1 active, 0 inactive, 3 missing (2 without 9 or 11 digits)\n"),
	});
	const lines = readFileSync(join(folder, "list-checked.csv"), "utf8").split("\r\n");
	expect(lines[0]).toBe("nombre;rnc;outcome;registry_name;registry_status;registry_regime");
	expect(lines[1]).toStartWith('"S, 0";990000001;found;');
	expect(lines[2]).toBe('"S, 1";999999999;not_found;;;');
	// As if it had been interrupted in the third row.
	writeFileSync(join(folder, "list-checked.csv.part"), `${lines.slice(0, 3).join("\r\n")}\r\n"S, 2`);
	const again = await run(["registry", "check", "list.csv", "--fail-on", "inactive"]);
	expect(again).toMatchObject({ code: 0, errors: "going on after 2 rows\n" });
	expect(readFileSync(join(folder, "list-checked.csv"), "utf8").split("\r\n")).toEqual(lines);
	expect(existsSync(join(folder, "list-checked.csv.part"))).toBe(false);
});

test("a prepared invoice is shown, and issued once its digest is named", async () => {
	const answer = await fetch(`${service.url}/v1/prepared-invoices`, {
		method: "POST",
		headers: { ...tenant.headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
		body: JSON.stringify({
			...{ type: "32", encf: "auto", company: { rnc: tenant.rnc, name: tenant.name } },
			lines: [{ line_number: 1, description: "Té", quantity: "1", unit_price: "100.00", subtotal: "100.00" }],
			totals: { subtotal: "100.00", tax: "18.00", grand_total: "118.00" },
			metadata: { order: "PO 17" },
		}),
	});
	const { id, sha256 } = (await answer.json()) as { id: string; sha256: string };
	expect((await run(["prepared", "list"])).out).toContain(id);
	const { out: shown } = await run(["prepared", "show", id]);
	expect(shown).toContain(sha256);
	expect(shown).toMatch(/\/company\/name +\S/);
	expect(shown).toMatch(/\/metadata\/order +PO 17/);
	expect(shown).not.toContain("/lines/0/");
	const unseen = await run(["prepared", "approve", id]);
	expect(unseen).toMatchObject({ code: 2, errors: "--sha256 is needed: prepared show has it\n" });
	const other = await run(["prepared", "approve", id, "--sha256", "0".repeat(64)]);
	expect(other).toMatchObject({ code: 1, errors: expect.stringContaining("prepared-invoice-changed") });
	const issued = await run(["prepared", "approve", id, "--sha256", sha256, "--wait", "10"]);
	expect(issued).toMatchObject({ code: 0, out: expect.stringContaining("accepted") });
});

test("the registry is looked up and searched, and problems are explained", async () => {
	expect((await run(["registry", "lookup", "990-00000-1"])).out).toContain("PANADERIA LA ESPIGA SRL");
	expect((await run(["registry", "search", "la", "espiga"])).out).toContain("990000001");
	expect(await run(["registry", "search", "no such company"])).toMatchObject({ code: 1, out: "nothing found\n" });
	expect((await run(["registry", "search", "espigga"])).out).toBe("nothing found\ndid you mean: ESPIGA\n");
	expect((await run(["explain", "encf-already-used"])).out).toStartWith("422 ");
	expect((await run(["docs", "nota", "de", "crédito", "--lang", "es"])).out).toContain(`${service.url}/docs/es/notes`);
	expect(await run(["explain", "nope"])).toMatchObject({ code: 1, errors: "no problem is called nope\n" });
});

test("agents reach the tools of the service over standard input and output", async () => {
	const clientInfo = { name: "test", version: "1" };
	const messages = [
		{ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
		{ method: "notifications/initialized" },
		{ id: 2, method: "tools/list", params: {} },
		{ id: 3, method: "tools/call", params: { name: "registry_lookup", arguments: { document: "990000001" } } },
	];
	const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
	const { code, out, errors } = await run(["mcp"], env, input);
	expect({ code, errors }).toEqual({ code: 0, errors: "" });
	const [first, tools, called, ...others] = out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(others).toEqual([]);
	expect(first).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18" } });
	expect(tools.result.tools.map(({ name }: { name: string }) => name)).toContain("invoice_prepare");
	expect(JSON.stringify(called)).toContain("PANADERIA LA ESPIGA SRL");
	const away = await run(["mcp"], { ...env, SELLO_URL: "http://127.0.0.1:1" }, `${JSON.stringify(messages[2])}\n`);
	expect(JSON.parse(away.out)).toMatchObject({ id: 2, error: { code: -32603 } });
	const unknown = await run(["mcp"], { ...env, SELLO_API_KEY: "ak_test_no" }, `${JSON.stringify(messages[2])}\n`);
	expect(JSON.parse(unknown.out).error.message).toMatch(/^Unauthorised: /);
	const rubbish = await run(["mcp"], env, "rubbish\n");
	expect(JSON.parse(rubbish.out)).toMatchObject({ id: null, error: { code: -32700 } });
});

test("the doctor finds a service, its clock, credentials and scopes", async () => {
	const sound = await runJson("doctor");
	expect(sound).toMatchObject({ code: 0, data: { ok: true } });
	expect(sound.data.findings.map(({ check }: { check: string }) => check)).toEqual([
		...["address", "TLS", "clock", "credentials", "scopes", "webhooks"],
	]);
	const limited = await run(["doctor"], {
		SELLO_URL: service.url,
		SELLO_API_KEY: await service.createKey({ plan: "free" }),
	});
	expect(limited).toMatchObject({ code: 0, out: expect.stringMatching(/^rates +ok +\d+ of \d+ left in \d+ s$/m) });
	expect(await run(["doctor"], { ...env, SELLO_URL: "http://127.0.0.1:1" })).toMatchObject({ code: 4 });
	expect(await run(["doctor"], { ...env, SELLO_API_KEY: "ak_test_unknown" })).toMatchObject({ code: 3 });
});

test("without an answer the exit code is 4, and a stack is shown only when asked for", async () => {
	const away = { ...env, SELLO_URL: "http://127.0.0.1:1" };
	const plain = await run(["invoices", "list"], away);
	expect(plain).toMatchObject({ code: 4, out: "", errors: expect.stringMatching(/^no answer: .+\n$/) });
	expect((await run(["invoices", "list"], { ...away, SELLO_DEBUG: "1" })).errors).toContain("client.ts");
});

test("a write in production needs --yes without a terminal", async () => {
	const live = { ...env, SELLO_API_KEY: "ak_live_0000000000000000000000_000000" };
	const asked = await run(["company", "create", "990000005"], live);
	expect(asked).toMatchObject({ code: 2, errors: "register 990000005 in production needs --yes\n" });
	expect(await run(["company", "create", "990000005", "--yes"], live)).toMatchObject({ code: 3 });
});

describe("a misuse is one line and exits with 2:", () => {
	const id = "01920000-0000-7000-8000-000000000000";
	test.each<[string, string[]]>([
		["a command is needed; see sello --help", []],
		["unknown command: invoce", ["invoce"]],
		["unknown command: invocies; did you mean invoices?", ["invocies", "list"]],
		["unknown command: frobnicate", ["frobnicate"]],
		["invoices needs one of create, list", ["invoices"]],
		["unknown command: invoices lst; did you mean invoices list?", ["invoices", "lst"]],
		["unknown option of invoices list: --state", ["invoices", "list", "--state", "accepted"]],
		["unknown option of whoami: -x", ["whoami", "-x"]],
		["--json takes no value", ["whoami", "--json=yes"]],
		["--limit is given twice", ["invoices", "list", "--limit", "1", "--limit", "2"]],
		["--limit needs a value", ["invoices", "list", "--limit"]],
		["expected --limit to be a number from 1 to 1000, got 0", ["invoices", "list", "--limit", "0"]],
		["expected --limit to be a number from 1 to 1000, got ten", ["invoices", "list", "--limit", "ten"]],
		["expected --lang en|es, got fr", ["whoami", "--lang", "fr"]],
		["expected --url http://… or https://…, got localhost:3000", ["whoami", "--url", "localhost:3000"]],
		["invoices get needs ID", ["invoices", "get"]],
		["expected an id, got 123", ["invoices", "get", "123"]],
		["invoices get does not know what to do with two", ["invoices", "get", id, "two"]],
		["expected --format a4|thermal_80|thermal_58|escpos, got a5", ["invoices", "pdf", id, "--format", "a5"]],
		["--file or --item is needed", ["invoices", "create"]],
		["expected --type 31|32|41|44, got 99", ["invoices", "create", "--type", "99", "--item", "Café:1:1.00"]],
		["expected --item Description:quantity:price", ["invoices", "create", "--item", "Café"]],
		["expected --item Description:quantity:price", ["invoices", "create", "--item", "Café:1:-5"]],
		["--file and --item do not go together", ["invoices", "create", "-f", "x.json", "--item", "Café:1:1.00"]],
		["--file none.json: ", ["invoices", "create", "--file", "none.json"]],
		["--customer-name goes with --customer", ["invoices", "create", "--item", "Café:1:1.00", "--customer-name", "X"]],
		["expected --wait to be a number from 0 to 300, got 301", ["invoices", "get", id, "--wait", "301"]],
		["expected 9 or 11 digits, got 99", ["company", "create", "99"]],
		["--client-id and --client-secret go together", ["login", "--key", "k", "--client-secret", "s"]],
		["expected --forward http://… or https://…", ["events", "listen", "--forward", "localhost:8080/hooks"]],
		["expected --secret whsec_…, whole", ["events", "listen", "--forward", "http://localhost:1", "--secret", "5W0b"]],
		["sequence.low needs --forward", ["events", "trigger", "sequence.low"]],
		["unknown event no.event; known: ", ["events", "trigger", "no.event"]],
		["expected 2 to 80 characters to search for", ["docs", "x"]],
		["none.csv: ", ["registry", "check", "none.csv"]],
		["expected --fail-on inactive,missing, got all", ["registry", "check", "x.csv", "--fail-on", "all"]],
		["expected docs|invoice, got house", ["open", "house"]],
		["expected bash|zsh|fish, got powershell", ["completion", "powershell"]],
		["expected --sha256 with 64 hexadecimal digits", ["prepared", "approve", id, "--sha256", "abc"]],
	])("%s", async (sentence, words) => {
		const settings = words[0] === "login" ? {} : env;
		const { code, out, errors } = await run(words, settings);
		expect({ code, out }).toEqual({ code: 2, out: "" });
		expect(errors).toStartWith(sentence);
		expect(errors.trimEnd().split("\n")).toHaveLength(1);
		expect(errors).not.toContain("5W0b");
	});

	test("in Spanish on a Spanish system", async () => {
		const { code, errors } = await run(["invoices", "get"], { ...env, LC_ALL: "es_DO.UTF-8" });
		expect({ code, errors }).toEqual({ code: 2, errors: "invoices get necesita ID\n" });
	});
});
