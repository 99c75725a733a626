/** Tests that cannot run on this machine: each file that skips some says why in one line, and `check` counts the skipped tests by these lines. */
import { SKIP_MARK } from "../../scripts/check/closing-line";

/** Prints why tests of this file are skipped. In CI what is required must be installed: an Error there. */
export function reportSkip(reason: string, { requiredInCi = true }: { readonly requiredInCi?: boolean } = {}): void {
	if (process.env.CI && requiredInCi) throw new Error(reason);
	console.warn(`${SKIP_MARK}${reason}`);
}
