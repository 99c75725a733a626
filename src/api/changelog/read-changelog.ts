/** Reads `data/changelog`, one file for each release, and checks it. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { checkSchema, type Operation } from "../../platform/operation";
import { anchorOf, type Changelog, type ChangelogEntry, Release } from "./release";

const FOLDER = join(import.meta.dir, "../../../data/changelog");
const DAY_MS = 86_400_000;
/** Source: the specification, Versioning 3. */
const NOTICE_DAYS = 30;

/** The files are invalid; the message lists every error. */
export class ChangelogError extends Error {
	constructor(readonly errors: readonly string[]) {
		super(`the changelog has ${errors.length} error(s):\n${errors.map((error) => `  ${error}`).join("\n")}`);
		this.name = "ChangelogError";
	}
}

/** All releases, newest first. Throws: ChangelogError. */
export function readChangelog(folder = FOLDER): Changelog {
	const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
	const sources = names.map((name) => ({ name: basename(name, ".json"), value: parse(join(folder, name)) }));
	const errors = sources.flatMap(({ name, value }) =>
		checkSchema(Release, value).map(({ pointer, detail }) => `${name}${pointer}: ${detail}`),
	);
	if (errors.length > 0) throw new ChangelogError(errors);
	const releases = sources.map(({ value }) => value as Release);
	const further = [
		...sources.flatMap(({ name }, i) => {
			const release = releases[i];
			return release && anchorOf(release) === name
				? []
				: [`${name}: the file is not called after its area and version`];
		}),
		...checkEntries(releases),
	];
	if (further.length > 0) throw new ChangelogError(further);
	return releases.sort(newestFirst);
}

/** In a source `breaking` may be left out where it is false. */
function parse(path: string): unknown {
	const value: unknown = JSON.parse(readFileSync(path, "utf8"));
	if (typeof value !== "object" || value === null || !("entries" in value) || !Array.isArray(value.entries))
		return value;
	return { ...value, entries: value.entries.map((entry: object) => ({ breaking: false, ...entry })) };
}

function newestFirst(one: Release, other: Release): number {
	return (
		other.date.localeCompare(one.date) ||
		other.area.localeCompare(one.area) ||
		-Bun.semver.order(one.version, other.version)
	);
}

/** What is wrong with entries beyond their shape: anchors, and the notice that callers are given. */
export function checkEntries(releases: readonly Release[]): string[] {
	const anchors = new Set(releases.map(anchorOf));
	return releases.flatMap((release) =>
		release.entries.flatMap((entry, n) => {
			const place = `${anchorOf(release)}/entries/${n}`;
			const errors = entry.category === "Deprecated" ? checkNotice(entry) : [];
			if (entry.breaking && entry.id === undefined) errors.push("a breaking change needs an id");
			if (entry.id !== undefined && anchors.has(entry.id)) errors.push(`the id ${entry.id} is taken`);
			if (entry.id !== undefined) anchors.add(entry.id);
			return errors.map((error) => `${place}: ${error}`);
		}),
	);
}

function checkNotice({ id, endpoint, operation, deprecatedAt, sunsetAt }: ChangelogEntry): string[] {
	if (!id || !endpoint || !operation || !deprecatedAt || !sunsetAt) {
		return ["a deprecation needs id, endpoint, operation, deprecatedAt and sunsetAt"];
	}
	return checkDays({ deprecatedAt, sunsetAt });
}

/** Faults of two days: whether they exist, and whether callers have their notice between them. */
export function checkDays({ deprecatedAt, sunsetAt }: { deprecatedAt: string; sunsetAt: string }): string[] {
	const invalid = [deprecatedAt, sunsetAt].filter((day) => !isDay(day));
	if (invalid.length > 0) return invalid.map((day) => `${day} is no day`);
	const noticeDays = (Date.parse(sunsetAt) - Date.parse(deprecatedAt)) / DAY_MS;
	if (noticeDays >= NOTICE_DAYS) return [];
	return [`the sunset ${sunsetAt} is less than ${NOTICE_DAYS} days after ${deprecatedAt}`];
}

function isDay(text: string): boolean {
	const time = Date.parse(`${text}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * Compares the deprecations of operations with the changelog. Throws a ChangelogError with every difference. An announced endpoint that this process does
 * not serve is no difference: roles differ, and retired endpoints may be removed.
 */
export function checkDeprecations(operations: readonly Operation[], changelog: Changelog): void {
	const announced = changelog.flatMap(({ entries }) => entries.filter(({ category }) => category === "Deprecated"));
	const errors = operations.flatMap((operation) =>
		checkOne(operation, announced).map((error) => `${operation.id}: ${error}`),
	);
	if (errors.length > 0) throw new ChangelogError(errors);
}

function checkOne(operation: Operation, announced: readonly ChangelogEntry[]): string[] {
	const { deprecation, id } = operation;
	const endpoint = `${operation.method} ${operation.path}`;
	const entry = announced.find((one) => (deprecation ? one.id === deprecation.change : one.endpoint === endpoint));
	if (!deprecation) return entry ? [`${entry.id} announces a deprecation that the operation does not declare`] : [];
	if (!entry) return [`no changelog entry ${deprecation.change} announces its deprecation`];
	const declared = { endpoint, operation: id, ...deprecation };
	const differing = (["endpoint", "operation", "deprecatedAt", "sunsetAt", "replacement"] as const).filter(
		(name) => entry[name] !== declared[name],
	);
	return [...differing.map((name) => `${name} differs from ${entry.id}`), ...checkDays(deprecation)];
}
