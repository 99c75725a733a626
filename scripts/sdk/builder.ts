/**
 * Writes the contents of an SDK's package into the empty folder `out`; `scripts/build-assets.ts` packs them. The same sources give the same
 * bytes. `version` is SemVer, such as `1.2.0` or `1.2.0-dev.h0a1b2c3d`; a language with other rules derives its own from it.
 */
export type SdkBuilder = (out: string, version: string) => Promise<void>;
