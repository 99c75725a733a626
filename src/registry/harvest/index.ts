/** The limit of distinct entries that searches and name matches show in a day. */
export { type HarvestLimit, openHarvestLimit, type Shown } from "./harvest-limit";
