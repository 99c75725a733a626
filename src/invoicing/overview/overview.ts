/** The overview as callers see it, from what the folders beside it report. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { explainCode } from "../../authority/codes";
import {
	type CurrentStatus,
	OVERALL,
	STATUSES,
	STEP_SECONDS,
	type StatusChanges,
	toHistory,
} from "../../authority/status";
import type { WebhookEndpoint } from "../../events/endpoints";
import type { Undelivered } from "../../events/webhooks";
import type { Period } from "../../platform/operation";
import type { Language } from "../../platform/problem";
import { daysBetween } from "../../platform/values";
import type { RefusedInvoice } from "../invoices";
import { addUp, type Group, SumsSchema } from "../reports";
import type { SequenceRecord } from "../sequences";

const Nullable = <T extends TSchema>(schema: T, description?: string) =>
	Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const Text = Type.String();
const Day = (description: string) => Type.String({ format: "date", description });
const Instant = (description: string) => Type.String({ format: "date-time", description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

const RefusedTask = Type.Object(
	{
		docId: Text,
		encf: Text,
		type: Type.String({ description: "e-CF type." }),
		code: Nullable(Text, "The authority's code; of a failed document, the code of its failure."),
		title: Nullable(Text, "What the code means, in the language of the request; null if it is unknown here."),
		cause: Nullable(Text, "Why documents get the code."),
		fix: Nullable(Text, "What to do."),
		retryable: Type.Boolean({ description: "Whether the failed document can be retried as it is." }),
		customer: Nullable(
			Type.Object({ rnc: Nullable(Text), name: Nullable(Text) }),
			"null if the document has no buyer.",
		),
		grand_total: Type.String({ description: "As sent." }),
		currency: Type.String({ description: "Of `grand_total`." }),
		at: Instant("When it was refused."),
	},
	{ $id: "RefusedInvoice" },
);
type RefusedTask = Static<typeof RefusedTask>;

const Refused = (description: string) =>
	Type.Object(
		{ count: Count("200 stands for 200 or more."), items: Type.Array(RefusedTask, { description: "The newest ten." }) },
		{ description },
	);

const WebhookHealth = Type.Object(
	{
		webhookId: Text,
		url: Text,
		description: Nullable(Text),
		status: Text,
		dead: Count("Deliveries that never arrived. 1,000 stands for 1,000 or more."),
		failed: Count("Deliveries whose last attempt failed. 1,000 stands for 1,000 or more."),
		failing: Type.Boolean({ description: "Whether it needs a look: it has such deliveries, or is being probed." }),
	},
	{ $id: "WebhookHealth" },
);

const SequenceForecast = Type.Object(
	{
		type: Type.String({ description: "e-CF type." }),
		available: Count("Free numbers of all active sequences."),
		perDay: Type.Number({ description: "Mean of the numbers given per day in the last two weeks." }),
		exhaustedOn: Nullable(
			Text,
			"Day of the last number at this pace; null without use, or if the sequences expire first.",
		),
		expiresAt: Nullable(Text, "Last day of the last active sequence; null if it has none."),
		ending: Type.Boolean({
			description: "Whether numbers run out within 14 days or the last sequence expires within 30.",
		}),
	},
	{ $id: "SequenceForecast" },
);
type SequenceForecast = Static<typeof SequenceForecast>;

const StatusWord = Type.Union(STATUSES.map((status) => Type.Literal(status)));

export const Overview = Type.Object(
	{
		from: Day("First issue date of `cards` and `days`."),
		to: Day("Last issue date."),
		authorityEnvironment: Type.String({ description: "The authority's environment in which the company issues." }),
		asOf: Instant("When the overview was made."),
		tasks: Type.Object(
			{
				rejected: Refused("Documents of the last 30 days that the authority rejected and that were not issued again."),
				failed: Refused("Documents that could not be submitted."),
				pending: Type.Object(
					{ count: Count("How many."), since: Nullable(Text, "When the oldest began to wait; null without any.") },
					{ description: "Documents that have waited for a verdict for more than ten minutes." },
				),
				prepared: Type.Object(
					{ count: Count("How many."), expiresAt: Nullable(Text, "When the first expires; null without any.") },
					{ description: "Prepared invoices that wait for approval." },
				),
				certificate: Nullable(
					Type.Object({ certificateId: Text, subject: Text, expiresAt: Instant("Its last moment.") }),
					"The signing certificate, if it ends within 60 days and has no successor. null otherwise, and without the scope `company:read`.",
				),
			},
			{ description: "What needs a person, besides what `webhooks` and `sequences` mark." },
		),
		cards: Type.Object({
			issuedToday: Count("Documents of today: decided ones by issue date, pending ones by receipt."),
			acceptanceRate: Nullable(
				Type.Number(),
				"Share of accepted documents among the accepted, rejected and failed ones; null without any.",
			),
			sales: SumsSchema("Accepted documents of types 31, 32, 33 and 44, less credit notes (34). In pesos."),
			purchases: SumsSchema("Accepted documents of type 41. In pesos."),
			pending: Type.Object({
				count: Count("Documents without a verdict."),
				oldestSeconds: Count("Age of the oldest."),
			}),
		}),
		days: Type.Array(
			Type.Object({
				day: Day("Issue date."),
				accepted: Count("Documents."),
				rejected: Count("Documents."),
				failed: Count("Documents."),
				sales: Type.String({ description: "Accepted sales of the day, with taxes, in pesos." }),
			}),
			{ description: "Every day of the period, also those without documents." },
		),
		authority: Type.Object(
			{
				status: StatusWord,
				since: Instant("Since when."),
				contingency: Type.Boolean({
					description: "Whether documents issued now cannot be expected to reach the authority.",
				}),
				historyFrom: Instant("Start of the first of `states`."),
				stepSeconds: Type.Integer(),
				states: Type.Array(StatusWord, { description: "The last 24 hours in equal steps, each with its worst state." }),
			},
			{ description: "See `GET /v1/authority/status`." },
		),
		webhooks: Nullable(Type.Array(WebhookHealth), "null without the scope `webhooks:read`."),
		sequences: Nullable(
			Type.Array(SequenceForecast),
			"Types with registered sequences. null without the scope `sequences:read`.",
		),
	},
	{ $id: "Overview" },
);
export type Overview = Static<typeof Overview>;

/** What the other folders report; undefined what the caller may not read. */
export type OverviewParts = {
	readonly period: Period;
	readonly now: Date;
	readonly authorityEnvironment: string;
	readonly language: Language;
	/** By day, type and status, of the period. */
	readonly groups: readonly Group[];
	/** The same of today. */
	readonly todays: readonly Group[];
	readonly queue: { readonly pending: number; readonly oldestSeconds: number };
	readonly waiting: { readonly overdue: number; readonly oldest: Date | null; readonly earlier: number };
	readonly prepared: { readonly count: number; readonly expiresAt: Date | null };
	readonly rejected: readonly RefusedInvoice[];
	readonly failed: readonly RefusedInvoice[];
	readonly status: CurrentStatus;
	readonly past: StatusChanges;
	readonly today: string;
	readonly certificate: { readonly id: string; readonly subject: string; readonly notAfter: Date } | undefined;
	readonly endpoints: readonly WebhookEndpoint[] | undefined;
	readonly undelivered: readonly Undelivered[];
	readonly sequences: readonly SequenceRecord[] | undefined;
};

