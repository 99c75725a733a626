import manifest from "../package.json";

/** The software's version, from its manifest. */
export const VERSION: string = manifest.version;
