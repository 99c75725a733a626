/** The changelog as people read it, and the fragments of it that feeds carry. */

import { escapeHtml, type Html, toPage, toProse } from "../../pages/html";
import {
	anchorOf,
	byCategory,
	type Changelog,
	type ChangelogEntry,
	deprecationSentence,
	type Release,
	titleOf,
} from "..";

export function renderChangelog(changelog: Changelog): Html {
	return toPage({
		title: "Sello: changelog",
		feeds: [
			{ type: "application/atom+xml", href: "/changelog.atom" },
			{ type: "application/feed+json", href: "/changelog.json" },
		],
		body: `<h1>Changelog</h1>
<p>Newest first. The same as <a href="/v1/changelog">JSON</a>, and as a feed: <a href="/changelog.atom">Atom</a>,
<a href="/changelog.json">JSON Feed</a>. What breaks is announced at least 30 days ahead, with the day on which it ends.</p>
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

/** All entries of a release under the titles of their categories. */
export function renderEntries({ entries }: Release, heading: "h2" | "h3"): Html {
	return byCategory(entries)
		.map(([category, list]) => `<${heading}>${category}</${heading}>\n<ul>\n${list.map(renderItem).join("\n")}\n</ul>`)
		.join("\n");
}

function renderItem(entry: ChangelogEntry): Html {
	const id = entry.id === undefined ? "" : ` id="${escapeHtml(entry.id)}"`;
	return `<li${id}>${renderEntry(entry)}</li>`;
}

export function renderEntry(entry: ChangelogEntry): Html {
	const further = deprecationSentence(entry);
	return `${entry.breaking ? "<b>Breaking.</b> " : ""}${toProse(entry.text)}${further ? ` ${toProse(further)}` : ""}`;
}
