/**
 * Writes the contents of an export: reads the index page by page, takes each object from the store, checks its digest, and adds it to the pack.
 *
 *   README.txt │ documents/<docId>/<object>.zip … │ index.csv │ chain.csv │ archive.json │ [checkpoint.txt, logs.txt, key.txt]
 *
 * Model: memory does not grow with the number of documents. A few objects are read ahead. The two lists are written to files beside the pack and
 * copied into it after the documents. The same selection gives the same bytes: order, dates, and the first checkpoint that covers it.
 *
 * What fails: a missing or changed object is left out and named in the lists. An unreadable one ends the attempt, because the store may only be
 * out of reach; the last attempt treats it as damaged, unless too many are.
 */

import type { Sql } from "../../platform/database";
import { type ListCursor, type ListedObject, listSelected, type Selection } from "../documents/store";
import { readRoot } from "../merkle";
import { type Archive, ObjectMissingError, sha256Hex } from "../object-store/archive";
import { DAMAGED_MAX, type Damage } from "./export";
import type { Pack, Sink } from "./sink";
import { findCoveringNote, listLinks, type Made } from "./store";
import { CHAIN_HEAD, chainLine, entryOf, INDEX_HEAD, indexLine, readmeOf } from "./texts";

export type Filling = {
	readonly sql: Sql;
	readonly archive: Pick<Archive, "get">;
	/** Called after each page; throws if the export is not wanted any more. */
	readonly rest: () => Promise<void>;
	/** Whether unreadable objects are left out instead of read again later. */
	readonly isLastAttempt: boolean;
};

/** Files of the lists until the documents are in the pack. */
export type Lists = Readonly<Record<"index" | "chain", Sink & { readonly path: string }>>;

export type Contents = Pick<Made, "documents" | "chain" | "tree" | "damaged" | "damagedCount">;

const PAGE = 250;
const LINKS_PAGE = 2_000;
const AHEAD_MAX = 8;
const NOTHING_BEFORE = "00".repeat(32);

type Extent = { readonly log: number; readonly first: number; readonly last: number; readonly leafMax: number };

/** Throws ObjectFaultError. */
export async function fillPack(deps: Filling, pack: Pack, selection: Selection, lists: Lists): Promise<Contents> {
	await pack.add("README.txt", Buffer.from(readmeOf(selection)));
	const { extent, ...added } = await addDocuments(deps, pack, selection, lists.index);
	await pack.addFile("index.csv", lists.index.path, await lists.index.close());
	// Between chosen documents may lie all others of the company.
	const chain =
		selection.docIds === null && extent ? await writeChain(deps, selection, extent, lists.chain) : undefined;
	if (chain) await pack.addFile("chain.csv", lists.chain.path, await lists.chain.close());
	const covering = extent && (await findCoveringNote(deps.sql, { log: extent.log, leafIndex: extent.leafMax }));
	const tree = covering ?? (extent && (await readTree(deps.sql, extent)));
	const { tenantId, from, to } = selection;
	const facts = {
		...{ format: "sello-export/1", tenantId, from, to, ...added },
		chain: chain && extent ? { first: extent.first, last: extent.last, ...chain } : null,
		tree: extent && tree ? { log: extent.log, size: tree.size, root: tree.root } : null,
	};
	await pack.add("archive.json", Buffer.from(`${JSON.stringify(facts, undefined, "\t")}\n`));
	if (covering) {
		await pack.add("checkpoint.txt", Buffer.from(covering.note));
		await pack.add("logs.txt", Buffer.from(covering.logs));
		await pack.add("key.txt", Buffer.from(covering.key));
	}
	return { ...added, chain, tree: tree && { size: tree.size, root: tree.root } };
}

async function addDocuments(
	{ sql, archive, rest, isLastAttempt }: Filling,
	pack: Pack,
	selection: Selection,
	index: Sink,
): Promise<{ extent: Extent | undefined; documents: number; damaged: Damage[]; damagedCount: number }> {
	await index.write(Buffer.from(INDEX_HEAD));
	let documents = 0;
	let damagedCount = 0;
	const damaged: Damage[] = [];
	const leaveOut = (error: ObjectFaultError) => {
		damagedCount++;
		if (error.fault === "unreadable" && (!isLastAttempt || damagedCount > DAMAGED_MAX)) throw error;
		if (damaged.length < DAMAGED_MAX) damaged.push(describeDamage(error));
	};
	let extent: Extent | undefined;
	let after: ListCursor | undefined;
	for (;;) {
		const page: ListedObject[] = await listSelected(sql, selection, after, PAGE);
		for await (const [one, bytes] of readAhead(page, AHEAD_MAX, (one) => readObject(archive, one))) {
			const isWhole = !(bytes instanceof ObjectFaultError);
			if (isWhole) await pack.add(entryOf(one), bytes);
			else leaveOut(bytes);
			if (isWhole) documents++;
			await index.write(Buffer.from(indexLine(one, isWhole ? null : bytes.fault)));
		}
		for (const one of page) extent = widen(extent, one);
		after = page.at(-1);
		if (page.length < PAGE) return { extent, documents, damaged, damagedCount };
		await rest();
	}
}

