/** In which of our languages a caller reads. */
export const LANGUAGES = ["en", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * The language that an `Accept-Language` header prefers among ours; `otherwise` when it names neither.
 * Source: RFC 9110, 12.5.4. A region such as the DO of `es-DO` does not matter.
 */
export function chooseLanguage(header: string | null, otherwise: Language = "en"): Language {
	let chosen = otherwise;
	let best = 0;
	for (const range of (header ?? "").slice(0, 500).split(",")) {
		const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		const language = LANGUAGES.find((candidate) => tag === candidate || tag.startsWith(`${candidate}-`));
		const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
		// Among equals the first one stands.
		if (language && Number(quality) > best) {
			chosen = language;
			best = Number(quality);
		}
	}
	return chosen;
}
