/** Operator settings of the RSA engine. Reading the configuration loads nothing else from this folder. */
export const ENGINE_CHOICES = ["auto", "openssl", "bun"] as const;
export type EngineChoice = (typeof ENGINE_CHOICES)[number];
