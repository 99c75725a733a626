/** A local simulator of the tax authority, reached over HTTP with the authority's own protocol. */
export { type Simulator, type SimulatorOptions, startSimulator } from "./simulator";
