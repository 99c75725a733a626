/** Prints the wall times of the instants on its command line as JSON: run by a test under several time zones. */
import { toAuthorityDate, toAuthorityDateTime, toLocalIsoDate } from "../../../src/platform/values";

const printed = process.argv.slice(2).map((text) => {
	const at = new Date(text);
	return [toAuthorityDate(at), toAuthorityDateTime(at), toLocalIsoDate(at)];
});
console.log(JSON.stringify({ zoneMinutes: new Date("2026-07-01T00:00:00Z").getTimezoneOffset(), printed }));
