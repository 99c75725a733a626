/** What callers are told by mail, to whom, and for how long it is news. */
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

export type Announcement = {
	/** Anchor on the changelog's page. */
	readonly id: string;
	readonly subject: string;
	readonly text: string;
	/** The operation whose callers are told; absent: everybody. */
	readonly operation?: string;
};

/**
 * Gap: for so long a release is told to whom it has not been told yet. Who gets a key later finds it in the changelog; a deprecation is
 * told to its end, because somebody may begin to call the endpoint.
 */
const NEWS_DAYS = 90;
const DAY_MS = 86_400_000;

/** What is to be announced now: releases, and by themselves deprecations and what else has an anchor. */
export function listAnnouncements(changelog: Changelog, now: Date): Announcement[] {
	return changelog.flatMap((release) => {
		const ageDays = (now.getTime() - Date.parse(release.date)) / DAY_MS;
		if (ageDays < 0) return [];
		const isNews = ageDays <= NEWS_DAYS;
		const entries = release.entries.flatMap((entry) => {
			const isDue = entry.sunsetAt === undefined ? isNews : now.getTime() < Date.parse(entry.sunsetAt) + DAY_MS;
			return entry.id !== undefined && isDue ? [toAnnouncement(entry, entry.id)] : [];
		});
		// Gap: a version in development changes every day and is no news.
		const isReleased = !release.version.includes("-");
		return isReleased && isNews ? [...entries, toReleaseAnnouncement(release)] : entries;
	});
}

/** The announcement of this id, whether it is still news or not. */
export function findAnnouncement(changelog: Changelog, id: string): Announcement | undefined {
	for (const release of changelog) {
		if (anchorOf(release) === id) return toReleaseAnnouncement(release);
		const entry = release.entries.find((one) => one.id === id);
		if (entry) return toAnnouncement(entry, id);
	}
	return undefined;
}

function toAnnouncement(entry: ChangelogEntry, id: string): Announcement {
	const { operation } = entry;
	return {
		id,
		subject: titleOfEntry(entry),
		text: [entry.text, deprecationSentence(entry)].filter((part) => part !== undefined).join("\n\n"),
		...(operation === undefined ? {} : { operation }),
	};
}

function toReleaseAnnouncement(release: Release): Announcement {
	const parts = byCategory(release.entries).map(([category, entries]) => {
		const lines = entries.map((entry) => `- ${[entry.text, deprecationSentence(entry)].filter(Boolean).join(" ")}`);
		return `${category}\n${lines.join("\n")}`;
	});
	return { id: anchorOf(release), subject: titleOf(release), text: parts.join("\n\n") };
}
