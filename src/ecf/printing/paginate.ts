/** Shares blocks out among pages of which the last one has less room, since the totals stand on it. */

/**
 * Blocks in order, page by page. A block that is higher than a whole page stands on one of its own; callers cut blocks before. At least one page comes out,
 * and the last may be empty when the totals alone fill it.
 */
export function paginate<Block extends { readonly height: number }>(
	blocks: readonly Block[],
	roomPt: number,
	roomOnLastPt: number,
): Block[][] {
	const pages: Block[][] = [];
	let left = blocks.reduce((sum, block) => sum + block.height, 0);
	let at = 0;
	while (left > roomOnLastPt && at < blocks.length) {
		const page: Block[] = [];
		let height = 0;
		for (let block = blocks[at]; block && (page.length === 0 || height + block.height <= roomPt); block = blocks[at]) {
			page.push(block);
			height += block.height;
			at++;
		}
		// The totals do not stand on a page of their own while a block can go with them.
		const last = page.length > 1 && at === blocks.length ? page.pop() : undefined;
		if (last) {
			height -= last.height;
			at--;
		}
		pages.push(page);
		left -= height;
	}
	return [...pages, blocks.slice(at)];
}
