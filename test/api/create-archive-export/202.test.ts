import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import { getArchiveObject, nextLink } from "../../../src/archive";
import { createTenant, get, sharedService } from "../../support/service";
import { ALL_DAYS, archivedTenant, endedExport, orderExport, readExport, type ShownExport } from "../support/archive";
import { instant, uuid } from "../support/tenants";

test("an export has every sealed object byte for byte, with the lists that prove it", async () => {
	const service = await sharedService();
	const { tenant, docIds } = await archivedTenant();
	const answer = await orderExport(tenant);
	expect([answer.status, answer.headers.get("retry-after")]).toEqual([202, "5"]);
	const ordered = (await answer.json()) as ShownExport;
	expect({ ...ordered }).toMatchObject({
		...{ exportId: expect.stringMatching(uuid), status: "queued", ...ALL_DAYS, documents: 3 },
		...{
			bytes: null,
			sha256: null,
			url: null,
			expiresAt: null,
			chain: null,
			merkleRoot: null,
			failure: null,
			damaged: [],
			damagedCount: 0,
		},
		createdAt: expect.stringMatching(instant),
	});
	expect(answer.headers.get("location")).toBe(`/v1/archive/exports/${ordered.exportId}`);

	const ready = await endedExport(tenant);
	expect({ ...ready }).toMatchObject({ status: "ready", documents: 3, failure: null });
	const bytes = new Uint8Array(await (await fetch(ready.url ?? "")).arrayBuffer());
	expect(bytes.length).toBe(ready.bytes ?? 0);
	expect(createHash("sha256").update(bytes).digest("hex")).toBe(ready.sha256 ?? "");
	const entries = unzipSync(bytes);
	const text = (name: string) => new TextDecoder().decode(entries[name]);
	const rows = text("index.csv").trimEnd().split("\r\n").slice(1);
	expect(rows).toHaveLength(3);
	for (const docId of docIds) {
		const object = await getArchiveObject(service.sql, tenant.tenantId, docId);
		const name = Object.keys(entries).find((entry) => entry.startsWith(`documents/${docId}/`)) ?? "";
		expect(
			createHash("sha256")
				.update(entries[name] ?? "")
				.digest("hex"),
		).toBe(object?.sha256 ?? "?");
		expect(Object.keys(unzipSync(entries[name] ?? new Uint8Array()))).toContain("ecf.xml");
		const row = rows.find((one) => one.startsWith(docId)) ?? "";
		expect(row.split(",")).toEqual(expect.arrayContaining([object?.sha256 ?? "?", object?.chainHash ?? "?", name]));
	}
	let link: Uint8Array = Buffer.from(ready.chain?.from ?? "", "hex");
	for (const row of text("chain.csv").trimEnd().split("\r\n").slice(1)) {
		const [, docId = "", sha256 = "", decidedAt = "", chainHash = ""] = row.split(",");
		link = nextLink(link, { docId, sha256: Buffer.from(sha256, "hex"), decidedAt: new Date(decidedAt) });
		expect(Buffer.from(link).toString("hex")).toBe(chainHash);
	}
	expect(Buffer.from(link).toString("hex")).toBe(ready.chain?.to ?? "?");
	expect(ready.chain?.from).toBe("00".repeat(32));
	expect(JSON.parse(text("archive.json"))).toMatchObject({
		...{
			format: "sello-export/1",
			tenantId: tenant.tenantId,
			documents: 3,
			chain: { first: 0, last: 2, ...ready.chain },
		},
		tree: { size: ready.treeSize, root: ready.merkleRoot },
	});
	expect(text("README.txt")).toMatch(/CÓMO VERIFICAR[\s\S]*HOW TO VERIFY/);
});

test("the order is in the audit", async () => {
	const { tenant } = await archivedTenant();
	const { exportId } = await endedExport(tenant, { ...ALL_DAYS, format: "tar.zst" });
	const page = await get(await sharedService(), `/v1/audit?target=${exportId}`, { ...tenant.headers });
	expect(((await page.json()) as { items: object[] }).items).toMatchObject([
		{ action: "archive.export", details: { ...ALL_DAYS, format: "tar.zst", documents: 3 } },
	]);
});

