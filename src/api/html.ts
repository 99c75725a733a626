/** The frame of our HTML pages. They load nothing from other hosts. */

export const DOCUMENTATION_TAG = "Documentation";

/** An HTML fragment in which all text is escaped. */
export type Html = string;

/** Headers of a page. It may load only our own files; `data:` is for the icons in Swagger UI's style sheet. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy":
		"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
};

/** A whole page. `styles` are added before our own style sheet, which does not apply to `top`. */
export function toPage(page: {
	readonly title: string;
	readonly top?: Html;
	readonly body: Html;
	readonly styles?: readonly string[];
	readonly scripts?: readonly string[];
	/** Feeds of the page, for feed readers. */
	readonly feeds?: readonly { readonly type: string; readonly href: string }[];
}): Html {
	const styles = [...(page.styles ?? []), "/docs/assets/docs.css"];
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
${(page.feeds ?? []).map(({ type, href }) => `<link rel="alternate" type="${type}" href="${href}">`).join("\n")}
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n")}
${(page.scripts ?? []).map((src) => `<script src="${src}" defer></script>`).join("\n")}
</head>
<body>
<nav><a href="/docs">Documentation</a> <a href="/errors">Problems</a> <a href="/changelog">Changelog</a> <a href="/openapi.json">openapi.json</a></nav>
${page.top ?? ""}
<main>
${page.body}
</main>
</body>
</html>
`;
}

export function escapeHtml(text: string): Html {
	return text
		.replace(/&/g, "&amp;")
		.replace(/</g, "&lt;")
		.replace(/>/g, "&gt;")
		.replace(/"/g, "&quot;")
		.replace(/'/g, "&#39;");
}

/** Escapes a sentence and turns `backticks` into code elements. */
export function toProse(text: string): Html {
	return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}
