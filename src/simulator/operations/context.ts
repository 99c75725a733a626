import type { Store } from "../store";
import type { TokenIssuer } from "../tokens";

/** What the operations work with. */
export type Context = {
	readonly store: Store;
	readonly tokens: TokenIssuer;
	readonly delayMs: number;
	readonly silenceMs: number;
	readonly seedSeconds: number;
	/** True when answers have the authority's odd shapes. */
	readonly realistic: boolean;
};
