/** Amounts, counts and times as people read them, in the console's language and in the Dominican Republic's time. */
import { type Language, useLanguage } from "./language";

const TIME_ZONE = "America/Santo_Domingo";
const LOCALES: Readonly<Record<Language, string>> = { es: "es-DO", en: "en-US" };

export type Format = ReturnType<typeof createFormat>;

const formats = new Map<Language, Format>();

export function useFormat(): Format {
	const chosen = useLanguage();
	const found = formats.get(chosen) ?? createFormat(LOCALES[chosen]);
	formats.set(chosen, found);
	return found;
}

function createFormat(locale: string) {
	const counts = new Intl.NumberFormat(locale);
	const shares = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
	const sizes = (["kilobyte", "megabyte"] as const).map(
		(unit) => new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }),
	);
	const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
	const localDays = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: TIME_ZONE });
	const months = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
	const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: TIME_ZONE });
	const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", timeZone: TIME_ZONE });
	const clocks = new Intl.DateTimeFormat(locale, { timeStyle: "medium", timeZone: TIME_ZONE });
	const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
	return {
		/** `"8591.58"` → `RD$8,591.58`. The digits stay as they are: no number could hold them all. */
		amount(text: string, currency = "DOP"): string {
			const [whole = "", fraction = ""] = text.replace("-", "").split(".");
			const sign = text.startsWith("-") ? "−" : "";
			const symbol = currency === "DOP" ? "RD$" : currency === "USD" ? "US$" : `${currency} `;
			return `${sign}${symbol}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${fraction.padEnd(2, "0")}`;
		},
		count: (value: number) => counts.format(value),
		share: (value: number) => shares.format(value),
		/** Bytes, as kB or MB. */
		size: (bytes: number) => (bytes < 1e6 ? sizes[0]?.format(bytes / 1e3) : sizes[1]?.format(bytes / 1e6)) ?? "",
		/** A day such as `2026-11-09`, or the day on which an instant lies. */
		day: (text: string) =>
			text.length > "2026-11-09".length ? localDays.format(new Date(text)) : days.format(new Date(`${text}T00:00:00Z`)),
		/** A month such as `2026-11`. */
		month: (text: string) => months.format(new Date(`${text}-01T00:00:00Z`)),
		/** An instant of RFC 3339. */
		moment: (text: string) => moments.format(new Date(text)),
		/** The same with seconds. */
		exact: (text: string) => exact.format(new Date(text)),
		clock: (text: string) => clocks.format(new Date(text)),
		ago(text: string, now = Date.now()): string {
			const seconds = Math.round((new Date(text).getTime() - now) / 1_000);
			const size = Math.abs(seconds);
			if (size < 60) return ago.format(seconds, "second");
			if (size < 3_600) return ago.format(Math.round(seconds / 60), "minute");
			if (size < 86_400) return ago.format(Math.round(seconds / 3_600), "hour");
			return ago.format(Math.round(seconds / 86_400), "day");
		},
	};
}
