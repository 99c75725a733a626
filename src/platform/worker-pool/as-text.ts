/**
 * Values that cross between threads as text: what is short as one JSON text, what is long as it stands.
 *
 * A message of two texts is copied as bytes; one of objects is taken apart and put together member by member, which costs twice as much for
 * a document and its key, on both sides.
 *
 *   head   [[id, head of the first, [lengths of its texts]], [id, head of the second, …], …]
 *   text   the long texts, one behind the other
 */

export type AsText = {
	/** Whatever JSON can hold. */
	readonly head: unknown;
	readonly texts: readonly string[];
};

/** How values are written as text. `write` leaves out, by undefined, those that cross as they are. */
export type Spelling<Value> = {
	readonly write: (value: Value) => AsText | undefined;
	readonly read: (written: AsText) => Value;
};

/** Jobs or answers of one message. */
export type Packed = { readonly head: string; readonly text: string };
type Entry = readonly [id: number, head: unknown, lengths: readonly number[]];

/** Writes all values, or none when one of them cannot be written. */
export function pack<Value>(
	values: readonly { readonly id: number; readonly value: Value }[],
	write: Spelling<Value>["write"],
): Packed | undefined {
	const entries: Entry[] = [];
	let text = "";
	for (const { id, value } of values) {
		const written = write(value);
		if (!written) return undefined;
		entries.push([id, written.head, written.texts.map((one) => one.length)]);
		for (const one of written.texts) text += one;
	}
	return { head: JSON.stringify(entries), text };
}

export function unpack<Value>({ head, text }: Packed, read: Spelling<Value>["read"]): { id: number; value: Value }[] {
	let at = 0;
	return (JSON.parse(head) as Entry[]).map(([id, own, lengths]) => {
		const texts = lengths.map((length) => {
			at += length;
			return text.slice(at - length, at);
		});
		return { id, value: read({ head: own, texts }) };
	});
}
