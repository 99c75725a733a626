import { expect, test } from "bun:test";
import { fillFiles, writeTable } from "../../../src/archive/exports/fill-files";
import type { Pack, Sink } from "../../../src/archive/exports/sink";

const rest = async () => undefined;

function memorySink() {
	const parts: Uint8Array[] = [];
	const sink: Sink & { readonly path: string } = {
		path: "index",
		write: async (bytes) => void parts.push(bytes),
		close: async () => ({ bytes: 0, sha256: "", crc: 0 }),
		abandon: rest,
	};
	return { sink, text: () => Buffer.concat(parts).toString() };
}

/** Documents with one number; those named `gone…` exist no longer. */
const invoices = {
	head: "docId\r\n",
	listLines: async (_: string, docIds: readonly string[]) =>
		docIds.filter((docId) => !docId.startsWith("gone")).map((docId) => ({ docId, line: `${docId}\r\n` })),
	readFile: async (_: string, docId: string) =>
		docId === "late" ? undefined : { name: "E310000000001.xml", bytes: Buffer.from(docId) },
};

test("what was deleted after the order is left out and named", async () => {
	const { sink, text } = memorySink();
	const docIds = ["a", "gone-1", "b", "late"];
	const names: string[] = [];
	const pack: Pack = { add: async (name) => void names.push(name), addFile: rest, finish: rest };
	const made = await fillFiles({ rest, invoices }, pack, { tenantId: "t", docIds, format: "xml" }, sink);
	// Two documents had the same number, one after the other.
	expect(names).toEqual(["E310000000001.xml", "b/E310000000001.xml"]);
	expect(text()).toBe("docId\r\na\r\nb\r\n");
	expect(made).toMatchObject({ documents: 2, damagedCount: 2 });
	expect(made.damaged.map(({ docId, code }) => [docId, code])).toEqual([
		["gone-1", "object-missing"],
		["late", "object-missing"],
	]);
});

test("a long table is written page by page, and names the first hundred missing", async () => {
	const { sink, text } = memorySink();
	const docIds = Array.from({ length: 400 }, (_, n) => (n % 2 === 0 ? `d${n}` : `gone-${n}`));
	const made = await writeTable({ rest, invoices }, { tenantId: "t", docIds }, sink);
	expect(text().trimEnd().split("\r\n")).toHaveLength(201);
	expect([made.documents, made.damagedCount, made.damaged.length]).toEqual([200, 200, 100]);
});
