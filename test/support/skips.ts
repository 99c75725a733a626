/** Tests that cannot run on this machine: each file that skips tests prints why in one line, and `check` counts skips by these lines. */
import { SKIP_MARK } from "../../scripts/check/closing-line";

/** Prints why tests of this file are skipped. Throws an Error in CI when the missing program is required there. */
export function reportSkip(reason: string, { requiredInCi = true }: { readonly requiredInCi?: boolean } = {}): void {
	if (process.env.CI && requiredInCi) throw new Error(reason);
	console.warn(`${SKIP_MARK}${reason}`);
}
