/** Writes a page of search hits as JSON, of what is ready in the snapshot: an entry is neither parsed nor written again. */

import { copyItem, itemSizeAt } from "./index/decode";
import type { Snapshot } from "./index/open";
import type { Room } from "./response-buffer";

const pageStart = Buffer.from('{"items":[');
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;

/** The rows' items in this order, and behind them the members of `rest`, which is not empty. */
export function writePage(snapshot: Snapshot, rows: readonly number[], rest: object, room: Room): Buffer<ArrayBuffer> {
	const ending = `],${JSON.stringify(rest).slice(1)}`;
	let size = pageStart.length + Buffer.byteLength(ending);
	// Each item is followed by its closing brace, and by a comma where another one follows.
	for (const row of rows) size += itemSizeAt(snapshot, row) + 2;
	if (rows.length > 0) size--;
	const page = room.take(size);
	let length = pageStart.copy(page);
	rows.forEach((row, i) => {
		length = copyItem(snapshot, row, page, length);
		page[length++] = CLOSING_BRACE;
		if (i < rows.length - 1) page[length++] = COMMA;
	});
	page.write(ending, length);
	return page;
}
