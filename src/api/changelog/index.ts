/** What has changed, for callers: one source, from which the page, the feeds, the announcements and `CHANGELOG.md` are made. */
export { announce, type KeyContacts, matchCallers } from "./announce";
export { listAnnouncements } from "./announcement";
export { checkDeprecations } from "./check-deprecations";
export { ChangelogError, checkEntries, readChangelog } from "./read-changelog";
export {
	AREAS,
	type Area,
	anchorOf,
	byCategory,
	CATEGORIES,
	type Category,
	type Changelog,
	ChangelogEntry,
	deprecationSentence,
	Release,
	titleOf,
	titleOfEntry,
} from "./release";
export { createSendAnnouncement } from "./send-announcement";
export { writeMarkdown } from "./write-markdown";
