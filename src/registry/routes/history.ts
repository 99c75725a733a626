/** The registry as our copy held it on earlier days. */
import { type Static, Type } from "@sinclair/typebox";
import { PLAN_LIMITS } from "../../identity/rate-limits";
import { type Call, checkDay, NEEDS_KEY, type Operation, queryParameter, readQuery } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { TaxpayerDocument } from "../../platform/values";
import { exampleEntry, RegistryEntry } from "../entry";
import { HISTORY_MEMBERS, toIsoDay } from "../history";
import { type EntryAsOf, findPeriods, type HistoryDeps, openDay } from "../runs";
import { answerOneRun, documentParameter, oneRunHeaders, readDocument, withoutCachingProblems } from "./answers";

const Day = (description: string) => Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", description });

const AS_OF =
	"A day as `YYYY-MM-DD`, in UTC-4: the answer is what our copy of the registry held at the end of it. The authority publishes no dates of effect.";

export const asOfParameter = queryParameter("as_of", AS_OF, Type.String(), checkDay);

export const asOfMember = Type.String({ description: AS_OF });

/** How far back the caller's plan shows. Units: days; null for all. */
export function historyDaysOf(call: Call): number | null {
	return call.principal ? PLAN_LIMITS[call.principal.plan].registry.historyDays : null;
}

const asOfMembers = {
	as_of: Day("The day that was asked for."),
	run_id: Type.String({
		description: "The run, or the operator's import of an older file, that brought these values.",
	}),
	seen_from: Day("First day at whose end our copy held these values, as far back as your plan shows."),
	seen_to: Type.Union([Day("Last such day."), Type.Null()], { description: "Null while our copy still holds them." }),
};

/** What an answer has beside an entry when `as_of` was sent. */
export const optionalAsOfMembers = {
	as_of: Type.Optional(asOfMembers.as_of),
	run_id: Type.Optional(asOfMembers.run_id),
	seen_from: Type.Optional(asOfMembers.seen_from),
	seen_to: Type.Optional(asOfMembers.seen_to),
};

const EntryAsOfMembers = Type.Object({ ...RegistryEntry.properties, ...asOfMembers });
type EntryAsOfMembers = Static<typeof EntryAsOfMembers>;

/** Undefined if the copy had no entry. */
export function toEntryAsOf(day: string, { entry, runId, seenFrom, seenTo }: EntryAsOf): EntryAsOfMembers | undefined {
	return entry && { ...entry, as_of: day, run_id: runId, seen_from: seenFrom, seen_to: seenTo };
}

/** Answers a look-up with `as_of`. Throws: document-not-found, and as `openDay`. */
export function answerAsOf(deps: HistoryDeps, call: Call, document: TaxpayerDocument, day: string): Response {
	const asked = { day, pointer: "#/query/as_of", historyDays: historyDaysOf(call) };
	const { loaded, find } = openDay(deps, asked);
	const entry = toEntryAsOf(day, find(document));
	if (!entry) throw new Problem("document-not-found");
	return answerOneRun(loaded, deps.clock.now(), entry);
}

const { rnc: _, ...values } = RegistryEntry.properties;

const HistoryPeriod = Type.Object({
	from: Day("First day at whose end our copy held these values."),
	to: Type.Union([Day("Last such day."), Type.Null()], { description: "Null for the values that our copy holds now." }),
	...values,
	changed: Type.Array(Type.Union(HISTORY_MEMBERS.map((member) => Type.Literal(member))), {
		description:
			"Members that differ from the period before. Empty for the first one, and after days without an entry.",
	}),
	run_id: asOfMembers.run_id,
});

const DocumentHistory = Type.Object(
	{
		rnc: RegistryEntry.properties.rnc,
		history_begins: Day(
			"The first day that is known, or that your plan shows. A period that starts with it may be older.",
		),
		periods: Type.Array(HistoryPeriod, {
			description: "Newest first. Our copy had no entry on days that lie between two periods.",
		}),
		count: Type.Integer({ description: "Periods in this answer." }),
		partial: Type.Boolean({ description: "True if there are older periods; ask for those days with `as_of`." }),
	},
	{ $id: "DocumentHistory" },
);

const PERIODS_MAX = 100;

export function getDocumentHistory(deps: HistoryDeps): Operation {
	return {
		id: "getDocumentHistory",
		sdk: "registry.getHistory",
		method: "GET",
		path: "/v1/authority/document/{document}/history",
		tag: "Registry",
		summary: "List what a taxpayer's entry was",
		description: `Lists the values that our copy of the registry held of a number, with the days, newest first; at most ${PERIODS_MAX} periods. Days are those of UTC-4, and a period contains the days at whose end our copy held the values. The authority publishes no dates of effect, so a change may be older than the day on which our copy shows it. An erased entry has no history.`,
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "lookup",
		parameters: [documentParameter],
		answers: {
			200: {
				description: "The periods.",
				schema: DocumentHistory,
				example: {
					rnc: exampleEntry.rnc,
					history_begins: "2026-11-26",
					periods: [
						examplePeriod({ from: "2027-02-03", to: null, status: "SUSPENDIDO", changed: ["status"] }),
						examplePeriod({ from: "2026-11-26", to: "2027-02-02", status: "ACTIVO", changed: [] }),
					],
					count: 2,
					partial: false,
				},
				headers: oneRunHeaders,
			},
		},
		problems: ["invalid-document-format", "validation-error", "document-not-found", "registry-unavailable"],
		handle: withoutCachingProblems((call) => {
			const document = readDocument(call);
			readQuery(call);
			const asked = { historyDays: historyDaysOf(call), limit: PERIODS_MAX };
			const { loaded, begins, periods, isPartial } = findPeriods(deps, document, asked);
			if (periods.length === 0) throw new Problem("document-not-found");
			return answerOneRun(loaded, deps.clock.now(), {
				rnc: document.digits,
				history_begins: begins,
				periods: periods.map(({ from, to, entry: { rnc: _, ...members }, changed, runId }) => ({
					...{ from: toIsoDay(from), to: to === undefined ? null : toIsoDay(to) },
					...{ ...members, changed, run_id: runId },
				})),
				count: periods.length,
				partial: isPartial,
			});
		}),
	};
}

function examplePeriod(members: {
	readonly from: string;
	readonly to: string | null;
	readonly status: string;
	readonly changed: string[];
}) {
	const { rnc: _, status: __, ...others } = exampleEntry;
	const { from, to, status, changed } = members;
	return { from, to, ...others, status, changed, run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f" };
}
