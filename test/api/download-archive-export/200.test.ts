import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import { extract } from "tar-stream";
import { ALL_DAYS, archivedTenant, endedExport, readyZip, type ShownExport } from "../support/archive";

test("the address alone is enough, and the file is what the export says of it", async () => {
	const { url, bytes, sha256, expiresAt } = await readyZip();
	const answer = await fetch(url ?? "");
	const file = new Uint8Array(await answer.arrayBuffer());
	expect(answer.status).toBe(200);
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		...{ "content-type": "application/zip", "accept-ranges": "bytes", "cache-control": "private, no-store" },
		...{ "content-length": String(bytes), etag: `"${sha256}"` },
		"content-disposition": 'attachment; filename="archive-2026-01-01-2199-12-31.zip"',
		"repr-digest": `sha-256=:${createHash("sha256").update(file).digest("base64")}:`,
	});
	expect(file.length).toBe(bytes ?? 0);
	expect(Date.parse(expiresAt ?? "")).toBeGreaterThan(Date.now() + 23 * 3_600_000);
	const head = await fetch(url ?? "", { method: "HEAD" });
	expect([head.status, await head.text()]).toEqual([200, ""]);
});

/** A checkpoint that covers the documents for the first time may come between two exports, once; it is in all that follow. */
function expectSame(all: readonly ShownExport[]): void {
	const [first, second, third] = all.map(({ sha256 }) => sha256);
	expect(first === second || second === third).toBe(true);
	expect(new Set(all.map(({ exportId }) => exportId)).size).toBe(3);
}

test("ordered again it is the same file, as tar.zst too", async () => {
	const { tenant, docIds } = await archivedTenant();
	expectSame([await readyZip(), await endedExport(tenant), await endedExport(tenant)]);
	const order = { ...ALL_DAYS, format: "tar.zst" };
	const one = await endedExport(tenant, order);
	expectSame([one, await endedExport(tenant, order), await endedExport(tenant, order)]);
	const answer = await fetch(one.url ?? "");
	expect(answer.headers.get("content-type")).toBe("application/zstd");
	const names: string[] = [];
	const tar = extract();
	tar.end(zstdDecompressSync(new Uint8Array(await answer.arrayBuffer())));
	for await (const entry of tar) {
		names.push(entry.header.name);
		entry.resume();
	}
	expect(names).toEqual(expect.arrayContaining(["README.txt", "index.csv", "chain.csv", "archive.json"]));
	for (const docId of docIds) expect(names.some((name) => name.startsWith(`documents/${docId}/`))).toBe(true);
});