function widen(extent: Extent | undefined, { log, chainIndex, leafIndex }: ListedObject): Extent {
	return {
		log,
		first: Math.min(extent?.first ?? chainIndex, chainIndex),
		last: Math.max(extent?.last ?? chainIndex, chainIndex),
		leafMax: Math.max(extent?.leafMax ?? leafIndex, leafIndex),
	};
}

/** Writes all links from the first to the last. They are in the order of archiving, so some may be of other days. */
async function writeChain({ sql }: Filling, { tenantId }: Selection, { first, last }: Extent, chain: Sink) {
	const [before] = first === 0 ? [] : await listLinks(sql, tenantId, first - 1, first - 1, 1);
	await chain.write(Buffer.from(CHAIN_HEAD));
	let to = "";
	for (let next = first; next <= last; ) {
		const links = await listLinks(sql, tenantId, next, last, LINKS_PAGE);
		for (const link of links) {
			if (link.chainIndex !== next) throw new Error(`the chain of ${tenantId} has no link ${next}`);
			await chain.write(Buffer.from(chainLine(link)));
			to = link.chainHash;
			next++;
		}
		if (links.length === 0) throw new Error(`the chain of ${tenantId} has no link ${next}`);
	}
	return { from: before?.chainHash ?? NOTHING_BEFORE, to };
}

async function readTree(sql: Sql, { log, leafMax }: Extent): Promise<{ size: number; root: string }> {
	const size = leafMax + 1;
	return { size, root: Buffer.from(await readRoot(sql, log, size)).toString("hex") };
}

/** Reads items in order, a few ahead. A failure is thrown at its item's turn. */
export async function* readAhead<T, R>(
	items: readonly T[],
	max: number,
	read: (item: T) => Promise<R>,
): AsyncGenerator<readonly [T, R]> {
	// Holds only the reads that were not yielded yet.
	const begun: Promise<R>[] = [];
	let next = 0;
	const begin = () => {
		const item = items[next];
		if (item === undefined) return;
		next++;
		const reading = read(item);
		// Its turn never comes if an earlier read fails.
		reading.catch(() => undefined);
		begun.push(reading);
	};
	while (begun.length < Math.min(max, items.length)) begin();
	for (const [n, item] of items.entries()) {
		const reading = begun.shift();
		if (!reading) throw new Error(`item ${n} was not begun`);
		yield [item, await reading];
		begin();
	}
}

export class ObjectFaultError extends Error {
	constructor(
		readonly fault: "missing" | "changed" | "unreadable",
		readonly object: Pick<ListedObject, "docId" | "encf" | "objectKey">,
		cause?: unknown,
	) {
		super(`the object ${object.objectKey} of document ${object.docId} is ${fault}: verify the archive`, { cause });
		this.name = "ObjectFaultError";
	}
}

const SENTENCES = {
	missing: "is not in the archive's store",
	changed: "is not what was archived",
	unreadable: "cannot be read from the archive's store",
};

export function describeDamage({ fault, object }: ObjectFaultError): Damage {
	const name = object.encf === null ? object.docId : `${object.encf} (${object.docId})`;
	const detail = `The sealed object of ${name} ${SENTENCES[fault]}.`;
	return { code: `object-${fault}`, detail, docId: object.docId, path: entryOf(object) };
}

/** Reads an object. Returns the fault unless the bytes are what was archived. */
async function readObject(archive: Pick<Archive, "get">, object: ListedObject): Promise<Uint8Array | ObjectFaultError> {
	try {
		const bytes = await archive.get(object.objectKey, object.versionId);
		const isWhole = bytes.length === object.bytes && sha256Hex(bytes) === object.sha256;
		return isWhole ? bytes : new ObjectFaultError("changed", object);
	} catch (error) {
		return new ObjectFaultError(error instanceof ObjectMissingError ? "missing" : "unreadable", object, error);
	}
}
