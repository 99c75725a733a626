/**
 * Finds the least numbers of a part of an unsorted list without reading all of it. The least number of each block is stored beside the
 * list. Only blocks whose least number is small enough can contribute.
 */
import { markCold } from "./cold-code";

const BLOCK_BITS = 7;
const BLOCK = 1 << BLOCK_BITS;

export function leastOfBlocks(list: Uint32Array): Uint32Array {
	const least = new Uint32Array(Math.ceil(list.length / BLOCK)).fill(0xffffffff);
	for (let i = 0; i < list.length; i++) {
		const block = i >>> BLOCK_BITS;
		const number = list[i] ?? 0;
		if (number < (least[block] ?? 0)) least[block] = number;
	}
	return least;
}

/** The `count` least numbers of `list[from … to)`, ascending; all of them if there are fewer. The list holds no number twice. */
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
		bound: (): number => (held < count ? 0xffffffff : (kept[count - 1] ?? 0)),
		numbers: (): Uint32Array => kept.subarray(0, held),
	};
}

markCold(leastOfBlocks);
