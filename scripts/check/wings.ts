/** The wings of `src`, highest first: a wing imports only wings below it, and only through a folder's `index.ts`. */
export const WINGS = [
	"app",
	"console",
	"api",
	"sandbox",
	"exchange",
	"invoicing",
	"companies",
	"authority",
	"events",
	"archive",
	"registry",
	"ecf",
	"identity",
	"platform",
	"cli",
	"sdk",
	"simulator",
] as const;

/** Single folders that a wing may import although the order does not allow it; the simulator takes plain values and its help. */
export const ALSO_ALLOWED: Readonly<Record<string, readonly string[]>> = { simulator: ["platform/values", "cli"] };
