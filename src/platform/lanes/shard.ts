/** Which shard a tenant belongs to. The SQL function `shard_of` computes the same. */

export const SHARD_COUNT = 64;

/** 0 to 63, fixed for ever: the top six bits of PostgreSQL's `uuid_hash`, shifted so that they are not negative. */
export function shardOf(tenantId: string): number {
	const hash = hashUuid(tenantId);
	return ((hash ^ 0x8000_0000) >>> 26) & (SHARD_COUNT - 1);
}

/** For a batcher: with lanes by shard, a batch has items of one shard alone. */
export function byShard<Item>(isByShard: boolean | undefined, tenantOf: (item: Item) => string) {
	return isByShard === true ? { groupOf: (item: Item) => shardOf(tenantOf(item)) } : {};
}

const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by));

/**
 * PostgreSQL's hash of sixteen bytes, as an unsigned or signed 32-bit integer. Source: Bob Jenkins, lookup3.c, as in PostgreSQL's
 * src/common/hashfn.c (`hash_bytes`).
 */
function hashUuid(id: string): number {
	const digits = id.replaceAll("-", "");
	const word = (at: number) => {
		const bytes = Number.parseInt(digits.slice(at * 8, at * 8 + 8), 16);
		return ((bytes & 0xff) << 24) | ((bytes & 0xff00) << 8) | ((bytes >>> 8) & 0xff00) | (bytes >>> 24);
	};
	const start = 0x9e37_79b9 + 16 + 3_923_095;
	let a = (start + word(0)) | 0;
	let b = (start + word(1)) | 0;
	let c = (start + word(2)) | 0;
	for (const [first, second, third] of [[4, 6, 8] as const, [16, 19, 4] as const]) {
		a = (a - c) ^ rotate(c, first);
		c = (c + b) | 0;
		b = (b - a) ^ rotate(a, second);
		a = (a + c) | 0;
		c = (c - b) ^ rotate(b, third);
		b = (b + a) | 0;
	}
	a = (a + word(3)) | 0;
	c = ((c ^ b) - rotate(b, 14)) | 0;
	a = ((a ^ c) - rotate(c, 11)) | 0;
	b = ((b ^ a) - rotate(a, 25)) | 0;
	c = ((c ^ b) - rotate(b, 16)) | 0;
	a = ((a ^ c) - rotate(c, 4)) | 0;
	b = ((b ^ a) - rotate(a, 14)) | 0;
	return ((c ^ b) - rotate(b, 24)) | 0;
}
