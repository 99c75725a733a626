/**
 * The maintenance that the authority announces, as instants.
 *
 *     { "ambiente": "Produccion", "horaInicio": "9:00 AM", "horaFin": "12:00 PM", "dias": ["06-08-2020"] }
 *
 * Days are `dd-MM-yyyy`, hours those of a 12-hour clock, both by the authority's wall clock (UTC-4 all year). A window that ends at or before its
 * beginning goes on until the next day. What cannot be read exactly is left out: a day that does not exist is no window.
 * Source: the authority's technical description of its services, service status.
 */
import { isIsoDate } from "../../../platform/values";
import { foldText, type Reading, textOf, toMembers } from "../read-answer";
import type { Segment } from "../segment";

export type MaintenanceWindow = { readonly segment: Segment; readonly from: Date; readonly to: Date };

const WINDOWS_MAX = 500;
const DAY_MS = 86_400_000;

const segmentByName: Readonly<Record<string, Segment>> = {
	precertificacion: "testecf",
	certificacion: "certecf",
	produccion: "ecf",
};

/** The authority's environment by the name that the status host gives it; undefined for another word. */
export function segmentNamed(ambiente: string): Segment | undefined {
	return segmentByName[foldText(ambiente)];
}

/** The windows of an answer, in the order in which they begin; undefined when it is not one that the service gives. */
export function readWindows(reading: Reading): MaintenanceWindow[] | undefined {
	const listed = reading.form === "members" ? reading.members.get("ventanamantenimientos") : undefined;
	const items = reading.form === "list" ? reading.items : listed;
	if (!Array.isArray(items)) return undefined;
	return items
		.flatMap(readOne)
		.sort((a, b) => a.from.getTime() - b.from.getTime())
		.slice(0, WINDOWS_MAX);
}

function readOne(item: unknown): MaintenanceWindow[] {
	const members = toMembers(item);
	const segment = members && segmentNamed(textOf(members, "ambiente") ?? "");
	const days = members?.get("dias");
	if (!members || !segment || !Array.isArray(days)) return [];
	const fromMinutes = readTime(textOf(members, "horainicio") ?? "");
	const toMinutes = readTime(textOf(members, "horafin") ?? "");
	if (fromMinutes === undefined || toMinutes === undefined) return [];
	return days.flatMap((day) => {
		const midnightMs = typeof day === "string" ? readDay(day) : undefined;
		if (midnightMs === undefined) return [];
		const at = (minutes: number) => midnightMs + minutes * 60_000;
		const endMs = toMinutes > fromMinutes ? at(toMinutes) : at(toMinutes) + DAY_MS;
		return [{ segment, from: new Date(at(fromMinutes)), to: new Date(endMs) }];
	});
}

/** Midnight of a day by the authority's clock, in milliseconds; undefined for a day that the calendar does not have. */
function readDay(text: string): number | undefined {
	const [, day, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text.trim()) ?? [];
	const iso = `${year}-${month}-${day}`;
	return isIsoDate(iso) ? Date.parse(`${iso}T00:00:00-04:00`) : undefined;
}

/** Minutes since midnight: `12:00 AM` is 0, `12:00 PM` is noon. Letter case, and the full stops of `p. m.`, do not matter. */
function readTime(text: string): number | undefined {
	const plain = text.replace(/[.\s]/g, "").toUpperCase();
	const [, hours, minutes, half] = /^(0?[1-9]|1[0-2]):([0-5]\d)(AM|PM)$/.exec(plain) ?? [];
	if (hours === undefined) return undefined;
	return ((Number(hours) % 12) + (half === "PM" ? 12 : 0)) * 60 + Number(minutes);
}
