import { afterAll, beforeAll, expect, test } from "bun:test";
import { newId, parseTaxpayerDocument, type TaxpayerDocument } from "../../src/platform/values";
import type { Registry } from "../../src/registry";
import { keyOf } from "../../src/registry/index/index";
import { describeSubject } from "../../src/registry/subject";
import { packWatched } from "../../src/registry/watchlists/numbers";
import { insertWatchlist, writeNumbers } from "../../src/registry/watchlists/store";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { directoryOf, entries, openOn, PEPPER, settableClock, temporaryFolder, toText } from "./build";

const folder = temporaryFolder();
const clock = settableClock();
const before = entries(400);
let database: TestDatabase;
let registry: Registry;

beforeAll(async () => {
	database = await openTestDatabase();
	registry = await openOn(database.sql, folder.write("registry.txt", toText(before)), { clock });
});
afterAll(async () => {
	await registry.close();
	await database.close();
	folder.remove();
});

test("a number's history and watchlists are shown until it is erased", async () => {
	const document = parseTaxpayerDocument("990000007") as TaxpayerDocument;
	clock.advanceSeconds(86_400);
	const after = before.map((one) => (one.rnc === document.digits ? { ...one, name: "OTRO NOMBRE SRL" } : one));
	folder.write("registry.txt", toText(after));
	expect((await registry.ingest()).result).toBe("ok");
	const ownerId = newId();
	await database.owner`insert into owners (id, label, created_at) values (${ownerId}, 'x', now())`;
	const id = newId();
	await database.sql.begin(async (tx) => {
		const list = {
			id,
			source: null,
			name: "Clientes",
			fields: ["status"] as const,
			emails: [],
			digest: null,
			locale: "es" as const,
		};
		await insertWatchlist(tx, { ownerId, tenantId: null }, list, { digest: "2026-11-26", night: "2026-11-26" });
		const watched = [6, 7, 9].map((last) => ({ key: keyOf(`99000000${last}`), reference: `C-${last}` }));
		await writeNumbers(tx, id, packWatched(watched));
	});
	const held = () =>
		describeSubject({ sql: database.sql, pepper: PEPPER, directory: directoryOf(database.sql) }, document);
	expect(await held()).toMatchObject({
		history: [{ until: "2026-11-21", run_id: registry.runId(), was: { name: "COMERCIAL NUMERO 7 SRL" } }],
		watchlists: [{ watchlist_id: id, owner_id: ownerId, company_id: null, name: "Clientes", reference: "C-7" }],
	});
	const request = { legal_basis: "data-error", request_reference: "1", requested_by: "x", reason: "y" } as const;
	await registry.purge(document, request);
	expect(await held()).toMatchObject({ history: [], watchlists: [], changes: [] });
});
