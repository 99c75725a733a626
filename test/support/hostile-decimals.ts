/** Sixty texts that look like amounts, or that some parser accepts as one, and that we must refuse. */
export const HOSTILE_DECIMALS: readonly string[] = [
	...["", " ", " 5", "5 ", "\t5", "5\n", "5\r\n", "5\u0000", "\u00a05", "5\u200b", "\ufeff5"],
	...["+5", "-5", "-0", "-0.00", "--5", "\u22125", "(5)", "5-"],
	...[".5", "5.", ".", "05", "00", "00.5", "1.0.0", "1..0"],
	...["1e2", "1E400", "1e131071", "1e-400", "5e0", "0x10", "0b1", "0o7", "5n", "5d", "5f"],
	...["NaN", "Infinity", "-Infinity", "null", "true", "undefined"],
	...["1_000", "1,000.00", "1.000,00", "1 000", "1'000", "1,5"],
	...["\u0665", "\uff15", "\u0967\u0968", "\u00bd", "\u00b2", "\u2460"],
	...["$5", "5%", "1/3", "5;", "5 --", "[object Object]", "[]", "{}"],
	...["9".repeat(17), "1.1234567", "1".repeat(1_000_000), `0.${"1".repeat(400)}`, `${"0".repeat(400)}5`],
];
