/** Clean-up after all tests; what started last ends first. */
const cleanUps: (() => Promise<void>)[] = [];

export function atEnd(close: () => Promise<void>): void {
	cleanUps.push(close);
}

export async function closeAll(): Promise<void> {
	for (const close of cleanUps.splice(0).reverse()) await close();
}
