/**
 * The least numbers of a stretch of a list that is in no order, found without looking at all of it: the least one of each block is kept
 * beside the list, and what is wanted can only be in the blocks whose least ones are among the least.
 */
import { markCold } from "./cold-code";

const BLOCK_BITS = 7;
const BLOCK = 1 << BLOCK_BITS;

/** Block → its least number. */
export function leastOfBlocks(list: Uint32Array): Uint32Array {
	const least = new Uint32Array(Math.ceil(list.length / BLOCK)).fill(0xffffffff);
	for (let i = 0; i < list.length; i++) {
		const block = i >>> BLOCK_BITS;
		const number = list[i] ?? 0;
		if (number < (least[block] ?? 0)) least[block] = number;
	}
	return least;
}

/** The `count` least of `list[from … to)`, ascending; all of them when there are fewer. The list holds no number twice. */
export function takeLeast(list: Uint32Array, least: Uint32Array, from: number, to: number, count: number): Uint32Array {
	const firstBlock = Math.ceil(from / BLOCK);
	const endBlock = Math.floor(to / BLOCK);
	const taken = createLeast(count);
	if (endBlock <= firstBlock) {
		taken.add(list, from, to);
		return taken.numbers();
	}
	const blocks = createLeast(count);
	blocks.add(least, firstBlock, endBlock);
	const bound = blocks.bound();
	taken.add(list, from, firstBlock * BLOCK);
	taken.add(list, endBlock * BLOCK, to);
	for (let block = firstBlock; block < endBlock; block++) {
		if ((least[block] ?? 0) <= bound) taken.add(list, block * BLOCK, (block + 1) * BLOCK);
	}
	return taken.numbers();
}

/** Keeps the `count` least of the numbers it is given. */
function createLeast(count: number) {
	const kept = new Uint32Array(count);
	let held = 0;
	return {
		add: (list: Uint32Array, from: number, to: number): void => {
			for (let i = from; i < to; i++) {
				const number = list[i] ?? 0;
				if (held === count && number > (kept[count - 1] ?? 0)) continue;
				let place = held === count ? count - 1 : held++;
				for (; place > 0 && (kept[place - 1] ?? 0) > number; place--) kept[place] = kept[place - 1] ?? 0;
				kept[place] = number;
			}
		},
		/** What is greater is not kept. */
		bound: (): number => (held < count ? 0xffffffff : (kept[count - 1] ?? 0)),
		numbers: (): Uint32Array => kept.subarray(0, held),
	};
}

markCold(leastOfBlocks);
