/**
 * Which buyers receive electronically, and where, from the authority's directory. Its answers are cached:
 *
 *                            listed    not listed
 *   valid without a query    24 h      1 h
 *   after a failed delivery  10 min    0           the buyer may have moved or joined
 *   directory unavailable    7 days    no          an absence is never assumed
 *
 * All processes share the table `receiver_directory`. Each process queries a taxpayer once at a time, as fast as the directory answers, and caches
 * answers for a minute, because most documents go to few buyers. An answer counts for one environment only.
 */
import { type Authority, type Caller, createServiceBreaker, type Listing, type Segment } from "../../authority/client";
import { createBatcher, createSingleFlight } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import { findListings, type KnownListing, saveListing } from "./store";

export type DirectoryQuestion<I> = {
	readonly segment: Segment;
	/** 9 or 11 digits. */
	readonly rnc: string;
	/** Whose certificate the query uses; called only if a query is needed. */
	readonly who: () => Promise<Caller<I>>;
	/** A delivery with the last answer failed. */
	readonly isAgain?: boolean;
};

/** Returns `unavailable` without any answer. Throws: what `who` throws. */
export type Directory<I> = { readonly findReceiver: (question: DirectoryQuestion<I>) => Promise<Listing> };

const HOUR_SECONDS = 3_600;
const LISTED = { unasked: 24 * HOUR_SECONDS, again: 600, withoutAnswer: 7 * 24 * HOUR_SECONDS };
const NOT_LISTED = { unasked: HOUR_SECONDS, again: 0, withoutAnswer: 0 };

const READS = { itemsMax: 200, runsMax: 2 };
const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 10_000;
/** Concurrent queries of one dispatcher. */
const QUESTIONS_MAX = 64;

export function openDirectory<I>({
	sql,
	authority,
}: {
	readonly sql: Sql;
	readonly authority: Pick<Authority<I>, "findReceiver">;
}): Directory<I> {
	const find = createBatcher((names: readonly Name[]) => findListings(sql, names), READS);
	const breaker = createServiceBreaker(QUESTIONS_MAX);
	const asking = createSingleFlight<Listing>();

	async function ask({ segment, rnc, who }: DirectoryQuestion<I>): Promise<Listing> {
		// First the certificate, so that a query without one takes no slot.
		const asker = await who();
		if (!breaker.enter(performance.now())) return BUSY;
		let isReached: boolean | undefined;
		try {
			const listing = await authority.findReceiver(asker, rnc);
			isReached = listing.kind !== "unavailable" || ANSWERS.includes(listing.reason);
			if (listing.kind !== "unavailable") await saveListing(sql, { segment, rnc }, { listing });
			return listing;
		} finally {
			breaker.leave(isReached, performance.now());
		}
	}

	const askOnce = (question: DirectoryQuestion<I>): Promise<Listing> =>
		asking.run(`${question.segment} ${question.rnc}`, () => ask(question));

	const remembered = new Map<string, { readonly listing: Listing; readonly untilMs: number }>();

	function remember(key: string, listing: Listing): Listing {
		if (remembered.size >= REMEMBERED_MAX) remembered.clear();
		remembered.set(key, { listing, untilMs: performance.now() + REMEMBERED_MS });
		return listing;
	}

	return {
		async findReceiver(question) {
			const { segment, rnc, isAgain = false } = question;
			const key = `${segment} ${rnc}`;
			if (isAgain) remembered.delete(key);
			const own = remembered.get(key);
			if (own && own.untilMs > performance.now()) return own.listing;
			const known = await find({ segment, rnc });
			if (known && known.ageSeconds < agesOf(known)[isAgain ? "again" : "unasked"]) return remember(key, known.listing);
			const asked = await askOnce(question);
			if (asked.kind !== "unavailable" || !known) return asked;
			return known.ageSeconds < agesOf(known).withoutAnswer ? known.listing : asked;
		},
	};
}

/** Failures in which the directory answered. They concern this call or this certificate. */
const ANSWERS: readonly string[] = ["authority-auth-failed", "authority-answer-mismatch"];

type Name = { readonly segment: Segment; readonly rnc: string };

const BUSY: Listing = {
	kind: "unavailable",
	reason: "send-withdrawn",
	detail: "the directory is not queried now: it does not answer, or too many queries run",
};

function agesOf({ listing }: KnownListing) {
	return listing.kind === "listed" ? LISTED : NOT_LISTED;
}