const ITEMS_MAX = 10;

export function toOverview(parts: OverviewParts): Overview {
	const { period, now, groups, todays, queue, waiting, prepared, certificate, today, language } = parts;
	const { sales, purchases, totals: accepted, excluded } = addUp(groups, "accepted");
	const refused = (all: readonly RefusedInvoice[]) => ({
		count: all.length,
		items: all.slice(0, ITEMS_MAX).map((one) => toTask(one, language)),
	});
	const decidedToday = todays.reduce((sum, { count }) => sum + count, 0);
	return {
		...{ from: period.from, to: period.to, authorityEnvironment: parts.authorityEnvironment, asOf: now.toISOString() },
		tasks: {
			rejected: refused(parts.rejected),
			failed: refused(parts.failed),
			pending: { count: waiting.overdue, since: waiting.oldest?.toISOString() ?? null },
			prepared: { count: prepared.count, expiresAt: prepared.expiresAt?.toISOString() ?? null },
			certificate: certificate
				? {
						...{ certificateId: certificate.id, subject: certificate.subject },
						expiresAt: certificate.notAfter.toISOString(),
					}
				: null,
		},
		cards: {
			issuedToday: decidedToday + Math.max(0, queue.pending - waiting.earlier),
			acceptanceRate: rateOf(accepted.count, excluded.rejected.count + excluded.failed.count),
			...{ sales, purchases, pending: { count: queue.pending, oldestSeconds: queue.oldestSeconds } },
		},
		days: toDays(period, groups),
		authority: toAuthority(parts),
		webhooks: parts.endpoints?.map((endpoint) => toHealth(endpoint, parts.undelivered)) ?? null,
		sequences: parts.sequences ? toForecasts(parts.sequences, today) : null,
	};
}

