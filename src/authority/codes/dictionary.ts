/**
 * The authority's codes. It publishes no list of them: 0 to 4 stand in its description of the services, the others have been
 * observed in live answers. `estado` and `codigo` decide; a remark's code only explains, and one that is not here is opaque.
 */
import { amountCodes } from "./amount-codes";
import type { CodeEntry } from "./code-entry";
import { fieldCodes } from "./field-codes";
import { referenceCodes } from "./reference-codes";
import { resultCodes } from "./result-codes";
import { sequenceCodes } from "./sequence-codes";
import { technicalCodes } from "./technical-codes";

const entries: ReadonlyMap<string, CodeEntry> = new Map<string, CodeEntry>([
	...Object.entries(resultCodes),
	...Object.entries(sequenceCodes),
	...Object.entries(referenceCodes),
	...Object.entries(fieldCodes),
	...Object.entries(amountCodes),
	...Object.entries(technicalCodes),
]);

/** Undefined for a code that nobody has written down, and for one that only resembles a member of every object. */
export function findCode(code: string): CodeEntry | undefined {
	return entries.get(code);
}

/** Every known code, the verdicts first, then by number. */
export function listCodes(): string[] {
	// 004 is a remark and comes after the verdict 4.
	const order = (code: string) => Number(code) + (code.startsWith("00") ? 0.5 : 0);
	return [...entries.keys()].sort((a, b) => order(a) - order(b));
}
