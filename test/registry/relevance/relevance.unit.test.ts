/** The registry's promise to find what people mean, among few entries. `bun bench registry-relevance` measures it among 760,000. */
import { expect, test } from "bun:test";
import { connect } from "../../../src/platform/database";
import { createTombstones } from "../../../src/registry/erasure/tombstones";
import { searchSmart } from "../../../src/registry/match/search-smart";
import { viewOf } from "../../../src/registry/runs/current";
import { toSearchQuery } from "../../../src/registry/search/search-query";
import { buildVocabulary } from "../../../src/registry/search/vocabulary";
import { PEPPER, snapshotOf } from "../build";
import { runRow } from "../in-memory";
import { finish } from "../match/finish";
import { judge, judgedEntries, judgedQueries, makeDecoys } from "./cases";

const snapshot = snapshotOf([...judgedEntries, ...makeDecoys()]);
/** A database pool that must not be used. */
const noSql = connect({ url: "postgres://127.0.0.1:1/none", name: "none", connectionsMax: 1 });
const view = viewOf({ run: runRow(), snapshot, isVerified: true }, createTombstones(noSql, PEPPER));
const vocabulary = await buildVocabulary(view.words());
const queryOf = (q: string) => toSearchQuery({ q, field: "any", limit: "10" }, new Uint8Array(32));

test("a smart search finds the meant entries of 499 queries", () => {
	const { recall, reciprocalRank } = judge(judgedQueries, (q) =>
		finish(searchSmart(view, vocabulary, queryOf(q), q)).hits.map(({ entry }) => entry.rnc),
	);
	expect(judgedQueries).toHaveLength(499);
	expect(recall).toBeGreaterThanOrEqual(0.98);
	expect(reciprocalRank).toBeGreaterThanOrEqual(0.95);
});

test("an exact search of both names finds most of them", () => {
	const { recall } = judge(judgedQueries, (q) => view.search(queryOf(q)).entries.map(({ rnc }) => rnc));
	expect(recall).toBeGreaterThanOrEqual(0.83);
});
