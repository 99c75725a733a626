/** A changelog with one of everything, and an operation that it deprecates. */
import type { Changelog, ChangelogEntry, Release } from "../../../../src/api/changelog";
import { json, type Operation, PUBLIC } from "../../../../src/platform/operation";

export const deprecatedEntry: ChangelogEntry = {
	id: "old-runs",
	category: "Deprecated",
	text: "The list without a cursor.",
	breaking: true,
	endpoint: "GET /v1/old/{id}",
	operation: "getOld",
	deprecatedAt: "2026-12-01",
	sunsetAt: "2027-03-31",
	replacement: "/v1/new/{id}",
};

export const sampleRelease: Release = {
	version: "1.2.0",
	area: "identity",
	date: "2026-11-20",
	entries: [
		{ category: "Fixed", text: "An <b>odd</b> & old fault of `GET /v1/new`.", breaking: false },
		deprecatedEntry,
		{ category: "Added", text: "`GET /v1/new`", breaking: false },
	],
};

export const olderRelease: Release = {
	version: "0.1.0-dev",
	area: "invoicing",
	date: "2026-11-01",
	entries: [{ category: "Security", text: "Keys are compared in constant time.", breaking: false }],
};

export const sampleChangelog: Changelog = [sampleRelease, olderRelease];

export const deprecatedOperation: Operation = {
	id: "getOld",
	sdk: null,
	method: "GET",
	path: "/v1/old/{id}",
	tag: "Old",
	summary: "An old one",
	credentials: PUBLIC,
	parameters: [],
	answers: { 200: { description: "It." } },
	problems: [],
	deprecation: {
		change: "old-runs",
		deprecatedAt: "2026-12-01",
		sunsetAt: "2027-03-31",
		replacement: "/v1/new/{id}",
	},
	handle: () => json(200, { old: true }),
};
