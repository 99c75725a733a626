/**
 * The changelog as a page and as feeds, newest first. Feeds have an item for each release and for each entry that is announced separately.
 *
 * Source: RFC 4287 (Atom); JSON Feed 1.1, jsonfeed.org/version/1.1. Feed libraries write JSON Feed 1.0.
 */
import { escapeHtml, type Html, toPage, toProse } from "../html";
import {
	anchorOf,
	byCategory,
	type Changelog,
	type ChangelogEntry,
	deprecationSentence,
	type Release,
	titleOf,
	titleOfEntry,
} from "./release";

export function renderChangelog(changelog: Changelog): Html {
	return toPage({
		title: "Sello: changelog",
		feeds: [
			{ type: "application/atom+xml", href: "/changelog.atom" },
			{ type: "application/feed+json", href: "/changelog.json" },
		],
		body: `<h1>Changelog</h1>
<p>Newest first. Also available as <a href="/v1/changelog">JSON</a> and as a feed: <a href="/changelog.atom">Atom</a>,
<a href="/changelog.json">JSON Feed</a>. Breaking changes are announced at least 30 days in advance, with their date.</p>
${changelog.map(renderSection).join("\n")}`,
	});
}

function renderSection(release: Release): Html {
	const anchor = escapeHtml(anchorOf(release));
	return `<section id="${anchor}">
<h2><a href="#${anchor}">${escapeHtml(titleOf(release))}</a> <time datetime="${release.date}">${release.date}</time></h2>
${renderEntries(release, "h3")}
</section>`;
}

function renderEntries({ entries }: Release, heading: "h2" | "h3"): Html {
	return byCategory(entries)
		.map(([category, list]) => `<${heading}>${category}</${heading}>\n<ul>\n${list.map(renderItem).join("\n")}\n</ul>`)
		.join("\n");
}

function renderItem(entry: ChangelogEntry): Html {
	const id = entry.id === undefined ? "" : ` id="${escapeHtml(entry.id)}"`;
	return `<li${id}>${renderEntry(entry)}</li>`;
}

function renderEntry(entry: ChangelogEntry): Html {
	const further = deprecationSentence(entry);
	return `${entry.breaking ? "<b>Breaking.</b> " : ""}${toProse(entry.text)}${further ? ` ${toProse(further)}` : ""}`;
}

const TITLE = "Sello: changelog";
const AUTHOR = "Sello";

type FeedItem = {
	/** Stable for as long as the service has this address. */
	readonly url: string;
	readonly title: string;
	readonly html: string;
	/** RFC 3339. */
	readonly at: string;
	readonly tags: readonly string[];
};

function toItems(changelog: Changelog, baseUrl: string): FeedItem[] {
	const urlOf = (anchor: string) => `${baseUrl}/changelog#${anchor}`;
	return changelog.flatMap((release) => {
		const at = `${release.date}T00:00:00Z`;
		const announced = release.entries.flatMap((entry): FeedItem[] => {
			if (entry.id === undefined) return [];
			const tags = [release.area, entry.category, ...(entry.breaking ? ["breaking"] : [])];
			return [{ url: urlOf(entry.id), title: titleOfEntry(entry), html: `<p>${renderEntry(entry)}</p>`, at, tags }];
		});
		const whole: FeedItem = {
			url: urlOf(anchorOf(release)),
			title: titleOf(release),
			html: renderEntries(release, "h2"),
			at,
			tags: [release.area],
		};
		return [...announced, whole];
	});
}

export function writeAtom(changelog: Changelog, baseUrl: string): string {
	const items = toItems(changelog, baseUrl);
	const entries = items.map(
		({ url, title, html, at, tags }) => `<entry>
<id>${escapeHtml(url)}</id>
<title>${escapeHtml(title)}</title>
<updated>${at}</updated>
<link rel="alternate" type="text/html" href="${escapeHtml(url)}"/>
${tags.map((tag) => `<category term="${escapeHtml(tag)}"/>`).join("\n")}
<content type="html">${escapeHtml(html)}</content>
</entry>`,
	);
	return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${escapeHtml(`${baseUrl}/changelog.atom`)}</id>
<title>${TITLE}</title>
<updated>${items[0]?.at ?? "1970-01-01T00:00:00Z"}</updated>
<author><name>${AUTHOR}</name></author>
<link rel="self" type="application/atom+xml" href="${escapeHtml(`${baseUrl}/changelog.atom`)}"/>
<link rel="alternate" type="text/html" href="${escapeHtml(`${baseUrl}/changelog`)}"/>
${entries.join("\n")}
</feed>
`;
}

export function toJsonFeed(changelog: Changelog, baseUrl: string) {
	return {
		version: "https://jsonfeed.org/version/1.1",
		title: TITLE,
		home_page_url: `${baseUrl}/changelog`,
		feed_url: `${baseUrl}/changelog.json`,
		language: "en",
		authors: [{ name: AUTHOR }],
		items: toItems(changelog, baseUrl).map(({ url, title, html, at, tags }) => {
			return { id: url, url, title, content_html: html, date_published: at, date_modified: at, tags };
		}),
	};
}
