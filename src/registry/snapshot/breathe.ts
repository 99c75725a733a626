/** Lets requests that wait be answered between two stretches of a long loop. */
export function breathe(): Promise<void> {
	return new Promise((done) => setImmediate(done));
}
