import { expect, test } from "bun:test";
import { describeConfig } from "../../../src/app/config/config";
import { readConfig } from "../../../src/app/config/read-config";

const PASSWORD = "hunter2-of-the-database";
const describe = async (env: Record<string, string> = {}) => describeConfig(await readConfig(env, 2));

test("the description for the log holds no password and no key", async () => {
	const described = await describe({
		DATABASE_URL: `postgres://sello:${PASSWORD}@db.example/sello`,
		DATABASE_MIGRATION_URL: `postgres://owner:${PASSWORD}@db.example/sello`,
		AUTHORITY_URL: "https://authority.example",
		AUTHORITY_STATUS_KEY: PASSWORD,
		REGISTRY_SOURCE: "https://registry.example/all.zip",
		SMTP_URL: `smtps://sello:${PASSWORD}@mail.example`,
		MAIL_HOOK_SECRET: `${PASSWORD}-and-of-the-mail-hook`,
		WEBHOOK_ALLOW: "localhost:9000",
		OTEL_EXPORTER_OTLP_ENDPOINT: `https://sello:${PASSWORD}@collector.example`,
	});
	expect(JSON.stringify(described)).not.toContain(PASSWORD);
	expect(described).toMatchObject({
		databaseUrl: "[hidden]",
		databaseMigrationUrl: "[hidden]",
		authorityUrls: { main: "https://authority.example", fc: "https://authority.example" },
		authorityStatusKey: "[hidden]",
		registrySource: "https://registry.example/all.zip",
		smtpUrl: "smtps://[hidden]@mail.example",
		mailHookSecret: "[hidden]",
		webhookAllow: ["localhost:9000"],
		tracing: { endpoint: "https://[hidden]@collector.example", share: "1" },
	});
});

test("the description shows what replaces missing settings", async () => {
	expect(await describe()).toMatchObject({ databaseUrl: "embedded", authorityUrls: "simulator", smtpUrl: "files" });
});

test("the description has every setting", async () => {
	const config = await readConfig({}, 2);
	expect(Object.keys(describeConfig(config)).sort()).toEqual(Object.keys(config).sort());
});
