/** Texts that are legal in XML and break careless writers of it. */
import type { Chance } from "./chance";

const PIECES: readonly string[] = [
	...[
		"]]>",
		"<![CDATA[x]]>",
		"<!--",
		"-->",
		"<?xml version='1.0'?>",
		"</ECF>",
		"<Signature>",
		"<!DOCTYPE x>",
		"<a b='c'/>",
	],
	...["&", "&amp;", "&amp;amp;", "&lt;", "&#13;", "&#x0;", "&nada;", "%26", "\\u0026", "$(x)", "{{x}}"],
	...['"', "'", "©", "€", "®", "«Ñandú»", "güira", "ÁÉÍÓÚñ", "´`¨"],
	...["\r\n", "\r", "\n", "\t", "  ", "\u00a0", "\u0085", "\u2028", "\u2029", "\u200b", "\ufeff", "\u3000"],
	...["مرحبا", "שלום", "\u202eabc\u202c", "\u2066x\u2069", "漢字", "ภาษา", "ﷺ"],
	...[
		"🧱",
		"👩‍👩‍👧",
		"🇩🇴",
		"𝒜",
		"\u{10ffff}",
		"\u{e0001}",
		"e\u0301",
		"\u0301",
		"\ud7ff",
		"\ue000",
		"\ufffd",
		"\u007f",
		"\u009f",
	],
	...["Cemento gris 42.5kg", "Servicio", "a", "0", "-1", "null", "' or 1=1 --", "=1+1"],
];

/** Characters that no document may hold; the API refuses them. */
export const FORBIDDEN: readonly string[] = [
	...["\u0000", "\u0001", "\u0008", "\u000b", "\u000c", "\u001b", "\u001f", "\ufffe", "\uffff", "\ud800", "\udfff"],
];

/** At most `charactersMax` UTF-16 units, never half of a pair, with something besides white space. */
export function hostileText(chance: Chance, charactersMax: number): string {
	const wanted = chance.percent(10) ? charactersMax : chance.whole(1, Math.min(charactersMax, 60));
	let text = "";
	while (text.length < wanted) text += chance.pick(PIECES);
	text = text.slice(0, wanted);
	if (!text.isWellFormed()) text = `${text.slice(0, -1)}x`;
	// The simulator's parser reads U+0085 as a line break, as XML 1.1 does.
	return text.replaceAll("\u0085", " ").trim() === "" ? "x" : text;
}
