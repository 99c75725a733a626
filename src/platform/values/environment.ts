/** The four environments of the service; data, keys and tokens never cross between them. */
export const ENVIRONMENTS = ["production", "staging", "sandbox", "public-sandbox"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** True where documents have no fiscal effect and conveniences such as ephemeral certificates exist. */
export function isSandbox(environment: Environment): boolean {
	return environment === "sandbox" || environment === "public-sandbox";
}
