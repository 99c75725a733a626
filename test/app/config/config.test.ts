import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { ConfigError, readConfig } from "../../../src/app/config/read-config";

const folder = mkdtempSync(join(tmpdir(), "sello-config-"));
const KEK_FILE = join(folder, "kek");
writeFileSync(KEK_FILE, randomBytes(32).toString("base64"));
const TRUSTED_CA_FILE = join(import.meta.dir, "../../ecf/verification/corpus/trusted.pem");
afterAll(() => rmSync(folder, { recursive: true }));

const PASSWORD = "hunter2-of-the-database";
const CORES = 3;
const read = (env: Record<string, string | undefined> = {}) => readConfig(env, CORES);

async function faultsOf(env: Record<string, string | undefined>): Promise<readonly string[]> {
	try {
		await read(env);
	} catch (error) {
		if (error instanceof ConfigError) return error.errors;
		throw error;
	}
	return [];
}

const PRODUCTION = {
	ENVIRONMENT: "production",
	KEK_FILE,
	TRUSTED_CA_FILE,
	AUTHORITY_URL: "https://authority.example",
};

describe("the defaults", () => {
	test("are a sandbox that needs nothing but a folder", async () => {
		const { dataDir, registrySource, archiveUrl, exportsDir, webhookAllow, ...rest } = await read();
		expect(rest).toEqual<unknown>({
			port: 3_000,
			host: "127.0.0.1",
			metricsPort: undefined,
			baseUrl: undefined,
			isConsoleOn: true,
			consoleUrl: undefined,
			sso: undefined,
			operatorNetworks: ["127.0.0.0/8", "::1"],
			environment: "sandbox",
			databaseUrl: undefined,
			databaseMigrationUrl: undefined,
			isDatabasePooled: false,
			databaseEngine: "auto",
			lanes: "auto",
			databaseDirectUrl: undefined,
			databaseReadUrl: undefined,
			databaseRights: "lenient",
			durability: "single",
			durabilityOnLoss: "alarm",
			authorityUrls: undefined,
			authorityStatusKey: undefined,
			authorityProbeSeconds: 2,
			registrySchedule: "0 4 * * *",
			registryPage: "companies",
			docsLanguage: "es",
			corsOrigins: ["*"],
			archiveSweep: false,
			kekFile: undefined,
			trustedCaFile: undefined,
			trustedProxies: [],
			role: "all",
			processes: 1,
			portSharing: "alone",
			isReplacing: false,
			signThreads: CORES,
			signEngine: "auto",
			trialDefaults: [],
			registryGraceSeconds: 900,
			isBehindCdn: false,
			mcp: { issuesAtOnce: false },
			signQueueMax: 2_000,
			signTimeoutSeconds: 15,
			submitThreads: 1,
			webhookResolver: undefined,
			webhookTimeScale: 1,
			webhookRetriesMax: 5,
			smtpUrl: undefined,
			mailFrom: undefined,
			mailHookSecret: undefined,
			receiverAuthentication: "required",
			internalSlaSeconds: 60,
			leaseSeconds: 15,
			paperDays: 3,
			provider: {
				...{ rnc: "990000020", name: "PROVEEDOR DE PRUEBA SRL", certificationNumber: null, certifiedAt: null },
				...{ environments: [], egressIps: [], supportEmail: null, statusPage: null, commit: null },
			},
			logLevel: "info",
			logFormat: process.stdout.isTTY ? "text" : "json",
			tracing: undefined,
		});
		expect(dataDir).toBe(resolve("./.data"));
		expect(archiveUrl).toBe(join(dataDir, "archive"));
		expect(exportsDir).toBe(join(dataDir, "exports"));
		expect(isAbsolute(registrySource) && registrySource.endsWith("data/registry/sample.zip")).toBe(true);
		expect([...webhookAllow]).toEqual([]);
	});

	test("apply to empty variables", async () => {
		const names = [
			"PORT",
			"ENVIRONMENT",
			"METRICS_PORT",
			"DATABASE_URL",
			"DATABASE_MIGRATION_URL",
			"DATABASE_RIGHTS",
			"DURABILITY",
			"DURABILITY_ON_LOSS",
			"WEBHOOK_ALLOW",
			"WEBHOOK_RESOLVER",
			"KEK_FILE",
			"TRUSTED_CA_FILE",
			"TRUSTED_PROXIES",
			"LOG_LEVEL",
			"DATA_DIR",
		];
		expect(await read(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(await read());
	});

	test("allow hours for the internal deadline outside the sandboxes", async () => {
		expect((await read({ ENVIRONMENT: "public-sandbox" })).internalSlaSeconds).toBe(60);
		expect(
			(await read({ ENVIRONMENT: "staging", AUTHORITY_URL: "https://authority.example" })).internalSlaSeconds,
		).toBe(14_400);
	});
});

test("every variable is read", async () => {
	const config = await read({
		PORT: "0",
		HOST: "0.0.0.0",
		METRICS_PORT: "9100",
		BASE_URL: "https://api.example//",
		CONSOLE: "off",
		CONSOLE_URL: "https://console.example/",
		OIDC_ISSUER: "https://id.example/realms/sello/",
		OIDC_CLIENT_ID: "sello",
		OIDC_CLIENT_SECRET_FILE: KEK_FILE,
		OIDC_REQUIRED: "on",
		OPERATOR_NETWORKS: "10.1.0.0/16",
		ENVIRONMENT: "staging",
		DATA_DIR: "/var/lib/sello",
		DATABASE_URL: `postgres://sello:${PASSWORD}@db.example/sello`,
		DATABASE_MIGRATION_URL: `postgres://owner:${PASSWORD}@db.example/sello`,
		DATABASE_ENGINE: "postgres",
		LANES: "shard",
		DATABASE_RIGHTS: "strict",
		DURABILITY: "replicated",
		DURABILITY_ON_LOSS: "refuse",
		AUTHORITY_URL: "https://authority.example/",
		AUTHORITY_FC_URL: "https://fc.authority.example",
		AUTHORITY_STATUS_URL: "https://status.authority.example",
		AUTHORITY_STATUS_KEY: "granted-on-request",
		AUTHORITY_PROBE_SECONDS: "30",
		REGISTRY_SOURCE: "https://registry.example/dump.zip",
		REGISTRY_SCHEDULE: "30 2 * * 1",
		REGISTRY_PAGE: "all",
		DOCS_LANGUAGE: "en",
		CORS_ORIGINS: "https://erp.example.do, http://localhost:5173",
		REGISTRY_GRACE_SECONDS: "60",
		MCP: "off",
		CDN: "on",
		ARCHIVE_URL: "file:///var/archive",
		ARCHIVE_SWEEP: "on",
		EXPORTS_DIR: "/srv/exports",
		KEK_FILE,
		TRUSTED_CA_FILE,
		TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7,2001:db8::/32",
		ROLE: "worker",
		PROCESSES: "4",
		SIGN_THREADS: "2",
		SIGN_ENGINE: "bun",
		SIGN_QUEUE_MAX: "50",
		SIGN_TIMEOUT_SECONDS: "3",
		SUBMIT_THREADS: "8",
		WEBHOOK_ALLOW: "localhost:9000, ERP.example:8443\n10.0.0.5:80",
		WEBHOOK_RESOLVER: "[::1]:5353",
		WEBHOOK_TIME_SCALE: "0.01",
		WEBHOOK_MAX_RETRIES: "4",
		MAIL_HOOK_SECRET: `${PASSWORD}-and-of-the-mail-hook`,
		RECEIVER_AUTHENTICATION: "optional",
		INTERNAL_SLA_SECONDS: "120",
		SHARD_LEASE_SECONDS: "5",
		PAPER_DAYS: "4",
		PROVIDER_RNC: "133999999",
		PROVIDER_NAME: "PROVEEDOR ECF SRL",
		COMMIT: "9f3c2d1",
		LOG_LEVEL: "debug",
		LOG_FORMAT: "text",
		OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/",
		OTEL_TRACES_SAMPLER_ARG: "0.25",
	});
	expect({ ...config, webhookAllow: [...config.webhookAllow] }).toEqual<unknown>({
		trialDefaults: expect.any(Array),
		port: 0,
		host: "0.0.0.0",
		metricsPort: 9_100,
		baseUrl: "https://api.example",
		isConsoleOn: false,
		consoleUrl: "https://console.example",
		sso: {
			...{ issuer: "https://id.example/realms/sello/", clientId: "sello", secretFile: KEK_FILE },
			...{ label: "id.example", isRequired: true },
		},
		operatorNetworks: ["10.1.0.0/16"],
		environment: "staging",
		dataDir: "/var/lib/sello",
		databaseUrl: `postgres://sello:${PASSWORD}@db.example/sello`,
		databaseMigrationUrl: `postgres://owner:${PASSWORD}@db.example/sello`,
		isDatabasePooled: false,
		databaseDirectUrl: undefined,
		databaseReadUrl: undefined,
		databaseEngine: "postgres",
		lanes: "shard",
		databaseRights: "strict",
		durability: "replicated",
		durabilityOnLoss: "refuse",
		authorityUrls: {
			main: "https://authority.example",
			fc: "https://fc.authority.example",
			status: "https://status.authority.example",
		},
		authorityStatusKey: "granted-on-request",
		authorityProbeSeconds: 30,
		registrySource: "https://registry.example/dump.zip",
		registrySchedule: "30 2 * * 1",
		registryPage: "all",
		docsLanguage: "en",
		corsOrigins: ["https://erp.example.do", "http://localhost:5173"],
		registryGraceSeconds: 60,
		isBehindCdn: true,
		mcp: undefined,
		archiveSweep: true,
		exportsDir: "/srv/exports",
		archiveUrl: "file:///var/archive?immutable=on",
		kekFile: KEK_FILE,
		trustedCaFile: TRUSTED_CA_FILE,
		trustedProxies: ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"],
		role: "worker",
		processes: 4,
		portSharing: "first",
		isReplacing: false,
		signThreads: 2,
		signEngine: "bun",
		signQueueMax: 50,
		signTimeoutSeconds: 3,
		submitThreads: 8,
		webhookAllow: ["localhost:9000", "erp.example:8443", "10.0.0.5:80"],
		webhookResolver: "[::1]:5353",
		webhookTimeScale: 0.01,
		webhookRetriesMax: 4,
		mailHookSecret: `${PASSWORD}-and-of-the-mail-hook`,
		receiverAuthentication: "optional",
		internalSlaSeconds: 120,
		leaseSeconds: 5,
		paperDays: 4,
		provider: {
			...{ rnc: "133999999", name: "PROVEEDOR ECF SRL", certificationNumber: null, certifiedAt: null },
			...{ environments: [], egressIps: [], supportEmail: null, statusPage: null, commit: "9f3c2d1" },
		},
		logLevel: "debug",
		logFormat: "text",
		tracing: { endpoint: "https://collector.example", share: 0.25 },
	});
});

test("the port is shared by several processes, and by a child process", async () => {
	expect((await read({ PROCESSES: "2" })).portSharing).toBe("first");
	expect((await read({ REUSE_PORT: "1" })).portSharing).toBe("beside");
	expect((await read({ PROCESSES: "1" })).portSharing).toBe("alone");
});

test("one address of the authority serves for all of its services", async () => {
	const { authorityUrls } = await read({ AUTHORITY_URL: "https://authority.example" });
	expect(authorityUrls).toEqual({
		main: "https://authority.example",
		fc: "https://authority.example",
		status: "https://authority.example",
	});
});

describe("invalid settings", () => {
	test("are reported by name", async () => {
		for (const [name, values] of Object.entries({
			PORT: ["-1", "65536", "3e3", "0x10", "3000.0", " 3000", "http", "9999999999"],
			METRICS_PORT: ["-1", "65536", "x"],
			ENVIRONMENT: ["prod", "Production", "live"],
			ROLE: ["ALL", "web"],
			PROCESSES: ["0", "257", "1.5"],
			SIGN_THREADS: ["0", "257"],
			SUBMIT_THREADS: ["0", "65"],
			TRUSTED_PROXIES: ["proxy", "10.0.0.0/33", "10.0.0.1:80", "10.0.0.0/8, ::/129", "::ffff:10.0.0.1"],
			WEBHOOK_RESOLVER: ["127.0.0.1", "dns.example:53", "127.0.0.1:0", "127.0.0.1:65536", "::1", "127.0.0.1.1:53"],
			WEBHOOK_TIME_SCALE: ["0", "0.00001", "101", "-1", "1e-2", ".5", "NaN"],
			WEBHOOK_MAX_RETRIES: ["-1", "6", "x"],
			INTERNAL_SLA_SECONDS: ["0", "604801"],
			SHARD_LEASE_SECONDS: ["0", "301"],
			PAPER_DAYS: ["1", "3651"],
			LOG_LEVEL: ["verbose", "INFO"],
			LOG_FORMAT: ["JSON", "pretty"],
			OTEL_EXPORTER_OTLP_ENDPOINT: ["collector", "grpc://collector:4317"],
			OTEL_TRACES_SAMPLER_ARG: ["2", "-1", "all"],
			BASE_URL: [
				...["api.example", "ftp://api.example", "//api.example"],
				...[`https://sello:${PASSWORD}@api.example`, "https://api.example/v1?tenant=1", "https://api.example/#docs"],
				...["https://api.example\r", "https://api.example/ ", "https:api.example", "https://@api.example"],
				...["https:///api.example", "https://api.example/\u0001"],
			],
			DATABASE_URL: ["mysql://db/x", "db", "http://db"],
			DATABASE_RIGHTS: ["none", "Strict"],
			DURABILITY: ["none", "Single", "replicated"],
			DURABILITY_ON_LOSS: ["stop", "refuse"],
			AUTHORITY_URL: [
				"authority.example",
				"file:///x",
				`https://sello:${PASSWORD}@authority.example`,
				"https://authority.example?key=1",
			],
			AUTHORITY_STATUS_KEY: ["two words", "línea", "a\nb"],
			AUTHORITY_PROBE_SECONDS: ["0", "3601", "x"],
			WEBHOOK_ALLOW: ["localhost", "http://localhost:80", "user@host:80", "host:port"],
			REGISTRY_SOURCE: [
				"http://registry.example/dump.zip",
				"https://sello:word@registry.example/dump.zip",
				"https://",
				"https:registry.example",
				"ftp://registry.example/dump.zip",
				folder,
				join(folder, "nothing"),
				" ",
			],
			REGISTRY_PAGE: ["on", "persons"],
			DOCS_LANGUAGE: ["fr", "ES"],
			CORS_ORIGINS: ["erp.example.do", "https://erp.example.do/", "https://a.example https://a.example/x"],
			REGISTRY_SCHEDULE: ["every day", "99 * * * *", "0 0 30 2 *"],
			REGISTRY_GRACE_SECONDS: ["-1", "3601", "x"],
			MCP: ["yes", "1"],
			MCP_ISSUE: ["on", "ask"],
			CDN: ["yes", "1"],
			ARCHIVE_URL: [
				"ftp://archive",
				"file://host/archive",
				"s3://",
				"s3://Bucket",
				"s3://bucket/../x",
				"s3://bucket/a b",
			],
			ARCHIVE_S3_ENDPOINT: ["https://s3.example"],
			ARCHIVE_IMMUTABLE: ["yes", "1"],
		})) {
			for (const value of values) {
				const faults = await faultsOf({ [name]: value });
				expect([name, value, faults.length]).toEqual([name, value, 1]);
				expect(faults[0]).toContain(name);
			}
		}
	});

	test("are reported together, one error a line", async () => {
		const faults = await faultsOf({
			PORT: "x",
			ROLE: "y",
			LOG_LEVEL: "z",
			DATABASE_URL: "db",
			ENVIRONMENT: "production",
		});
		for (const name of ["PORT", "ROLE", "LOG_LEVEL", "DATABASE_URL", "AUTHORITY_URL", "KEK_FILE", "TRUSTED_CA_FILE"]) {
			expect([name, faults.filter((fault) => fault.includes(name)).length]).toEqual([name, 1]);
		}
		expect(faults).toHaveLength(7);
		expect(new ConfigError(faults).message).toBe(
			`the configuration has 7 error(s):\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
		);
	});

	test("include an edge without store or key, or with a database", async () => {
		expect(await faultsOf({ ROLE: "edge", DATABASE_URL: "postgres://db.example/sello" })).toEqual([
			"ROLE=edge needs REGISTRY_STORE: the store of the full nodes",
			"ROLE=edge needs KEK_FILE: the key-encryption key of the full nodes",
			"ROLE=edge uses no database: remove DATABASE_URL or choose a role",
		]);
	});

	test("includes an owner's address without the service's", async () => {
		const faults = await faultsOf({ DATABASE_MIGRATION_URL: "postgres://owner@db.example/sello" });
		expect(faults).toEqual(["DATABASE_MIGRATION_URL needs DATABASE_URL, which is not set"]);
	});

	test("include a pooler without an address past it, and the reverse", async () => {
		const [url, direct] = ["postgres://sello@pooler.example/sello", "postgres://sello@db.example/sello"];
		expect(await faultsOf({ DATABASE_POOLED: "on" })).toEqual([
			"DATABASE_POOLED=on needs DATABASE_URL, the address of the pooler",
			"DATABASE_POOLED=on needs DATABASE_DIRECT_URL, the address of the same login past the pooler",
		]);
		expect(await faultsOf({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct })).toEqual([
			"DATABASE_DIRECT_URL is for DATABASE_POOLED=on, which is not set",
		]);
		expect(await faultsOf({ DATABASE_POOLED: "yes" })).toEqual(['expected DATABASE_POOLED to be on, off, got "yes"']);
		const config = await read({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct, DATABASE_POOLED: "on" });
		expect(config).toMatchObject({ databaseUrl: url, databaseDirectUrl: direct, isDatabasePooled: true });
	});

	test("include a Citus without its address, and one for the public sandbox", async () => {
		expect(await faultsOf({ DATABASE_ENGINE: "citus", ENVIRONMENT: "public-sandbox" })).toEqual([
			"DATABASE_ENGINE=citus needs DATABASE_URL, the address of the coordinator",
			"DATABASE_ENGINE=citus is not for ENVIRONMENT=public-sandbox: its wipes read all nodes in a trigger",
		]);
		expect(await faultsOf({ DATABASE_ENGINE: "oracle", LANES: "2" })).toEqual([
			'expected DATABASE_ENGINE to be auto, postgres, citus, got "oracle"',
			'expected LANES to be auto, thread, shard, got "2"',
		]);
	});

	test("never repeats a password", async () => {
		for (const name of [
			"DATABASE_URL",
			"DATABASE_DIRECT_URL",
			"DATABASE_MIGRATION_URL",
			"AUTHORITY_URL",
			"BASE_URL",
			"REGISTRY_SOURCE",
		]) {
			for (const scheme of ["mysql", "https"]) {
				const faults = await faultsOf({ [name]: `${scheme}://sello:${PASSWORD}@db.example/sello` });
				expect(faults.length).toBeGreaterThan(0);
				expect(faults.join()).not.toContain(PASSWORD);
			}
		}
	});
});

test("an identity provider needs https, a client and its secret", async () => {
	const client = { OIDC_CLIENT_ID: "sello", OIDC_CLIENT_SECRET_FILE: KEK_FILE };
	const issuer = { OIDC_ISSUER: "http://127.0.0.1:9000" };
	expect(await faultsOf({ ...issuer, ...client })).toEqual([]);
	const outside = { ENVIRONMENT: "public-sandbox", ...client };
	for (const OIDC_ISSUER of ["http://id.example", "https://u:p@id.example", "https://id.example/?a=b", "id.example"])
		expect((await faultsOf({ ...outside, OIDC_ISSUER }))[0]).toStartWith("expected OIDC_ISSUER to be an address");
	expect(await faultsOf(issuer)).toEqual(["OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET_FILE"]);
	expect(await faultsOf({ OIDC_REQUIRED: "on" })).toEqual(["the settings OIDC_… need OIDC_ISSUER, which is not set"]);
	const missing = { ...issuer, ...client, OIDC_CLIENT_SECRET_FILE: "missing" };
	expect((await faultsOf(missing))[0]).toStartWith("expected OIDC_CLIENT_SECRET_FILE to be a file");
});

test("a weak secret of the mail hook is refused without being repeated", async () => {
	for (const secret of [PASSWORD, `${PASSWORD} ${PASSWORD}`, "x".repeat(201)]) {
		const faults = await faultsOf({ MAIL_HOOK_SECRET: secret });
		expect(faults).toHaveLength(1);
		expect(faults[0]).toStartWith("expected MAIL_HOOK_SECRET to be 32 to 200 printable characters");
		expect(faults.join()).not.toContain(secret);
	}
});

describe("the archive's address", () => {
	test("contains all options of the archive", async () => {
		const s3 = { ARCHIVE_URL: "s3://bucket/sello/archive" };
		expect((await read(s3)).archiveUrl).toBe("s3://bucket/sello/archive");
		expect((await read({ ...s3, ARCHIVE_S3_ENDPOINT: "https://s3.example/" })).archiveUrl).toBe(
			"s3://bucket/sello/archive?endpoint=https%3A%2F%2Fs3.example",
		);
		expect((await read({ ...s3, ARCHIVE_URL: "s3://bucket" })).archiveUrl).toBe("s3://bucket");
	});

	test("makes files immutable outside the sandboxes, unless set otherwise", async () => {
		const files = { ARCHIVE_URL: "/var/sello archive" };
		expect((await read(files)).archiveUrl).toBe("/var/sello archive");
		expect((await read({ ...files, ARCHIVE_IMMUTABLE: "on" })).archiveUrl).toBe(
			"file:///var/sello%20archive?immutable=on",
		);
		expect((await read({ ...PRODUCTION, ...files })).archiveUrl).toBe("file:///var/sello%20archive?immutable=on");
		expect((await read({ ...PRODUCTION, ...files, ARCHIVE_IMMUTABLE: "off" })).archiveUrl).toBe("/var/sello archive");
	});

	test("is refused with all of its errors", async () => {
		const s3 = { ARCHIVE_URL: "s3://bucket" };
		for (const [variables, named] of [
			[{ ...s3, ENVIRONMENT: "public-sandbox" }, ["ARCHIVE_URL must be a folder in the public sandbox"]],
			[{ ...s3, ARCHIVE_S3_ENDPOINT: "s3.example" }, ["expected ARCHIVE_S3_ENDPOINT to be a URL"]],
			[{ ...s3, ARCHIVE_S3_ENDPOINT: `https://u:${PASSWORD}@s3.example` }, ["no credentials"]],
			[{ ...s3, ARCHIVE_IMMUTABLE: "on", AWS_ACCESS_KEY_ID: "AK" }, ["ARCHIVE_IMMUTABLE", "AWS_SECRET"]],
		] as const) {
			const faults = await faultsOf(variables);
			expect(faults).toHaveLength(named.length);
			for (const [i, name] of named.entries()) expect(faults[i]).toContain(name);
			expect(faults.join()).not.toContain(PASSWORD);
		}
	});
});

describe("production", () => {
	test("starts with a key file, a bundle of authorities and the authority's address", async () => {
		const strict = { environment: "production", kekFile: KEK_FILE, databaseRights: "strict" } as const;
		expect(await read(PRODUCTION)).toMatchObject(strict);
	});

	test("needs a standby for an external database, unless one server is accepted", async () => {
		const url = "postgres://db.example/sello";
		const modeIn = async (settings: Readonly<Record<string, string>>) => {
			const { durability, durabilityOnLoss } = await read({ ...PRODUCTION, ...settings });
			return [durability, durabilityOnLoss];
		};
		expect(await modeIn({ DATABASE_URL: url })).toEqual(["replicated", "alarm"]);
		expect(await modeIn({ DATABASE_URL: url, DURABILITY_ON_LOSS: "refuse" })).toEqual(["replicated", "refuse"]);
		expect(await modeIn({ DATABASE_URL: url, DURABILITY: "single" })).toEqual(["single", "alarm"]);
		expect(await modeIn({})).toEqual(["single", "alarm"]);
		const { durability } = await read({ DATABASE_URL: url });
		expect(durability).toBe("single");
	});

	test("accepts a missing key file of a caller that makes it, and no wrong one", async () => {
		const readWith = (KEK_FILE: string) => readConfig({ ...PRODUCTION, KEK_FILE }, 2, { makesKek: true });
		const missing = join(folder, "made-later");
		expect((await readWith(missing)).kekFile).toBe(missing);
		expect((await faultsOf({ ...PRODUCTION, KEK_FILE: missing })).length).toBe(1);
		const wrong = join(folder, "wrong-kek");
		writeFileSync(wrong, "short");
		await expect(readWith(wrong)).rejects.toThrow("KEK_FILE");
	});

	test("refuses what only a sandbox may have", async () => {
		for (const [change, named] of [
			[{ KEK_FILE: undefined }, "KEK_FILE"],
			[{ TRUSTED_CA_FILE: undefined }, "TRUSTED_CA_FILE"],
			[{ TRUSTED_CA_FILE: KEK_FILE }, "TRUSTED_CA_FILE"],
			[{ TRUSTED_CA_FILE: join(folder, "missing.pem") }, "TRUSTED_CA_FILE"],
			[{ AUTHORITY_URL: undefined }, "AUTHORITY_URL"],
			[{ WEBHOOK_ALLOW: "localhost:9000" }, "WEBHOOK_ALLOW"],
			[{ WEBHOOK_RESOLVER: "127.0.0.1:5353" }, "WEBHOOK_RESOLVER"],
			[{ WEBHOOK_TIME_SCALE: "0.01" }, "WEBHOOK_TIME_SCALE"],
			[{ MCP_ISSUE: "direct" }, "MCP_ISSUE"],
		] as const) {
			const faults = await faultsOf({ ...PRODUCTION, ...change });
			expect([named, faults.length]).toEqual([named, 1]);
			expect(faults[0]).toContain(named);
		}
	});

	test("is stricter than staging, which needs the authority's address only", async () => {
		expect(await faultsOf({ ENVIRONMENT: "staging", AUTHORITY_URL: "https://authority.example" })).toEqual([]);
		expect(await faultsOf({ ENVIRONMENT: "staging" })).toHaveLength(1);
	});
});
