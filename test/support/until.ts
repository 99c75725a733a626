/** Waits for a condition instead of a time; throws an Error when it never holds. */
export async function until(
	condition: () => boolean | Promise<boolean>,
	timeoutMs = 60_000,
	everyMs = 5,
): Promise<void> {
	const deadline = performance.now() + timeoutMs;
	while (!(await condition())) {
		if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${condition}`);
		await Bun.sleep(everyMs);
	}
}
