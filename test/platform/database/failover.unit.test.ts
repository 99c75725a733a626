/** An address of several servers: a primary that is lost, and its standby that takes over. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, isConnectionFailure } from "../../../src/platform/database";
import { withRole } from "../../../src/platform/database/rights";
import { isDatabaseAddress } from "../../../src/platform/database/settings";
import { type Pair, startPair } from "../../support/standby";
import { until } from "../../support/until";

let pair: Pair;
beforeAll(async () => {
	pair = await startPair();
}, 60_000);
afterAll(() => pair.stop(), 60_000);

/** The standby first, so that it is tried and left. */
const addressOf = ({ primary, standby }: Pair) =>
	`postgres://postgres@${[standby, primary].map(({ url }) => new URL(url).host).join(",")}/postgres`;

test("of several servers the primary is used; between two of them statements fail", async () => {
	const sql = connect({ url: addressOf(pair), name: "test failover", connectionsMax: 3 });
	const findPort = async () => (await sql<{ port: number }[]>`select inet_server_port() as port`)[0]?.port;
	const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port);
	const ports = Array.from({ length: 3 }, () => portOf(pair.primary));
	expect(await Promise.all([findPort(), findPort(), findPort()])).toEqual(ports as never);
	await pair.primary.kill();
	// More than connections that the kill has ended: nothing waits for the next primary.
	for (let n = 0; n < 8; n++) expect(isConnectionFailure(await findPort().catch((error) => error))).toBe(true);
	await pair.standby.sql`select pg_promote()`;
	await until(async () => (await findPort().catch(() => undefined)) === portOf(pair.standby));
	await sql`create table after_failover ()`;
	await sql.end({ timeout: 1 });
}, 60_000);

test("an address of several servers keeps them when a role is added to it", () => {
	const url = "postgres://app:p%40ss@one:5433,two/sello?sslmode=require";
	expect(withRole(url, "service")).toBe(`${url}&options=-c%20role%3Dservice`);
	expect(isDatabaseAddress(url)).toBe(true);
	for (const wrong of ["postgres://app@one:x,two/sello", "postgres://app@one,,two/sello", "mysql://one/sello", "one"])
		expect(isDatabaseAddress(wrong)).toBe(false);
});
