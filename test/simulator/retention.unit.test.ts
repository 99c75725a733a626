import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { arrival } from "../../src/simulator/record-reception";
import { openStore } from "../../src/simulator/store";
import { startAuthority } from "./support/authority";
import { ecf } from "./support/documents";

const folder = mkdtempSync(join(tmpdir(), "simulator-retention-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("after a retention of a day, documents, approvals and voids go everywhere", async () => {
	const databasePath = join(folder, "public.sqlite");
	const store = openStore(databasePath);
	const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000;
	for (const environment of ["testecf", "certecf"]) {
		for (const hours of [25, 27]) {
			const of = { receivedAt: hoursAgo(hours), environment, rnc: "990000001", sha256: `${environment} ${hours}` };
			store.voids.insert({ ...of, ranges: [["E310000000001", "E310000000002"]], messages: [] });
			const word = { buyerRnc: "990000002", state: 1, reason: null };
			store.approvals.insert({ ...of, ...word, encf: `E31000000000${hours === 25 ? 3 : 4}` });
			const call = { environment, query: () => undefined, header: () => undefined, body: new Uint8Array() };
			const rest = { thumbprint: "", pretence: undefined, pretenceMs: 0 };
			store.receptions.insert(arrival({ ...call, ...rest }, "main", new Uint8Array(), new Date(of.receivedAt)));
		}
	}
	store.close();
	await (await startAuthority({ databasePath, keptMs: 26 * 3_600_000 })).stop();
	const after = openStore(databasePath);
	const { receptions, voids, approvals } = after;
	for (const kept of [receptions, voids, approvals]) {
		const left = kept.listAll().map(({ environment, receivedAt }) => [environment, receivedAt > hoursAgo(26)] as const);
		expect(left).toEqual([
			["testecf", true],
			["certecf", true],
		]);
	}
	after.close();
});

test("a released issuer has all its numbers again; others can query what it sent", async () => {
	const authority = await startAuthority({ databasePath: join(folder, "anew.sqlite") });
	const trackId = await authority.submit(ecf());
	const [before] = await authority.receptions();
	if (!before?.rnc || !before.encf) throw new Error("nothing was received");
	authority.releaseIssuer("990000999");
	expect(await authority.receptions()).toEqual([before]);
	authority.releaseIssuer(before.rnc);
	expect(await authority.receptions()).toEqual([{ ...before, holdsNumber: false, trackId: null }]);
	expect(await authority.result(trackId)).toMatchObject({ codigo: "0" });
	expect(await authority.result(await authority.submit(ecf({ price: "200.00" })))).toMatchObject({ codigo: "1" });
	await authority.stop();
});

test("the test environment forgets after 60 days, number and all; the others do not", async () => {
	const databasePath = join(folder, "authority.sqlite");
	const first = await startAuthority({ databasePath });
	await first.submit(ecf());
	await first.stop();
	const store = openStore(databasePath);
	const [known] = store.receptions.listAll();
	if (!known) throw new Error("nothing was received");
	const daysAgo = (days: number) => Date.now() - days * 86_400_000;
	const call = { environment: "", query: () => undefined, header: () => undefined, body: new Uint8Array() };
	const older = (environment: string, days: number) => {
		const at = new Date(daysAgo(days));
		const rest = { thumbprint: "", pretence: undefined, pretenceMs: 0 };
		store.receptions.insert(arrival({ ...call, ...rest, environment }, "main", new Uint8Array(), at));
	};
	for (const environment of ["testecf", "certecf", "ecf"]) {
		older(environment, 59);
		older(environment, 61);
	}
	store.close();
	const second = await startAuthority({ databasePath });
	const left = await second.receptions();
	await second.stop();
	expect(left.map(({ environment, id }) => `${environment} ${id}`)).toEqual([
		`testecf ${known.id}`,
		...[1, 3, 4, 5, 6].map((n) => `${["testecf", "certecf", "ecf"][Math.floor((n - 1) / 2)]} ${known.id + n}`),
	]);
});
