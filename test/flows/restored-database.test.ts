/** A whole service whose embedded database is restored to a copy from before an erasure. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { startService } from "../../src/app/service";
import { connect } from "../../src/platform/database";
import { entries, toText } from "../registry/build";
import { openRegistryKeys } from "../support/registry-keys";
import { until } from "../support/until";

const erased = "990000007";

/** With its owner, because the server runs under another user. */
const copy = (from: string, to: string) => expect(Bun.spawnSync(["cp", "-a", from, to]).exitCode).toBe(0);

test("an erased entry stays erased after a database restore and a new ingest", async () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-test-restored-"));
	const dataDir = join(folder, "data");
	const source = join(folder, "source.txt");
	const write = (count: number) => writeFileSync(source, toText(entries(count)));
	const start = async () => {
		const settings = { PORT: "0", ROLE: "registry", DATA_DIR: dataDir, REGISTRY_SOURCE: source, LOG_LEVEL: "silent" };
		const service = await startService(await readConfig(settings, 2));
		const url = (await Bun.file(join(dataDir, "postgres.url")).text()).trim();
		const sql = connect({ url, name: "test", connectionsMax: 2 });
		const keys = await openRegistryKeys({ sql, kekFile: join(dataDir, "kek"), url: service.url });
		const officer = await keys.createOfficer();
		const ask = (path: string) => fetch(`${service.url}/v1/authority/${path}`, { headers: officer });
		const stop = async () => {
			await keys.close();
			await sql.end();
			await service.stop();
		};
		return { url: service.url, officer, ask, stop };
	};
	try {
		write(20);
		const first = await start();
		expect((await first.ask(`document/${erased}`)).status).toBe(200);
		await first.stop();
		copy(join(dataDir, "postgres"), join(folder, "copy"));

		const second = await start();
		const answer = await fetch(`${second.url}/v1/authority/document/${erased}:purge`, {
			method: "POST",
			headers: { ...second.officer, "content-type": "application/json" },
			body: JSON.stringify({
				...{ legal_basis: "arco-cancellation", request_reference: "ARCO-1" },
				...{ requested_by: "dpo@example.do", reason: "Data subject request" },
			}),
		});
		expect(answer.status).toBe(200);
		const { purge_id } = (await answer.json()) as { purge_id: string };
		expect((await second.ask(`document/${erased}`)).status).toBe(404);
		await second.stop();

		rmSync(join(dataDir, "postgres"), { recursive: true });
		copy(join(folder, "copy"), join(dataDir, "postgres"));
		write(21);
		const third = await start();
		await until(async () => (await third.ask("document/990000021")).status === 200);
		expect((await third.ask(`document/${erased}`)).status).toBe(404);
		const found = await third.ask(`document:search?q=${erased}&field=document`);
		expect(await found.json()).toMatchObject({ items: [], count: 0 });
		expect(await (await third.ask(`purges/${purge_id}`)).json()).toMatchObject({ status: "purged", tombstone: true });
		await third.stop();
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}, 240_000);
