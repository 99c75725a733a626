import type { EngineChoice } from "../settings";
import { bunEngine } from "./bun-engine";
import type { RsaEngine } from "./engine";
import { createOpensslEngine } from "./openssl-engine";
import { OPENSSL_LIBRARY, openOpenssl } from "./openssl-library";
import { proveEngine } from "./prove-engine";

export type OpenedEngine = {
	readonly engine: RsaEngine;
	/** Why it is not OpenSSL, although that was allowed. */
	readonly fallback?: EngineFallback;
};
/** `missing`: nothing to load. `unfit`: it loads, and is another library, another version, or wrong. */
export type EngineFallback = { readonly kind: "missing" | "unfit"; readonly reason: string };

/** OpenSSL where it is there and proves itself, else the runtime's own engine. Never throws for a library's sake. */
export function openEngine(choice: EngineChoice, library: string = OPENSSL_LIBRARY): OpenedEngine {
	if (choice === "bun") return { engine: bunEngine };
	try {
		const engine = createOpensslEngine(openOpenssl(library));
		proveEngine(engine);
		return { engine };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const kind = /cannot open shared object|no such file/i.test(reason) ? "missing" : "unfit";
		return { engine: bunEngine, fallback: { kind, reason } };
	}
}
