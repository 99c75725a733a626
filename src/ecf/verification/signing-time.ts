/** When a document was signed, as far as it says so itself. */
import { childElements, textOf, type XmlElement } from "../../platform/xml";

/** How far the signer's clock may be ahead of ours. */
const AHEAD_MAX_MS = 10 * 60_000;
const XSD_DATE_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,12})?(Z|[+-]\d\d:\d\d)$/;
/** `dd-MM-yyyy HH:mm:ss`, in the country's time. */
const AUTHORITY_DATE_TIME = /^(\d\d)-(\d\d)-(\d{4}) (\d\d:\d\d:\d\d)$/;

/** The instant of an xs:dateTime with its zone; undefined for anything else. */
export function parseSigningTime(text: string): Date | undefined {
	const [, date = "", time = "", fraction = "", zone = ""] = XSD_DATE_TIME.exec(text.trim()) ?? [];
	return toInstant(date, `${time}${fraction.slice(0, 4)}`, zone);
}

/** What a document of the authority's formats says in its signed `FechaHoraFirma`, a child of the root. */
export function readStatedTime(root: XmlElement): Date | undefined {
	const [stated, ...more] = childElements(root).filter((one) => one.localName === "FechaHoraFirma");
	if (!stated || more.length > 0) return undefined;
	const [, day, month, year, time = ""] = AUTHORITY_DATE_TIME.exec(textOf(stated)) ?? [];
	return toInstant(`${year}-${month}-${day}`, time, "-04:00");
}

export function isTooFarAhead(at: Date, now: Date): boolean {
	return at.getTime() > now.getTime() + AHEAD_MAX_MS;
}

/** Undefined also for a day that does not exist, which the language would count on into the next month. */
function toInstant(date: string, time: string, zone: string): Date | undefined {
	const wall = new Date(`${date}T${time}Z`);
	const at = new Date(`${date}T${time}${zone}`);
	return !Number.isNaN(at.getTime()) && wall.toISOString().startsWith(date) ? at : undefined;
}