test("a replay returns the first export; an empty period gives an empty export", async () => {
	const tenant = await createTenant(await sharedService());
	const key = { "idempotency-key": crypto.randomUUID() };
	const first = await orderExport(tenant, ALL_DAYS, key);
	const again = await orderExport(tenant, ALL_DAYS, key);
	expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([202, 200, "true"]);
	const shown = (await again.json()) as ShownExport;
	expect(await first.json()).toEqual(shown);
	const empty = await endedExport(tenant);
	expect({ ...empty }).toMatchObject({ status: "ready", documents: 0, chain: null, merkleRoot: null });
	const entries = unzipSync(new Uint8Array(await (await fetch(empty.url ?? "")).arrayBuffer()));
	expect(Object.keys(entries)).toEqual(["README.txt", "index.csv", "archive.json"]);
	expect((await readExport(tenant, shown._links.self)).exportId).toBe(shown.exportId);
});

const unzip = async ({ url }: ShownExport) => unzipSync(new Uint8Array(await (await fetch(url ?? "")).arrayBuffer()));
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

test("chosen documents come as signed XML or as PDF, with a table of them", async () => {
	const service = await sharedService();
	const { tenant, docIds } = await archivedTenant();
	const chosen = docIds.slice(1);
	const xml = await endedExport(tenant, { docIds: chosen, format: "xml" });
	expect({ ...xml }).toMatchObject({ status: "ready", chosen: true, documents: 2, damagedCount: 0, chain: null });
	const files = await unzip(xml);
	const [head, ...rows] = textOf(files["index.csv"]).trimEnd().split("\r\n");
	expect(head).toStartWith("docId,encf,client_request_id,type,status,code,issue_date,");
	expect(rows.map((row) => row.split(",")[0] ?? "").toSorted()).toEqual([...chosen].toSorted());
	const names = Object.keys(files).filter((name) => name !== "index.csv");
	expect(names).toHaveLength(2);
	for (const row of rows) {
		const [docId, encf = "?"] = row.split(",");
		const name = names.find((one) => one.endsWith(`${encf}.xml`)) ?? "";
		const signed = await get(service, `/v1/invoices/${docId}/xml`, { ...tenant.headers });
		expect(textOf(files[name])).toBe(await signed.text());
	}
	const pdf = await endedExport(tenant, { docIds: chosen, format: "pdf" });
	const printed = Object.entries(await unzip(pdf)).filter(([name]) => name.endsWith(".pdf"));
	expect(printed.map(([, bytes]) => textOf(bytes.subarray(0, 5)))).toEqual(["%PDF-", "%PDF-"]);
	const download = await fetch(pdf.url ?? "");
	expect(download.headers.get("content-disposition")).toMatch(/filename="invoices-.*[.]pdf[.]zip"/);
});

test("a filter chooses what the list shows, at the time of the order", async () => {
	const { tenant, docIds } = await archivedTenant();
	const csv = await endedExport(tenant, { filter: { type: "32" }, format: "csv" });
	expect({ ...csv }).toMatchObject({ status: "ready", documents: 1 });
	const answer = await fetch(csv.url ?? "");
	expect(answer.headers.get("content-type")).toStartWith("text/csv");
	const rows = (await answer.text()).trimEnd().split("\r\n").slice(1);
	expect(rows.map((row) => row.split(",")[0])).toEqual(docIds.slice(2));
	const none = await endedExport(tenant, { filter: { encf: "E310099999999" }, format: "csv" });
	expect({ ...none }).toMatchObject({ status: "ready", documents: 0 });
});

test("chosen documents come sealed too, without the others' links", async () => {
	const { tenant, docIds } = await archivedTenant();
	const sealed = await endedExport(tenant, { docIds: [docIds[0], docIds[2]], format: "zip" });
	expect({ ...sealed }).toMatchObject({ status: "ready", documents: 2, chain: null });
	const names = Object.keys(await unzip(sealed));
	expect(names).not.toContain("chain.csv");
	expect(names.filter((name) => name.startsWith("documents/"))).toHaveLength(2);
});
