/** The page that explanations of the authority's codes link to: every known code with an anchor. */

import type { Explanation } from "../../../authority/codes";
import { memoize } from "../../../platform/concurrency";
import { type Operation, PUBLIC } from "../../../platform/operation";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage, toProse } from "../../html";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, represent } from "../../representation";

export type ExplainedCodes = {
	/** Explanations in English and Spanish, in the same order. */
	readonly english: readonly Explanation[];
	readonly spanish: readonly Explanation[];
};

/** `GET /docs/authority-codes`; public. The same data as `/v1/authority/codes`. */
export function authorityCodesOperation(codes: ExplainedCodes): Operation {
	const page = memoize(async () => represent(renderCodes(codes), PAGE_HEADERS));
	return {
		id: "getAuthorityCodesPage",
		method: "GET",
		path: "/docs/authority-codes",
		tag: DOCUMENTATION_TAG,
		summary: "Show the authority's codes",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: {
			200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
			304: { description: "Not modified.", headers: CACHE_HEADERS },
		},
		problems: [],
		handle: async (call) => answerRepresentation(call, await page()),
	};
}

function renderCodes({ english, spanish }: ExplainedCodes): Html {
	return toPage({
		title: "Sello: the authority's codes",
		body: `<h1>The authority's codes</h1>
<p>Codes 0 to 4 are official. The others have been observed in the authority's answers. As JSON:
<a href="/v1/authority/codes">/v1/authority/codes</a>.</p>
${english.map((explanation, i) => renderCode(explanation, spanish[i])).join("\n")}`,
	});
}

function renderCode(explanation: Explanation, spanish: Explanation | undefined): Html {
	const code = escapeHtml(explanation.code);
	const head = `<section id="${code}">\n<h2><a href="#${code}">${code}</a>`;
	if (!explanation.known) return `${head}</h2>\n<p>Not documented.</p>\n</section>`;
	const { title, cause, fix, sequenceConsumed, retryable, fields } = explanation;
	const consumed = sequenceConsumed === null ? "see the flag in the answer" : sequenceConsumed ? "yes" : "no";
	const members = fields.map((field) => `<code>${escapeHtml(field)}</code>`).join(", ");
	return `${head} ${toProse(title)}</h2>
<p>${toProse(cause)}</p>
<p><b>Fix:</b> ${toProse(fix)}</p>
<p>Number used up: ${consumed}. The same document may be sent again: ${retryable ? "yes" : "no"}.${members ? ` Members: ${members}.` : ""}</p>
${spanish ? renderSpanish(spanish) : ""}</section>`;
}

function renderSpanish(explanation: Explanation): Html {
	if (!explanation.known) return "";
	const { title, cause, fix } = explanation;
	return `<div lang="es">
<p><b>${toProse(title)}.</b> ${toProse(cause)}</p>
<p><b>Solución:</b> ${toProse(fix)}</p>
</div>
`;
}
