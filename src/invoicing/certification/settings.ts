/** What the operator says of itself. Reading the configuration loads nothing else of this folder. */
export { readProvider } from "./provider/read-provider";
