/** The daily wipe of the public sandbox. */
export { startWipes, type WipeDeps, wipeOld } from "./wipe";