/** To four digits; null without documents. */
function rateOf(accepted: number, others: number): number | null {
	return accepted + others === 0 ? null : Math.round((accepted / (accepted + others)) * 10_000) / 10_000;
}

function toTask({ docId, encf, type, code, failure, at, facts }: RefusedInvoice, language: Language): RefusedTask {
	const explained = code === null ? undefined : explainCode(code, language);
	const { title, cause, fix } = explained?.known ? explained : { title: null, cause: null, fix: null };
	const { customerRnc: rnc, customerName: name, grandTotal, currency } = facts;
	return {
		...{ docId, encf, type, code: code ?? failure?.code ?? null, title, cause, fix },
		retryable: failure?.retryable === true,
		customer: rnc === null && name === null ? null : { rnc, name },
		...{ grand_total: grandTotal, currency, at: at.toISOString() },
	};
}

function toDays({ from, to }: Period, groups: readonly Group[]): Overview["days"] {
	const byDay = Map.groupBy(groups, ({ day }) => day);
	return Array.from({ length: daysBetween(from, to) + 1 }, (_, n) => {
		const day = addDays(from, n);
		const { totals, sales, excluded } = addUp(byDay.get(day) ?? [], "accepted");
		const [accepted, rejected, failed] = [totals.count, excluded.rejected.count, excluded.failed.count];
		return { day, accepted, rejected, failed, sales: sales.grand_total };
	});
}

/** Of a `YYYY-MM-DD`. */
export function addDays(day: string, days: number): string {
	return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

function toAuthority({ status, past, now }: Pick<OverviewParts, "status" | "past" | "now">): Overview["authority"] {
	const { from, services } = toHistory(past, status, now);
	const overall = services.find(({ name }) => name === OVERALL);
	return {
		...{ status: status.status, since: status.since.toISOString(), contingency: status.contingency },
		...{ historyFrom: from.toISOString(), stepSeconds: STEP_SECONDS, states: [...(overall?.states ?? [])] },
	};
}

function toHealth(endpoint: WebhookEndpoint, undelivered: readonly Undelivered[]) {
	const { id, url, description, status, probeId } = endpoint;
	const { dead, failed } = undelivered.find(({ webhookId }) => webhookId === id) ?? { dead: 0, failed: 0 };
	const failing = dead > 0 || failed > 0 || probeId !== null;
	return { ...{ webhookId: id, url, description, status, dead, failed }, failing };
}

const EXHAUSTED_SOON_DAYS = 14;
const EXPIRES_SOON_DAYS = 30;

/** One forecast a type. Sequences of a type are used one after another, so the last active one says how long the numbers last. */
function toForecasts(sequences: readonly SequenceRecord[], today: string): SequenceForecast[] {
	return [...Map.groupBy(sequences, ({ type }) => type)].map(([type, all]) => {
		const active = all.filter(({ status }) => status === "active");
		const last = active.at(-1);
		const isWithin = (day: string | null | undefined, days: number) => day != null && daysBetween(today, day) <= days;
		const { exhaustedOn = null } = last?.forecast ?? {};
		return {
			type,
			available: active.reduce((sum, one) => sum + one.available, 0),
			perDay: all[0]?.forecast.perDay ?? 0,
			...{ exhaustedOn, expiresAt: last?.expiresAt ?? null },
			ending:
				last === undefined || isWithin(exhaustedOn, EXHAUSTED_SOON_DAYS) || isWithin(last.expiresAt, EXPIRES_SOON_DAYS),
		};
	});
}
