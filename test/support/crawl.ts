/** Follows the links of our pages: which pages can be reached, and which links lead nowhere. */

const HREF = /<a\b[^>]*\bhref="([^"]*)"/g;

const decode = (text: string) =>
	text
		.replace(/&amp;/g, "&")
		.replace(/&#39;/g, "'")
		.replace(/&quot;/g, '"');

/**
 * Addresses of pages below `/docs`, `/errors` and `/changelog` that can be reached from the first ones, each with the fewest links to follow. A page
 * with more than `clicksMax` is not looked for.
 */
export async function countClicks(
	origin: string,
	first: readonly string[],
	clicksMax = Number.POSITIVE_INFINITY,
): Promise<Map<string, number>> {
	const clicks = new Map(first.map((path) => [path, 0]));
	// A page that is found while the map is walked is visited too, after those before it.
	for (const [path, count] of clicks) {
		if (count === clicksMax) continue;
		const html = await readPage(origin, path);
		for (const { pathname, search } of linksOf(html ?? "", path)) {
			const next = pathname + search;
			if (clicks.has(next) || !/^\/(?:docs|errors|changelog)(?:\/|$)/.test(pathname) || /\.\w+$/.test(pathname))
				continue;
			clicks.set(next, count + 1);
		}
	}
	return clicks;
}

/** The same without the numbers, sorted. */
export async function listPages(origin: string, first: readonly string[]): Promise<string[]> {
	return [...(await countClicks(origin, first)).keys()].sort();
}

/** Pages that need components, which a listener of declared operations has not. */
const UNOPENED = new Set(["/status", "/consulta"]);

/** Links of the pages to an address of ours that does not answer 200, or to an anchor that is not there; links to other hosts are not followed. */
export async function findBrokenLinks(origin: string, pages: readonly string[]): Promise<string[]> {
	const anchors = new Map<string, Promise<Set<string> | undefined>>();
	const anchorsOf = (path: string) => {
		const known = anchors.get(path) ?? readAnchors(origin, path);
		anchors.set(path, known);
		return known;
	};
	const broken = new Set<string>();
	for (const page of pages) {
		for (const { pathname, search, hash } of linksOf((await readPage(origin, page)) ?? "", page)) {
			if (UNOPENED.has(pathname)) continue;
			const found = await anchorsOf(pathname + search);
			const anchor = decodeURIComponent(hash.slice(1));
			if (!found) broken.add(`${page}: ${pathname}${search} does not answer`);
			else if (anchor !== "" && !found.has(anchor) && !anchor.startsWith("/"))
				broken.add(`${page}: ${pathname}${hash} has no such anchor`);
		}
	}
	return [...broken];
}

async function readPage(origin: string, path: string): Promise<string | undefined> {
	const answer = await fetch(origin + path, { headers: { accept: "text/html,*/*" } });
	const text = await answer.text();
	return answer.ok ? text : undefined;
}

async function readAnchors(origin: string, path: string): Promise<Set<string> | undefined> {
	const html = await readPage(origin, path);
	return html === undefined
		? undefined
		: new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => decode(id)));
}

/** Links to our own host. */
function linksOf(html: string, path: string): URL[] {
	const base = new URL(path, "http://own.invalid");
	return [...html.matchAll(HREF)]
		.map(([, href = ""]) => new URL(decode(href), base))
		.filter(({ origin }) => origin === base.origin);
}
