/**
 * The page behind the link of a digest: it stops or resumes all digests to the address that got the link, without a login. Opening it changes
 * nothing, because mail scanners open links; its button and the button of a mail program post to it. Source: RFC 8058.
 */
import { Type } from "@sinclair/typebox";
import {
	type BodyRule,
	type Call,
	type Operation,
	PUBLIC,
	pathParameter,
	queryParameter,
} from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { DIGEST_LINK_PATH, type Registry } from "../../../registry";
import { escapeHtml, type Html, PAGE_HEADERS } from "../../html";
import { LANGUAGES, type Language } from "./words";

type Stop = { readonly isStopped: boolean };

const HEADERS = {
	...PAGE_HEADERS,
	"content-security-policy":
		PAGE_HEADERS["content-security-policy"]?.replace("form-action 'none'", "form-action 'self'") ?? "",
	"cache-control": "private, no-store",
	"x-robots-tag": "noindex, nofollow",
};

const WORDS: Readonly<Record<Language, Readonly<Record<"title" | "sent" | "stopped" | "stop" | "resume", string>>>> = {
	es: {
		title: "Correos de listas",
		sent: "Su dirección recibe correos con los cambios de las listas que la contienen.",
		stopped: "Su dirección ya no recibe correos de listas.",
		...{ stop: "No recibir más", resume: "Recibir otra vez" },
	},
	en: {
		title: "Mails of watchlists",
		sent: "Your address gets mails with the changes of the lists that name it.",
		stopped: "Your address gets no more mails of lists.",
		...{ stop: "Stop the mails", resume: "Get them again" },
	},
};

const capabilityParameter = pathParameter(
	"capability",
	"The secret in the link of a digest.",
	"q3Zt0uQpV8m1yC7dKxL2wN5sRfHbJ9aE",
);
const languageParameter = queryParameter(
	"lang",
	"Language of the page: `es` by default, or `en`.",
	Type.Union(LANGUAGES.map((one) => Type.Literal(one))),
);
const PAGE = {
	description: "The page.",
	mediaType: "text/html",
	headers: { "Cache-Control": "`private, no-store`.", "X-Robots-Tag": "`noindex, nofollow`." },
};
const BODY: BodyRule = {
	...{ schema: Type.String(), limitBytes: 1_024, required: false, takesAnyText: true },
	mediaTypes: ["application/x-www-form-urlencoded", "multipart/form-data"],
	example: "List-Unsubscribe=One-Click",
};

export function digestPageOperations({ digestLinks }: Pick<Registry, "digestLinks">): Operation[] {
	const change = (what: "stop" | "resume"): Operation["handle"] => {
		return async (call) => {
			if (!(await digestLinks.change(secretOf(call), what))) throw new Problem("not-found");
			return toResponse(call, { isStopped: what === "stop" });
		};
	};
	const path = `${DIGEST_LINK_PATH}/{capability}`;
	const shared: Pick<Operation, "tag" | "credentials" | "limit" | "parameters" | "answers" | "problems"> = {
		...{ tag: "Watchlists", credentials: PUBLIC, limit: "page", parameters: [capabilityParameter, languageParameter] },
		...{ answers: { 200: PAGE }, problems: ["not-found"] },
	};
	return [
		{
			id: "getDigestPage",
			sdk: null,
			...{ method: "GET", path, summary: "Show whether an address gets digests", ...shared },
			description: "The link in a digest, for people. It needs no login and changes nothing.",
			handle: async (call) => {
				const found = await digestLinks.find(secretOf(call));
				if (!found) throw new Problem("not-found");
				return toResponse(call, found);
			},
		},
		{
			id: "stopDigests",
			sdk: null,
			...{ method: "POST", path, summary: "Stop digests to an address", ...shared, body: BODY },
			description: "For the page and for mail programs that unsubscribe with one click. The body is not read.",
			handle: change("stop"),
		},
		{
			id: "resumeDigests",
			sdk: null,
			...{ method: "POST", path: `${path}/resume`, summary: "Resume digests to an address", ...shared, body: BODY },
			description: "For the page. The body is not read.",
			handle: change("resume"),
		},
	];
}

/** Of other texts the database may refuse some. Throws: not-found for what is no secret of ours. */
function secretOf({ params: { capability = "" } }: Call): string {
	if (!/^[\w-]{32}$/.test(capability)) throw new Problem("not-found");
	return capability;
}

function toResponse(call: Call, stop: Stop): Response {
	const language = call.url.searchParams.get("lang") === "en" ? "en" : "es";
	return new Response(renderPage(language, secretOf(call), stop), { headers: HEADERS });
}

function renderPage(language: Language, secret: string, { isStopped }: Stop): Html {
	const words = WORDS[language];
	const action = `${DIGEST_LINK_PATH}/${encodeURIComponent(secret)}${isStopped ? "/resume" : ""}${language === "es" ? "" : `?lang=${language}`}`;
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${words.title}</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/consulta.css">
</head>
<body>
<main>
<h1>${words.title}</h1>
<p role="status">${isStopped ? words.stopped : words.sent}</p>
<form action="${escapeHtml(action)}" method="post">
<button>${isStopped ? words.resume : words.stop}</button>
</form>
</main>
</body>
</html>
`;
}
