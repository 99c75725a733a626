/** Clean-up after all tests; what started last ends first. */
const closers: (() => Promise<void>)[] = [];

export function atEnd(close: () => Promise<void>): void {
	closers.push(close);
}

export async function closeAll(): Promise<void> {
	for (const close of closers.splice(0).reverse()) await close();
}
