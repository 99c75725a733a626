/** The changelog: one source for the page, the feeds, the announcements and `CHANGELOG.md`. */
export {
	announce,
	createSendAnnouncement,
	type KeyContacts,
	listAnnouncements,
	matchCallers,
} from "./announce";
export { changelogOperations } from "./operations";
export { ChangelogError, checkDeprecations, checkEntries, readChangelog } from "./read-changelog";
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
} from "./release";
export { renderChangelog, toJsonFeed, writeAtom } from "./render";
