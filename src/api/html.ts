/** The frame of our HTML pages. They load nothing from elsewhere, so they work without a network. */

/** Tag of the operations that serve documentation. */
export const DOCUMENTATION_TAG = "Documentation";

/** A fragment that is safe to stand in a page. */
export type Html = string;

/** Headers of a page: whatever it loads comes from us, as a file. Only Swagger UI's style sheet has its icons inside it. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy":
		"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
};

/** A whole page. `styles` come beside our own sheet, which leaves alone what stands in `top`. */
export function toPage(page: {
	readonly title: string;
	readonly top?: Html;
	readonly body: Html;
	readonly styles?: readonly string[];
	readonly scripts?: readonly string[];
	/** Where a reader's program finds the page's feeds. */
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

/** Text as it stands in elements and attributes. */
export function escapeHtml(text: string): Html {
	return text
		.replace(/&/g, "&amp;")
		.replace(/</g, "&lt;")
		.replace(/>/g, "&gt;")
		.replace(/"/g, "&quot;")
		.replace(/'/g, "&#39;");
}

/** A sentence in which `backticks` mark code. */
export function toProse(text: string): Html {
	return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}
