/** Prints the result of a run: every violation with its evidence, the counts as a table, and again as one line of JSON. */

export type Report = {
	readonly name: string;
	readonly counts: Readonly<Record<string, number>>;
	readonly violations: readonly string[];
	/** Folder of logs and ledgers, kept after a violation. */
	readonly folder: string;
};

const VIOLATIONS_SHOWN = 40;

/** Returns the exit code. */
export function printReport({ name, counts, violations, folder }: Report): number {
	for (const violation of violations.slice(0, VIOLATIONS_SHOWN)) console.log(`VIOLATION  ${violation}`);
	if (violations.length > VIOLATIONS_SHOWN) console.log(`and ${violations.length - VIOLATIONS_SHOWN} more`);
	const width = Math.max(...Object.keys(counts).map((key) => key.length));
	for (const [key, value] of Object.entries(counts))
		console.log(`  ${key.padEnd(width)}  ${String(value).padStart(8)}`);
	if (violations.length > 0) console.log(`logs and ledgers: ${folder}`);
	console.log(JSON.stringify({ name, ok: violations.length === 0, violations: violations.length, ...counts }));
	return violations.length === 0 ? 0 : 1;
}
