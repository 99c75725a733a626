/**
 * Writes the contents of an export of chosen invoices: the file of each, and a table of all; or the table alone. What exists no longer is left out and
 * counted as damaged. The wing above makes lines and files.
 */
import { DAMAGED_MAX, type Damage } from "./export";
import { type Contents, type Filling, readAhead } from "./fill-pack";
import type { Pack, Sink } from "./sink";

/** Lines of the table are CSV and end with their line break. */
export type InvoiceFiles = {
	readonly head: string;
	/** In the order of the ids; those of unknown documents are left out. */
	readonly listLines: (
		tenantId: string,
		docIds: readonly string[],
	) => Promise<readonly { readonly docId: string; readonly line: string }[]>;
	/** Undefined for a document that was deleted meanwhile. */
	readonly readFile: (
		tenantId: string,
		docId: string,
		format: "xml" | "pdf",
	) => Promise<{ readonly name: string; readonly bytes: Uint8Array } | undefined>;
};

type Files = Pick<Filling, "rest"> & { readonly invoices: InvoiceFiles };
type Chosen = { readonly tenantId: string; readonly docIds: readonly string[] | null };
type Item = { readonly docId: string; readonly line: string };

/** A printed page takes some milliseconds, and the export may be lost to another holder meanwhile. */
const PAGE = 50;
const AHEAD_MAX = 4;

export async function writeTable(deps: Files, chosen: Chosen, table: Sink): Promise<Contents> {
	await table.write(Buffer.from(deps.invoices.head));
	return eachPage(deps, chosen, async (items) => {
		await table.write(Buffer.from(items.map(({ line }) => line).join("")));
		return items.map(({ docId }) => docId);
	});
}

export async function fillFiles(
	deps: Files,
	pack: Pack,
	chosen: Chosen & { readonly format: "xml" | "pdf" },
	index: Sink & { readonly path: string },
): Promise<Contents> {
	const { tenantId, format } = chosen;
	const used = new Set<string>();
	await index.write(Buffer.from(deps.invoices.head));
	const contents = await eachPage(deps, chosen, async (items) => {
		const added: string[] = [];
		const read = ({ docId }: Item) => deps.invoices.readFile(tenantId, docId, format);
		for await (const [{ docId, line }, file] of readAhead(items, AHEAD_MAX, read)) {
			if (!file) continue;
			// A rejected document and the one that took its number.
			await pack.add(used.has(file.name) ? `${docId}/${file.name}` : file.name, file.bytes);
			await index.write(Buffer.from(line));
			used.add(file.name);
			added.push(docId);
		}
		return added;
	});
	await pack.addFile("index.csv", index.path, await index.close());
	return contents;
}

/** `write` returns the ids of the documents that it has written. */
async function eachPage(
	{ invoices, rest }: Files,
	{ tenantId, docIds }: Chosen,
	write: (items: readonly Item[]) => Promise<readonly string[]>,
): Promise<Contents> {
	const all = docIds ?? [];
	let documents = 0;
	const damaged: Damage[] = [];
	for (let at = 0; at < all.length; at += PAGE) {
		const page = all.slice(at, at + PAGE);
		const written = new Set(await write(await invoices.listLines(tenantId, page)));
		documents += written.size;
		for (const docId of page.filter((one) => !written.has(one))) {
			const detail = `The document ${docId} was deleted after the export was ordered.`;
			damaged.push({ code: "object-missing", detail, docId, path: "" });
		}
		await rest();
	}
	const damagedCount = damaged.length;
	return { documents, chain: undefined, tree: undefined, damaged: damaged.slice(0, DAMAGED_MAX), damagedCount };
}
