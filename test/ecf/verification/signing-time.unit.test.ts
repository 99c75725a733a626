import { expect, test } from "bun:test";
import { parseSigningTime, readStatedTime } from "../../../src/ecf/verification/verify-document";
import { isXmlElement, readXmlText } from "../../../src/platform/xml";

test("a signing time is an instant with its zone", () => {
	const read = (text: string) => parseSigningTime(text)?.toISOString();
	expect(read("2026-11-20T14:20:00Z")).toBe("2026-11-20T14:20:00.000Z");
	expect(read(" 2026-11-20T10:20:00.1239999-04:00\n")).toBe("2026-11-20T14:20:00.123Z");
	expect(read("2026-12-31T23:30:00-04:00")).toBe("2027-01-01T03:30:00.000Z");
	expect(read("2028-02-29T00:00:00+14:00")).toBe("2028-02-28T10:00:00.000Z");
	for (const text of [
		...[
			"",
			"2026-11-20",
			"2026-11-20T14:20:00",
			"2026-11-20 14:20:00Z",
			"2026-02-29T00:00:00Z",
			"2026-11-31T00:00:00Z",
		],
		...["2026-13-01T00:00:00Z", "2026-11-20T24:01:00Z", "2026-11-20T10:00:00+99:00", "20261120T142000Z", "1763648400"],
	]) {
		expect([text, read(text)]).toEqual([text, undefined]);
	}
});

test("a time in a document is the country's wall time, once, as a child of the root", () => {
	const read = (xml: string) => {
		const root = readXmlText(xml);
		return isXmlElement(root) ? readStatedTime(root)?.toISOString() : "unreadable";
	};
	const stated = "<FechaHoraFirma>20-11-2026 23:20:00</FechaHoraFirma>";
	expect(read(`<ECF>${stated}</ECF>`)).toBe("2026-11-21T03:20:00.000Z");
	expect(read(`<ECF>${stated}${stated}</ECF>`)).toBeUndefined();
	expect(read(`<ECF><a>${stated}</a></ECF>`)).toBeUndefined();
	expect(read("<ECF><FechaHoraFirma>31-02-2026 10:00:00</FechaHoraFirma></ECF>")).toBeUndefined();
	expect(read("<ECF/>")).toBeUndefined();
});
