/** Lists that are checked over HTTP, from the upload to the result. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { type RegistryService, startRegistryService } from "../../support/registry-service";
import { until } from "../../support/until";
import { entries, entry, temporaryFolder, toText, toZip } from "../build";

const CHECKS = "/v1/authority/checks";
const folder = temporaryFolder();
let service: RegistryService;
let key: Readonly<Record<string, string>>;

beforeAll(async () => {
	const list = [
		...entries(300),
		entry({ rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL", trade_name: "EL PROGRESO" }),
		entry({ rnc: "101000001", name: "PANADERIA LA ESPIGA SRL", trade_name: "", status: "SUSPENDIDO" }),
	];
	service = await startRegistryService(folder.write("list.zip", toZip(toText(list))));
	key = await service.createOfficer();
}, 120_000);
afterAll(async () => {
	await service?.stop();
	folder.remove();
}, 120_000);

type Check = { check_id: string; status: string; done: number; counts: Record<string, number>; name_column: string };

const send = (body: string | Uint8Array, query = "", headers: Record<string, string> = {}) =>
	fetch(`${service.url}${CHECKS}${query}`, {
		method: "POST",
		headers: { ...key, "content-type": "text/csv", ...headers },
		body: typeof body === "string" ? body : new Uint8Array(body),
	});
const get = (path: string, headers: Record<string, string> = {}) =>
	fetch(`${service.url}${CHECKS}/${path}`, { headers: { ...key, ...headers } });

async function finish(id: string): Promise<Check> {
	let check: Check | undefined;
	await until(async () => {
		check = (await (await get(id)).json()) as Check;
		return check.status !== "running";
	});
	if (!check) throw new Error("no check");
	return check;
}

const LIST =
	"RNC;Razón social;Nota\r\n131-88068-1;Ferretería El Progreso;=1+1\r\n101000001;La Espiga;\r\n990000001;Otra Cosa;\r\n" +
	"131880681;;\r\n999999999;;\r\n12;;\r\n;Fereteria El Progreso, S.R.L.;\r\n;Comercial Numero;\r\n";

test("a list in Windows-1252 gets all verdicts, in three forms", async () => {
	const sent = await send(Buffer.from(LIST, "latin1"));
	expect(sent.status).toBe(202);
	const { check_id: id, ...created } = (await sent.json()) as Check;
	expect(created).toMatchObject({ encoding: "windows-1252", delimiter: ";", number_column: "RNC", rows: 8 });
	const check = await finish(id);
	expect(check).toMatchObject({ status: "done", done: 8, name_column: "Razón social" });
	expect(check.counts).toEqual({
		...{ found: 2, inactive: 0, name_differs: 2, ambiguous: 1, not_found: 1, invalid: 1, duplicate: 1 },
	});
	const csv = await get(`${id}/result`);
	const text = await csv.text();
	const [header, first] = text.split("\r\n");
	expect(header).toBe("RNC;Razón social;Nota;verdict;number;name;status;score;suggestions");
	expect(first).toStartWith(
		"131-88068-1;Ferretería El Progreso;'=1+1;found;131880681;FERRETERIA EL PROGRESO SRL;ACTIVO;",
	);
	const part = await get(`${id}/result`, { range: "bytes=3-5", "if-range": csv.headers.get("etag") ?? "" });
	expect([part.status, await part.text()]).toEqual([206, "RNC"]);
	const lines = (await (await get(`${id}/result?format=ndjson`)).text()).trim().split("\n");
	expect(lines.map((line) => JSON.parse(line).verdict)).toEqual([
		...["found", "name_differs", "name_differs", "duplicate", "not_found", "invalid", "found", "ambiguous"],
	]);
	// Our own result is a list too.
	const xlsx = new Uint8Array(await (await get(`${id}/result?format=xlsx`)).arrayBuffer());
	const again = await send(xlsx, "?number_column=RNC", { "content-type": "application/octet-stream" });
	expect(await again.json()).toMatchObject({ format: "xlsx", rows: 8 });
});

test("rows are billed once the check is done, without invalid ones and unmatched names", async () => {
	const other = await service.createOfficer();
	const sent = await send("RNC;Nombre\n131880681;\n999999999;\n12;\n;Zzyzx Qwfpg\n131880681;\n", "", other);
	const { check_id: id } = (await sent.json()) as Check;
	const billed = () => service.sql`
		select u.billable::int from usage_days u join registry_checks c on c.key_id = u.key_id and c.tenant_id = u.tenant_id
		where c.id = ${id} and u.operation = 'createRegistryCheck' and u.billable > 0`;
	await until(async () => (await billed()).length > 0);
	expect([...(await billed())]).toEqual([{ billable: 3 }]);
});

test("a repeated key gets the first answer, and another list under it is refused", async () => {
	const headers = { "idempotency-key": crypto.randomUUID() };
	const first = (await (await send("RNC\n131880681\n", "", headers)).json()) as Check;
	const repeated = await send("RNC\n131880681\n", "", headers);
	expect(repeated.headers.get("idempotency-replayed")).toBe("true");
	expect(((await repeated.json()) as Check).check_id).toBe(first.check_id);
	expect((await send("RNC\n131880682\n", "", headers)).status).toBe(422);
});

test("DELETE ends a check and removes its files; others never see it", async () => {
	const { check_id: id } = (await (await send("RNC\n131880681\n")).json()) as Check;
	await finish(id);
	const stranger = await fetch(`${service.url}${CHECKS}/${id}`, { headers: await service.createOfficer() });
	expect(stranger.status).toBe(404);
	const ended = await fetch(`${service.url}${CHECKS}/${id}`, { method: "DELETE", headers: key });
	expect(ended.status).toBe(204);
	expect((await get(id)).status).toBe(404);
	expect(readdirSync(join(service.dataDir, "registry/checks")).filter((name) => name.startsWith(id))).toEqual([]);
});

test("an erased entry leaves results that were made before", async () => {
	const { check_id: id } = (await (
		await send("RNC,Nombre\n990000007,Comercial Numero 7\n,Comercial Numero 7 SRL\n")
	).json()) as Check;
	await finish(id);
	expect(await (await get(`${id}/result`)).text()).toContain("COMERCIAL NUMERO 7 SRL");
	const purged = await fetch(`${service.url}/v1/authority/document/990000007:purge`, {
		method: "POST",
		headers: { ...key, "content-type": "application/json" },
		body: JSON.stringify({
			...{ legal_basis: "arco-cancellation", request_reference: "R-1", requested_by: "data-subject", reason: "test" },
		}),
	});
	if (purged.status !== 200) throw new Error(await purged.text());
	const text = await (await get(`${id}/result`)).text();
	expect(text).not.toContain("COMERCIAL NUMERO 7 SRL");
	const check = (await (await get(id)).json()) as Check;
	expect(check.counts).toMatchObject({ not_found: 2, found: 0 });
	const files = join(service.dataDir, "registry/checks");
	for (const name of readdirSync(files)) {
		expect(readFileSync(join(files, name), "utf8")).not.toContain("COMERCIAL NUMERO 7 SRL");
	}
});

test("a check that was killed continues behind its last whole line", async () => {
	const numbers = entries(300).map(({ rnc }) => rnc);
	const sent = await send(`RNC\n${numbers.join("\n")}\n`);
	const { check_id: id } = (await sent.json()) as Check;
	await finish(id);
	const whole = await (await get(`${id}/result?format=ndjson`)).text();
	// As a killed process leaves it: the list, half of the result with half a line, and a lease that has run out.
	const base = join(service.dataDir, "registry/checks", id);
	await until(async () => !existsSync(`${base}.list`));
	for (const name of readdirSync(join(base, "..")).filter((one) => /\.[0-9a-f]{64}\./.test(one)))
		rmSync(join(base, "..", name));
	truncateSync(`${base}.ndjson`, 20_011);
	writeFileSync(`${base}.list`, `RNC\n${numbers.join("\n")}\n`);
	await service.sql`update registry_checks set status = 'running', done = 0, lease_until = null where id = ${id}`;
	await send("RNC\n131880681\n");
	// One of them was erased above.
	expect(await finish(id)).toMatchObject({ status: "done", done: 300, counts: { found: 299, duplicate: 0 } });
	expect(await (await get(`${id}/result?format=ndjson`)).text()).toBe(whole);
});

function workbook(sheet: string, more: Record<string, string> = {}): Uint8Array {
	const parts = {
		"xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="a" sheetId="1" r:id="a"/></sheets></workbook>',
		"xl/_rels/workbook.xml.rels":
			'<Relationships><Relationship Id="a" Type="t/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
		"xl/worksheets/sheet1.xml": sheet,
		...more,
	};
	return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)])));
}
const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
const cellOf = (value: string, kind = "") => `<c${kind && ` t="${kind}"`}><v>${value}</v></c>`;
const GOOD = sheetOf(`<row r="1">${cellOf("RNC", "str")}</row><row r="2">${cellOf("131880681")}</row>`);
const whole = workbook(GOOD);
const flip = (bytes: Uint8Array, at: number) => bytes.with(at, (bytes[at] ?? 0) ^ 0xff);
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

const BROKEN: readonly (readonly [name: string, bytes: Uint8Array | string])[] = [
	["nothing", ""],
	["blank lines", "\n\n \n"],
	["a header alone", "RNC;Nombre\n"],
	["no column of either kind", "a,b\n1,2\n3,4\n"],
	["a quotation mark left open", 'RNC,Nombre\n131880681,"abc\n'],
	["text behind a quotation mark", 'RNC,Nombre\n131880681,"abc"d\n'],
	["surplus cells", "RNC,Nombre\n131880681,a,b\n"],
	["surplus cells far below", `RNC,Nombre\n${"131880681,a\n".repeat(500)}131880681,a,b\n`],
	["a zero byte", "RNC\n131880681\n\u0000\n"],
	["a control character", "RNC,Nombre\n131880681,a\u0007\n"],
	["a cell of 40,000 characters", `RNC,Nombre\n131880681,${"x".repeat(40_000)}\n`],
	["300 columns", `${"RNC,".repeat(300)}x\n131880681\n`],
	["a row of two million characters", `RNC\n"${"x".repeat(2_000_000)}`],
	["half a character of UTF-16", utf16("RNC\n131880681\n").subarray(0, -1)],
	["a lone surrogate", utf16("RNC\n131880681\ud800\n")],
	["a PDF file", "%PDF-1.7\n"],
	["an image", Buffer.from("89504e470d0a1a0a", "hex")],
	["an old Excel file", Buffer.from("d0cf11e0a1b11ae1", "hex")],
	["a gzip file", Bun.gzipSync(Buffer.from("RNC\n131880681\n"))],
	["a zstd file", Bun.zstdCompressSync(Buffer.from("RNC\n131880681\n"))],
	["a zip that is no workbook", zipSync({ "a.txt": Buffer.from("RNC") })],
	["an empty zip", Buffer.from(`504b0506${"00".repeat(18)}`, "hex")],
	["a zip cut in half", whole.subarray(0, whole.length >> 1)],
	["a zip without its last bytes", whole.subarray(0, -10)],
	["only the zip's mark", "PK\u0003\u0004"],
	["a changed byte of the sheet", flip(whole, Buffer.from(whole).indexOf("sheet1.xml") + 20)],
	["a changed byte of the directory", flip(whole, Buffer.from(whole).lastIndexOf("PK\u0001\u0002"))],
	["a workbook without sheets", workbook(GOOD, { "xl/workbook.xml": "<workbook><sheets/></workbook>" })],
	["a sheet that is missing", workbook(GOOD, { "xl/_rels/workbook.xml.rels": "<Relationships/>" })],
	["a sheet that ends in the middle", workbook(GOOD.slice(0, -40))],
	["a sheet of other XML", workbook("<html></html>")],
	["a sheet with entities", workbook(`<!DOCTYPE x [<!ENTITY a "b">]>${GOOD}`)],
	["a sheet without rows", workbook(sheetOf(""))],
	["a text that does not exist", workbook(sheetOf(`<row>${cellOf("RNC", "str")}</row><row>${cellOf("7", "s")}</row>`))],
	["rows out of order", workbook(GOOD.replace('r="2"', 'r="1"'))],
	["row 2,000,000", workbook(GOOD.replace('r="2"', 'r="2000000"'))],
	["column ZZZ", workbook(sheetOf(`<row><c r="ZZZ1" t="str"><v>RNC</v></c></row>`))],
	["cells out of order", workbook(sheetOf('<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>'))],
	["a password", flip(flip(whole, Buffer.from(whole).indexOf("PK\u0001\u0002") + 8), 6)],
];

test.each(BROKEN)("a broken list is refused: %s", async (_, bytes) => {
	const answer = await send(bytes);
	expect([answer.status, await answer.json()]).toMatchObject([
		422,
		{ errors: [{ code: "unreadable", found: expect.any(String) }] },
	]);
});

test("a zip bomb is refused while it unpacks", async () => {
	// All members are read in the same way; this one may have the fewest bytes.
	const answer = await send(workbook(GOOD, { "xl/workbook.xml": " ".repeat(9 << 20) }));
	const { detail } = (await answer.json()) as { detail: string };
	expect([answer.status, detail]).toEqual([422, "Found a spreadsheet that unpacks to more than 8 MiB."]);
});
