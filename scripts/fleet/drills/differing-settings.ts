/** Nodes whose settings differ from those of the fleet are refused, and the refusal names the setting. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/platform/database";
import { ROOT, startService } from "../../../test/support/processes";
import type { Drill } from "../drill";
import { openFleet, type Settings } from "../fleet";

const CONNECTIONS = 200;

export const differingSettings: Drill = {
	name: "differing-settings",
	shows: "a node with another address, authority, source, archive, provider, key or environment is refused by name",
	packages: [],
	isInSmoke: true,
	async run({ folder, isSmoke, violations, atEnd }) {
		const files = join(folder, "database");
		mkdirSync(files);
		const server = await startEmbeddedPostgres(files, { connections: CONNECTIONS });
		atEnd(server.stop);
		const database = { databaseUrl: server.serviceUrl, ownerUrl: server.url };
		// Named, since a node may name the folder that another one has by default.
		const settings = { ARCHIVE_URL: join(folder, "archive") };
		const fleet = await openFleet(folder, { ...database, nodes: 1, tenants: 0, settings, violations });
		atEnd(fleet.stop);
		writeFileSync(join(folder, "other.kek"), Buffer.alloc(32, 7).toString("base64"));
		copyFileSync(join(ROOT, "data/registry/sample.zip"), join(folder, "other.zip"));
		const differing: Settings = {
			BASE_URL: "https://other.example",
			AUTHORITY_URL: "http://127.0.0.1:9",
			REGISTRY_SOURCE: join(folder, "other.zip"),
			ARCHIVE_URL: join(folder, "other"),
			PROVIDER_NAME: "OTRO PROVEEDOR SRL",
			KEK_FILE: join(folder, "other.kek"),
			ENVIRONMENT: "public-sandbox",
		};
		let refused = 0;
		for (const [name, value] of Object.entries(differing).slice(0, isSmoke ? 2 : undefined)) {
			const node = startService({ ...fleet.settings, PORT: "0", [name]: value }, join(folder, `${name}.log`));
			const outcome = await node.ready.then(
				() => "it started",
				(error: Error) => error.message,
			);
			node.kill("SIGTERM");
			await node.ended;
			// Every refusal repeats the path of the log, which has the name too.
			if (outcome.replaceAll(folder, "").replaceAll(`/${name}.log`, "").includes(name)) refused++;
			else violations.push(`a node with another ${name}: ${outcome}`);
		}
		return { "nodes refused by name": refused };
	},
};
