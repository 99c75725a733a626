/** Memory that answers are written into one after another: memory of its own for each would be given back and taken again all the time. */

export type Room = {
	/** So many bytes, good until the next ones are taken: whoever takes them makes his answer of them before anything else runs. */
	readonly take: (size: number) => Buffer<ArrayBuffer>;
};

/** Few entries are longer; a view of each length below is made once. Units: bytes. */
const VIEWS_BYTES_MAX = 1_024;

/** More than `bytesMax` is memory of its own. */
export function createRoom(bytesMax: number): Room {
	const bytes = Buffer.alloc(bytesMax);
	const views: Buffer<ArrayBuffer>[] = [];
	return {
		take: (size) => {
			if (size > bytesMax) return Buffer.allocUnsafe(size);
			if (size > VIEWS_BYTES_MAX) return bytes.subarray(0, size);
			const view = views[size] ?? bytes.subarray(0, size);
			views[size] = view;
			return view;
		},
	};
}
