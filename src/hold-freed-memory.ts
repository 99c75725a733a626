/**
 * The runtime's allocator gives memory back to the system a tenth of a second after it has become free, and asks for it anew when
 * the next statement is put together: some twenty page faults an invoice, a twentieth of its processor time (`bench/README.md`). Told
 * to wait for 20 seconds it has a fifth of them, and what a burst or a registry ingest needed still goes back.
 *
 * It reads its settings when the process begins, before any code of ours. So the process replaces itself once, with the same
 * arguments, files and number; that takes some milliseconds. Whoever sets one of them in the environment is left alone.
 */

const SETTINGS: Readonly<Record<string, string>> = { MIMALLOC_PURGE_DELAY: "20000", MIMALLOC_PURGE_HOLES: "0" };

/** Call it before anything is opened or started: nothing of the process but its open standard streams outlives it. */
export function holdFreedMemory(): void {
	if (Object.keys(SETTINGS).some((name) => process.env[name] !== undefined)) return;
	const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
	try {
		process.execve?.(process.execPath, command, { ...process.env, ...SETTINGS });
	} catch (error) {
		console.error(JSON.stringify({ msg: "freed memory is not held", reason: String(error) }));
	}
}
