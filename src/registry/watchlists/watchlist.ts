/** A watchlist as callers see it, and whose it is. */
import { Type } from "@sinclair/typebox";
import { actorOf, recordAudit } from "../../identity/audit-log";
import { PLAN_LIMITS } from "../../identity/rate-limits";
import type { Sql, Tx } from "../../platform/database";
import { type Call, idFrom, NEEDS_KEY, pathParameter } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";
import { Timestamp } from "../entry";
import type { TakeView } from "../runs";
import { DIGESTS, findWatchlist, type Holder, LOCALES, type Locale, SOURCES, type WatchlistRow } from "./store";

export type WatchlistsDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly takeView: TakeView;
	/** Erased numbers are not kept on lists. */
	readonly isErased: (digits: string) => boolean;
	/** Seals the cursors of the change feed. */
	readonly cursorKey: Uint8Array;
	/** Wakes dispatchers to fill a list. */
	readonly wake: () => void;
	/** The language of a company's mails. */
	readonly languageOf: (tenantId: string) => Promise<Locale>;
};

const TAG = "Watchlists";

export const Watchlist = Type.Object(
	{
		id: Type.String(),
		name: Type.String(),
		fields: Type.Array(Type.String()),
		emails: Type.Array(Type.String(), { description: "Who gets the digests." }),
		emails_stopped: Type.Array(Type.String(), {
			description: "Those that stopped all digests by the link in a mail. They alone can resume them.",
		}),
		digest: Type.Union([...DIGESTS.map((one) => Type.Literal(one)), Type.Null()]),
		locale: Type.Union(LOCALES.map((one) => Type.Literal(one))),
		source: Type.Union([...SOURCES.map((one) => Type.Literal(one)), Type.Null()], {
			description: "Whose numbers fill the list each night; null if you send them.",
		}),
		source_filled_at: Type.Union([Timestamp("When the list was last filled."), Type.Null()]),
		source_omitted: Type.Integer({ description: "Numbers that the last filling left out, because of the plan." }),
		count: Type.Integer({ description: "Numbers on the list. Erased numbers are not kept." }),
		created_at: Timestamp("When it was created."),
		updated_at: Timestamp("When it, or its numbers, last changed."),
		_links: Type.Object({ self: Type.String(), documents: Type.String(), changes: Type.String() }),
	},
	{ $id: "Watchlist" },
);

const EXAMPLE_ID = "0192f2a0-7a00-7b11-9c22-334455667788";
const EXAMPLE_ROW: WatchlistRow = {
	...{ id: EXAMPLE_ID, name: "Proveedores", fields: ["status", "name"], count: 2 },
	...{ emails: ["ap@cliente.do"], stopped: [], digest: "daily", locale: "es" },
	...{ source: null, filledAt: null, omitted: 0 },
	...{ createdAt: new Date("2026-11-20T14:00:00.000Z"), updatedAt: new Date("2026-11-20T14:05:00.000Z") },
};
export const EXAMPLE = toRecord(EXAMPLE_ROW);
export const ID = pathParameter("id", "The watchlist's id.", EXAMPLE_ID);
export const SHOWN = { description: "The watchlist.", schema: Watchlist, example: EXAMPLE };
export const READING = { credentials: NEEDS_KEY, scope: "watchlists:read", tag: TAG } as const;
export const WRITING = { credentials: NEEDS_KEY, scope: "watchlists:write", tag: TAG } as const;

/** Undefined for the demo key without a company, which has no owner. */
export function holderOf({ principal }: Call): Holder | undefined {
	return principal?.ownerId ? { ownerId: principal.ownerId, tenantId: principal.tenantId ?? null } : undefined;
}

/** Throws: not-found. */
export function takeHolder(call: Call): Holder {
	const holder = holderOf(call);
	if (!holder) throw new Problem("not-found");
	return holder;
}

/** Throws: not-found. */
export async function take(sql: Sql | Tx, call: Call): Promise<WatchlistRow> {
	const found = await findWatchlist(sql, takeHolder(call), idFrom(call));
	if (!found) throw new Problem("not-found");
	return found;
}

export function toRecord(row: WatchlistRow) {
	const { id, name, fields, emails, stopped, digest, locale, source, filledAt, omitted, count, createdAt, updatedAt } =
		row;
	const self = `/v1/watchlists/${id}`;
	return {
		...{ id, name, fields: [...fields], emails: [...emails], emails_stopped: [...stopped], digest, locale },
		...{ source, source_filled_at: filledAt?.toISOString() ?? null, source_omitted: omitted, count },
		...{ created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() },
		_links: { self, documents: `${self}/documents`, changes: `${self}/changes` },
	};
}

export function limitsOf(call: Call) {
	return PLAN_LIMITS[call.principal?.plan ?? "demo"].registry;
}

export function beyondLimit(what: "watchlists" | "watchedNumbers", maximum: number): Problem {
	const counted = what === "watchlists" ? msg`watchlists` : msg`numbers on all watchlists together`;
	const detail = msg`The plan allows at most ${maximum} ${counted}.`;
	return new Problem("watchlist-limit", { detail, extensions: { maximum } });
}

export async function audit(tx: Tx, call: Call, clock: Clock, action: string, subject: string): Promise<void> {
	await recordAudit(tx, { actor: actorOf(call), at: clock.now(), action, subject, details: {} });
}
