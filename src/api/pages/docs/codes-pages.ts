/** The authority's codes, which explanations of rejections link to: every known code with an anchor, in both languages. */
import type { Explanation } from "../../../authority/codes";
import { type Operation, PUBLIC } from "../../../platform/operation";
import { chooseLanguage, type Language, Problem } from "../../../platform/problem";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage, toProse } from "../../html";
import { answerRepresentation, CONDITIONAL, represent } from "../../representation";
import { type Guides, isLanguage } from "./guides";
import { type DocsDeps, type ExplainedCodes, keepRepresentations, languageParameter, PAGE_ANSWERS } from "./site";

const WORDS = {
	en: {
		title: "The authority's codes",
		text: 'Codes 0 to 4 are official. The others have been observed in the authority\'s answers. As JSON: <a href="/v1/authority/codes">/v1/authority/codes</a>.',
		...{
			unknown: "Not documented.",
			fix: "Fix",
			consumed: "Number used up",
			again: "The same document may be sent again",
		},
		...{ members: "Members", yes: "yes", no: "no", flag: "see the flag in the answer" },
	},
	es: {
		title: "Códigos de la autoridad",
		text: 'Los códigos 0 a 4 son oficiales. Los demás se observaron en respuestas de la autoridad. En JSON: <a href="/v1/authority/codes">/v1/authority/codes</a>.',
		...{ unknown: "Sin documentar.", fix: "Solución", consumed: "Consume el e-NCF" },
		again: "El mismo documento puede enviarse de nuevo",
		...{ members: "Miembros", yes: "sí", no: "no", flag: "vea la marca en la respuesta" },
	},
} as const;

/** `GET /docs/{lang}/codes`, and `GET /docs/authority-codes` in the reader's language. The same data as `/v1/authority/codes`. */
export function codesPageOperations(
	deps: Pick<DocsDeps, "guides" | "docsLanguage">,
	codes: ExplainedCodes,
): Operation[] {
	const keep = keepRepresentations();
	const page = (language: Language, more: Readonly<Record<string, string>> = {}) =>
		keep(`${language} ${more.vary ?? ""}`, () =>
			represent(renderCodes(deps.guides, codes, language), { ...PAGE_HEADERS, ...more }),
		);
	const common = {
		...({ method: "GET", tag: DOCUMENTATION_TAG, credentials: PUBLIC, answers: PAGE_ANSWERS } as const),
	};
	return [
		{
			...common,
			id: "getAuthorityCodesPage",
			sdk: null,
			path: "/docs/authority-codes",
			summary: "Show the authority's codes",
			description:
				"Every code with which the authority rejects a document or accepts it with a remark: meaning, cause and fix.",
			parameters: [CONDITIONAL],
			problems: [],
			handle: async (call) => {
				const language = chooseLanguage(call.request.headers.get("accept-language"), deps.docsLanguage);
				return answerRepresentation(
					call,
					await page(language, { vary: "Accept-Language", "content-language": language }),
				);
			},
		},
		{
			...common,
			id: "getCodesPage",
			sdk: null,
			path: "/docs/{lang}/codes",
			summary: "Show the authority's codes in a language",
			description:
				"Every code with which the authority rejects a document or accepts it with a remark: meaning, cause and fix.",
			parameters: [languageParameter(), CONDITIONAL],
			problems: ["not-found"],
			handle: async (call) => {
				const { lang } = call.params;
				if (!isLanguage(lang)) throw new Problem("not-found");
				return answerRepresentation(call, await page(lang));
			},
		},
	];
}

function renderCodes(guides: Pick<Guides, "toNavigation">, codes: ExplainedCodes, language: Language): Html {
	const words = WORDS[language];
	return toPage({
		...{ language, title: `${words.title} · Sello`, area: "problems" },
		translation: `/docs/${language === "es" ? "en" : "es"}/codes`,
		navigation: guides.toNavigation(language),
		body: `<article><h1>${words.title}</h1>
<p class="lead">${words.text}</p>
${codes[language].map((explanation) => renderCode(explanation, language)).join("\n")}</article>`,
	});
}

function renderCode(explanation: Explanation, language: Language): Html {
	const words = WORDS[language];
	const code = escapeHtml(explanation.code);
	const head = `<section id="${code}">\n<h2><a href="#${code}">${code}</a>`;
	if (!explanation.known) return `${head}</h2>\n<p>${words.unknown}</p>\n</section>`;
	const { title, cause, fix, sequenceConsumed, retryable, fields } = explanation;
	const consumed = sequenceConsumed === null ? words.flag : sequenceConsumed ? words.yes : words.no;
	const members = fields.map((field) => `<code>${escapeHtml(field)}</code>`).join(", ");
	return `${head} ${toProse(title)}</h2>
<p>${toProse(cause)}</p>
<p><b>${words.fix}:</b> ${toProse(fix)}</p>
<p>${words.consumed}: ${consumed}. ${words.again}: ${retryable ? words.yes : words.no}.${members ? ` ${words.members}: ${members}.` : ""}</p>
</section>`;
}
