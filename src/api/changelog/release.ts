/** A release of one area: the schema of the files in `data/changelog`, which callers also read. */
import { type Static, Type } from "@sinclair/typebox";

/** Each area has its own versions. */
export const AREAS = { invoicing: "Invoicing", identity: "Identity validation" } as const;
export type Area = keyof typeof AREAS;

/** In display order. Source: the specification, Versioning 7. */
export const CATEGORIES = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"] as const;
export type Category = (typeof CATEGORIES)[number];

const DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
const day = (description: string) => Type.String({ pattern: DAY, description });

export const ChangelogEntry = Type.Object(
	{
		id: Type.Optional(
			Type.String({
				pattern: "^[a-z0-9][a-z0-9-]{2,79}$",
				description: "Anchor on the page, of an entry that is announced separately.",
			}),
		),
		category: Type.Union(CATEGORIES.map((category) => Type.Literal(category))),
		text: Type.String({ minLength: 1, description: "Text with code in `backticks`." }),
		breaking: Type.Boolean({ description: "Whether callers have to change something." }),
		endpoint: Type.Optional(Type.String({ description: "Method and path of the deprecated endpoint." })),
		operation: Type.Optional(Type.String({ description: "`operationId` of the endpoint." })),
		deprecatedAt: Type.Optional(day("Day (UTC) from which the endpoint is deprecated.")),
		sunsetAt: Type.Optional(day("Last day (UTC) of the endpoint; then it returns 410 `endpoint-retired`.")),
		replacement: Type.Optional(Type.String({ description: "Path to use instead." })),
	},
	{ $id: "ChangelogEntry", additionalProperties: false },
);
export type ChangelogEntry = Static<typeof ChangelogEntry>;

export const Release = Type.Object(
	{
		version: Type.String({ pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$" }),
		area: Type.Union(
			(Object.keys(AREAS) as Area[]).map((area) => Type.Literal(area)),
			{ description: "Area of the release; each area has its own versions." },
		),
		date: day("Date of the release; for a version in development, date of its latest change."),
		entries: Type.Array(ChangelogEntry),
	},
	{ $id: "Release", additionalProperties: false },
);
export type Release = Static<typeof Release>;

/** Newest first. */
export type Changelog = readonly Release[];

export function anchorOf({ area, version }: Pick<Release, "area" | "version">): string {
	return `${area}-${version}`;
}

/** Title of a release: `Invoicing 0.1.0-dev`. */
export function titleOf({ area, version }: Pick<Release, "area" | "version">): string {
	return `${AREAS[area]} ${version}`;
}

const TITLE_LENGTH_MAX = 100;

/** Title of an entry that is announced separately. */
export function titleOfEntry({ category, text, breaking, endpoint }: ChangelogEntry): string {
	if (category === "Deprecated" && endpoint) return `Deprecated: ${endpoint}`;
	const plain = text.replaceAll("`", "");
	const short = plain.length > TITLE_LENGTH_MAX ? `${plain.slice(0, TITLE_LENGTH_MAX - 1).trimEnd()}…` : plain;
	return `${breaking ? "Breaking" : category}: ${short}`;
}

/** Entries by category, in display order, without empty categories. */
export function byCategory(entries: readonly ChangelogEntry[]): [Category, ChangelogEntry[]][] {
	return CATEGORIES.map((category): [Category, ChangelogEntry[]] => [
		category,
		entries.filter((entry) => entry.category === category),
	]).filter(([, list]) => list.length > 0);
}

/** The additional sentence of a deprecation; undefined for other entries. */
export function deprecationSentence({
	endpoint,
	deprecatedAt,
	sunsetAt,
	replacement,
}: ChangelogEntry): string | undefined {
	if (!endpoint || !deprecatedAt || !sunsetAt) return undefined;
	const instead = replacement ? `; use \`${replacement}\` instead` : "";
	return `\`${endpoint}\` is deprecated from ${deprecatedAt} and works until the end of ${sunsetAt} (UTC)${instead}.`;
}
