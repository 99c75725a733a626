/** Nodes without files and without the authority's file take the registry from a store on an S3 server, and swap together. */
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/platform/database";
import { findFreePort, runAdmin, startService } from "../../../test/support/processes";
import { startS3Server } from "../../../test/support/s3-server";
import { until } from "../../../test/support/until";
import { FIRST_DOCUMENT, lookUp, numberedText, waitFor } from "../../scenarios/environment";
import type { Drill } from "../drill";

const NODES = 4;
const RECORDS = 200_000;
const CONNECTIONS = 200;
const BUCKET = "registry";
const SWAPPED_WITHIN_MS = 30_000;
const APART_MAX_MS = 3_000;

export const registryFromStore: Drill = {
	name: "registry-from-store",
	shows: "an empty node is ready from the store with the source away; four nodes swap within 3 s of each other",
	packages: ["radosgw", "ceph-mon", "ceph-osd"],
	isInSmoke: false,
	async run({ folder, isSmoke, violations, atEnd }) {
		const store = await startS3Server();
		atEnd(store.close);
		await store.makeBucket(BUCKET, { hasLock: false });
		const files = join(folder, "database");
		mkdirSync(files);
		const server = await startEmbeddedPostgres(files, { connections: CONNECTIONS });
		atEnd(server.stop);
		const kek = join(folder, "kek");
		const records = isSmoke ? 20_000 : RECORDS;
		let file: Buffer<ArrayBuffer> | undefined = Buffer.from(numberedText(records, "V0"));
		const source = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: () => new Response(file, { status: file ? 200 : 503 }),
		});
		atEnd(() => source.stop(true));
		writeFileSync(kek, `${randomBytes(32).toString("base64")}\n`);
		const settings = {
			...{ ROLE: "registry", DATABASE_URL: server.serviceUrl, DATABASE_MIGRATION_URL: server.url, KEK_FILE: kek },
			...{
				REGISTRY_SOURCE: `${source.url}source.txt`,
				BASE_URL: `http://127.0.0.1:${await findFreePort()}`,
				LOG_LEVEL: "info",
			},
			REGISTRY_STORE: `s3://${BUCKET}/fleet?endpoint=${encodeURIComponent(store.endpoint)}`,
			...{ ...store.credentials, AWS_REGION: "us-east-1" },
		};
		const start = async (n: number) => {
			const from = performance.now();
			const port = String(await findFreePort());
			const own = { ...settings, PORT: port, DATA_DIR: join(folder, `data-${n}`) };
			const program = startService(own, join(folder, `node-${n}.log`));
			atEnd(async () => {
				program.kill("SIGTERM");
				await program.ended;
			});
			await program.ready;
			const url = `http://127.0.0.1:${port}`;
			await until(async () => (await fetch(`${url}/readyz`)).status === 200);
			return { url, readyMs: Math.round(performance.now() - from) };
		};
		const nodes = [await start(1)];
		const command = { ...settings, DATA_DIR: join(folder, "data-1") };
		const { key } = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "drill"], command)) as {
			key: string;
		};
		file = undefined;
		while (nodes.length < NODES) nodes.push(await start(nodes.length + 1));
		const document = String(FIRST_DOCUMENT + 7);
		for (const [i, { url }] of nodes.entries()) {
			const found = await lookUp(url, key, document);
			if (typeof found === "string") violations.push(`node ${i + 1} answers ${found}`);
		}

		file = Buffer.from(numberedText(records + 1, "V1"));
		const swaps = nodes.map(async ({ url }) => {
			const isSwapped = await waitFor(
				async () => {
					const found = await lookUp(url, key, document);
					if (typeof found === "string") violations.push(`a look-up during the swap answers ${found}`);
					return typeof found !== "string" && found.entry.trade_name === "V1";
				},
				SWAPPED_WITHIN_MS,
				20,
			);
			if (!isSwapped) violations.push(`${url} has not swapped`);
			return performance.now();
		});
		await runAdmin(["registry", "ingest"], command);
		const at = await Promise.all(swaps);
		const apartMs = Math.round(Math.max(...at) - Math.min(...at));
		if (apartMs > APART_MAX_MS) violations.push(`the nodes swapped ${apartMs} ms apart`);
		return {
			...{ records, "ready with the source, ms": nodes[0]?.readyMs ?? 0 },
			"slowest ready from the store, ms": Math.max(...nodes.slice(1).map(({ readyMs }) => readyMs)),
			"swapped apart ms": apartMs,
		};
	},
};
