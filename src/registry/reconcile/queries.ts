/** The queries of a batch: how they are read, and the candidates of each. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { checkSchema, parseJson } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { parseTaxpayerDocument } from "../../platform/values";
import type { RegistryEntry } from "../entry";
import {
	compareMatches,
	decideMatch,
	type FieldMatch,
	MATCHED_FIELDS,
	matchFields,
	scoreEntries,
	scoreNameOf,
} from "../match";
import type { RegistryView } from "../runs";
import { joinOrSplit, type Vocabulary } from "../search";
import { canonicalWords } from "../words";

/** Names of a batch, and numbers of an extension. */
export const BATCH_MAX = 50;
/** Gap: the rest of a longer cell is not read. It is no name, and refusing it would refuse the whole batch. Units: characters. */
const NAME_MAX = 250;
const CANDIDATES_DEFAULT = 5;
const CANDIDATES_MAX = 10;
/** As long as lists to check show candidates. */
const SCORE_MIN = 0.6;
/** Gap: a name beside a number scores less against both names of the entry: the number is probably another taxpayer's. */
const NAME_SCORE_MIN = 0.8;
const HITS_MAX = 50;
const RESPACED_MAX = 40;
const PROPERTIES_MAX = 20;

/** Everything is a taxpayer; the others are the lengths of numbers. */
export const TYPES = [
	{ id: "taxpayer", name: "Contribuyente" },
	{ id: "rnc", name: "RNC de 9 dígitos" },
	{ id: "cedula", name: "Cédula o RNC de 11 dígitos" },
] as const;
const [TAXPAYER, RNC, CEDULA] = TYPES;

/** Further members are ignored, because programs add their own. */
export const ReconcileQuery = Type.Object(
	{
		query: Type.String({ description: `A name or a number. Of a longer text, the first ${NAME_MAX} characters.` }),
		type: Type.Optional(
			Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], {
				description: "`rnc` or `cedula` finds names of numbers of that length only.",
			}),
		),
		limit: Type.Optional(
			Type.Integer({
				description: `Maximum number of candidates, at most ${CANDIDATES_MAX}. Default: ${CANDIDATES_DEFAULT}.`,
			}),
		),
		properties: Type.Optional(
			Type.Array(Type.Object({ pid: Type.String(), v: Type.Unknown() }), {
				maxItems: PROPERTIES_MAX,
				description: "Values of other columns. Of these only `rnc`, a number, is used.",
			}),
		),
	},
	{ $id: "ReconcileQuery" },
);
export type ReconcileQuery = Static<typeof ReconcileQuery>;

const Queries = Type.Record(Type.String(), ReconcileQuery, { maxProperties: BATCH_MAX });

/** The queries by their keys. Throws: malformed-json, validation-error. */
export function readQueries(text: string): [string, ReconcileQuery][] {
	return Object.entries(readJsonText<Static<typeof Queries>>("queries", text, Queries));
}

/** A parameter's JSON; its depth and its members are counted before it is parsed. Throws: malformed-json, validation-error. */
export function readJsonText<T>(name: string, text: string, schema: TSchema): T {
	let value: unknown;
	try {
		value = parseJson(Buffer.from(text));
	} catch (cause) {
		if (!(cause instanceof Problem) || cause.slug !== "malformed-json") throw cause;
		const detail = msg`\`${name}\` is not a JSON document, or has a member twice.`;
		throw new Problem("malformed-json", { detail, cause });
	}
	const faults = checkSchema(schema, value).map((fault) => ({ ...fault, pointer: `/${name}${fault.pointer}` }));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return value as T;
}

type Match = Pick<FieldMatch<"name">, "score" | "entry">;

export type Candidates = {
	/** Best first. */
	readonly matches: readonly Match[];
	/** The number that is meant beyond doubt. */
	readonly sure: string | undefined;
	/** The numbers that a name has found. */
	readonly byName: readonly string[];
};

const NOTHING: Candidates = { matches: [], sure: undefined, byName: [] };

/** What needs no names to be compared; undefined for everything else. */
export function findByNumber(view: Pick<RegistryView, "lookup">, { query, properties }: ReconcileQuery) {
	const written = findEntry(view, query);
	if (written !== "no number") return written ? sureOf(written, 1) : NOTHING;
	const entry = findBeside(view, properties);
	const name = query.trim().slice(0, NAME_MAX);
	if (!entry) return name === "" ? NOTHING : undefined;
	const score = name === "" ? 1 : scoreNameOf(entry, name);
	return score >= NAME_SCORE_MIN ? sureOf(entry, score) : undefined;
}

