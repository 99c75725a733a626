import { expect, test } from "bun:test";
import fc from "fast-check";
import { readAnswer } from "../../../../src/authority/client/read-answer";
import { readWindows } from "../../../../src/authority/client/status-host";

const windowsOf = (over: Record<string, unknown> = {}) =>
	readWindows(
		readAnswer(
			JSON.stringify({
				ventanaMantenimientos: [
					{ ambiente: "Produccion", horaInicio: "9:00 AM", horaFin: "12:00 PM", dias: ["06-08-2020"], ...over },
				],
			}),
		),
	)?.map(({ segment, from, to }) => [segment, from.toISOString(), to.toISOString()]);

test("a window is read in the authority's local time", () => {
	expect(windowsOf()).toEqual([["ecf", "2020-08-06T13:00:00.000Z", "2020-08-06T16:00:00.000Z"]]);
});

test("12:00 AM is midnight, and a window may last into the next day", () => {
	expect(windowsOf({ horaInicio: "10:30 PM", horaFin: "12:00 AM", dias: ["31-12-2026"] })).toEqual([
		["ecf", "2027-01-01T02:30:00.000Z", "2027-01-01T04:00:00.000Z"],
	]);
	expect(windowsOf({ horaInicio: "12:00 AM", horaFin: "12:00 AM" })).toEqual([
		["ecf", "2020-08-06T04:00:00.000Z", "2020-08-07T04:00:00.000Z"],
	]);
});

test("every day of a window is a window, and all are ordered by their start", () => {
	expect(windowsOf({ dias: ["07-08-2020", "06-08-2020"] })?.map(([, from]) => from)).toEqual([
		"2020-08-06T13:00:00.000Z",
		"2020-08-07T13:00:00.000Z",
	]);
});

test.each<[string, Record<string, unknown>]>([
	["a day that the calendar does not have", { dias: ["31-02-2026"] }],
	["a month before the day", { dias: ["08-31-2020"] }],
	["an hour of the 24-hour clock", { horaInicio: "13:00 PM" }],
	["an hour without its half of the day", { horaInicio: "9:00" }],
	["sixty minutes", { horaFin: "9:60 AM" }],
	["another environment", { ambiente: "Luna" }],
	["a day that is no text", { dias: [20200806] }],
	["days that are no list", { dias: "06-08-2020" }],
])("%s makes no window", (_, over) => {
	expect(windowsOf(over)).toEqual([]);
});

test("an answer of another kind has no windows", () => {
	for (const text of ["[]", "{}", '"Disponible"', "<html></html>", ""]) {
		const windows = readWindows(readAnswer(text));
		expect(windows === undefined || windows.length === 0).toBe(true);
	}
	expect(readWindows(readAnswer('{"otra":1}'))).toBeUndefined();
});

test("every minute of every day is read as the right instant", () => {
	const minutes = fc.integer({ min: 0, max: 1_439 });
	const day = fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });
	const clock = (all: number) => {
		const hours = Math.floor(all / 60);
		return `${hours % 12 === 0 ? 12 : hours % 12}:${String(all % 60).padStart(2, "0")} ${hours < 12 ? "AM" : "PM"}`;
	};
	fc.assert(
		fc.property(day, minutes, minutes, (date, from, to) => {
			const iso = date.toISOString().slice(0, 10);
			const [window] = windowsOf({
				...{ dias: [iso.split("-").reverse().join("-")], horaInicio: clock(from), horaFin: clock(to) },
			}) ?? [[]];
			const midnight = Date.parse(`${iso}T04:00:00Z`);
			expect(Date.parse(window?.[1] ?? "")).toBe(midnight + from * 60_000);
			expect(Date.parse(window?.[2] ?? "")).toBe(midnight + (to > from ? to : to + 1_440) * 60_000);
		}),
	);
});
