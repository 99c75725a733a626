/** The seed: what the authority hands out to be signed as proof of holding a certificate. */
import { readXml } from "./read-xml";

const SEED_CHARACTERS_MAX = 64 * 1024;

/**
 * True for a seed and nothing else: root `SemillaModel` with one `valor` and one `fecha`. Whoever poses as the authority would
 * otherwise get any document signed that it likes, an invoice for instance.
 */
export function isSeed(text: string): boolean {
	if (text.length > SEED_CHARACTERS_MAX) return false;
	const xml = readXml(text);
	if (xml?.root !== "SemillaModel" || typeof xml.value !== "object" || xml.value === null) return false;
	const members = Object.entries(xml.value);
	const names = members.map(([name]) => name).sort();
	return names.join() === "fecha,valor" && members.every(([, value]) => typeof value === "string" && value !== "");
}