function sureOf(entry: RegistryEntry, score: number): Candidates {
	return { matches: [{ score, entry }], sure: entry.rnc, byName: [] };
}

function findEntry({ lookup }: Pick<RegistryView, "lookup">, text: unknown): RegistryEntry | undefined | "no number" {
	const document =
		typeof text === "string" || typeof text === "number" ? parseTaxpayerDocument(String(text).trim()) : undefined;
	return document ? lookup(document) : "no number";
}

/** The entry of the first number in another column. */
function findBeside(view: Pick<RegistryView, "lookup">, properties: ReconcileQuery["properties"] = []) {
	for (const { pid, v } of properties) {
		if (pid !== "rnc") continue;
		const found = findEntry(view, Array.isArray(v) ? v[0] : v);
		if (found && found !== "no number") return found;
	}
	return undefined;
}

/** Finds candidates by name. The entry of a number in another column is one of them, whatever its name. Runs in many small steps. */
export function* findByName(
	view: RegistryView,
	vocabulary: Vocabulary,
	{ query, type, properties, limit = 0 }: ReconcileQuery,
): Generator<void, Candidates> {
	const name = query.slice(0, NAME_MAX);
	const wanted = limit < 1 ? CANDIDATES_DEFAULT : Math.min(limit, CANDIDATES_MAX);
	const found = yield* compareNames(view, vocabulary, name, kindOf(type), Math.max(wanted, 2));
	// Entries may have been erased since they were found.
	const matches = found.filter(({ entry }) => !view.isErased(entry.rnc));
	const byName = matches.slice(0, wanted).map(({ entry }) => entry.rnc);
	const beside = findBeside(view, properties);
	// The number and the name mean different taxpayers: a person decides.
	if (beside) {
		const others = matches.filter(({ entry }) => entry.rnc !== beside.rnc);
		const first = { score: scoreNameOf(beside, name), entry: beside };
		return { matches: [first, ...others].slice(0, wanted), sure: undefined, byName };
	}
	return { matches: matches.slice(0, wanted), sure: decideMatch(matches)?.entry.rnc, byName };
}

function kindOf(type: ReconcileQuery["type"]): { readonly kind?: "rnc" | "cedula" } {
	const types = typeof type === "string" ? [type] : (type ?? []);
	const [kind, other] = ([RNC.id, CEDULA.id] as const).filter((id) => types.includes(id));
	return kind !== undefined && other === undefined && !types.includes(TAXPAYER.id) ? { kind } : {};
}

/** Similar names, then those that have the words joined or split, if none is meant beyond doubt. */
function* compareNames(
	view: RegistryView,
	vocabulary: Vocabulary,
	name: string,
	kind: { readonly kind?: "rnc" | "cedula" },
	limit: number,
): Generator<void, Match[]> {
	const { words, form } = canonicalWords(name);
	const written = words.join(" ");
	if (written === "") return [];
	// An incomplete name scores little, so what begins with its words counts whatever it scores.
	const options = { ...kind, minScore: SCORE_MIN, limit, fields: MATCHED_FIELDS, also: [written] };
	const matches = yield* matchFields(view, vocabulary, name, options);
	if (decideMatch(matches)) return matches;
	const best = new Map(matches.map((match) => [match.entry.rnc, match]));
	for (const respaced of joinOrSplit(view, written).slice(0, RESPACED_MAX)) {
		const { entries } = view.search({ ...kind, field: "any", text: respaced, limit: HITS_MAX });
		yield;
		for (const match of yield* scoreEntries(vocabulary, `${respaced} ${form ?? ""}`, MATCHED_FIELDS, entries)) {
			if (match.score > (best.get(match.entry.rnc)?.score ?? 0)) best.set(match.entry.rnc, match);
		}
	}
	return [...best.values()].sort(compareMatches).slice(0, limit);
}

export function typesOf({ rnc }: RegistryEntry) {
	return [TAXPAYER, rnc.length === 9 ? RNC : CEDULA];
}

/** A candidate as programs read it. */
export function toCandidates({ matches, sure }: Candidates) {
	return matches.map(({ score, entry }) => ({
		...{ id: entry.rnc, name: entry.name, type: typesOf(entry) },
		...{ score, match: entry.rnc === sure },
	}));
}
