/** Files that several hosts share, by name. */
export { type Objects, openObjects } from "./objects";
