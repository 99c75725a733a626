import { expect, test } from "bun:test";
import { listTrialDefaults } from "../../../src/app/config/config";
import { readConfig } from "../../../src/app/config/read-config";

const ALL = ["REGISTRY_SOURCE", "BASE_URL", "DATABASE_URL", "ARCHIVE_URL", "SMTP_URL"];
const found = (
	over: Partial<Parameters<typeof listTrialDefaults>[1]> = {},
	env: Readonly<Record<string, string>> = {},
) => listTrialDefaults(env, { environment: "production", role: "all", ...over }).map((one) => one.split(" ")[0]);

test("lists all defaults for a trial together outside the sandboxes only", () => {
	expect(found()).toEqual(ALL);
	expect(found({ environment: "staging" })).toEqual(ALL);
	expect(found({ environment: "sandbox" })).toEqual([]);
	expect(found({ environment: "public-sandbox" })).toEqual([]);
});

test("a role needs only the settings that it uses", () => {
	expect(found({ role: "worker" })).toEqual(["BASE_URL", "DATABASE_URL", "ARCHIVE_URL", "SMTP_URL"]);
	expect(found({ role: "api" })).toEqual(["REGISTRY_SOURCE", "BASE_URL", "DATABASE_URL", "ARCHIVE_URL"]);
	expect(found({ role: "registry" })).toEqual(["REGISTRY_SOURCE", "BASE_URL", "DATABASE_URL"]);
});

test("lists no setting that is set", () => {
	expect(found({}, Object.fromEntries(ALL.map((name) => [name, name])))).toEqual([]);
});

const STAGING = { ENVIRONMENT: "staging", AUTHORITY_URL: "https://authority.example" };
const errorsOf = (env: Readonly<Record<string, string>>): Promise<string[]> =>
	readConfig({ ...STAGING, ...env }, 1, { refuseTrialDefaults: true }).then(
		() => [],
		(error: { errors: string[] }) => error.errors,
	);

test("the start names every missing setting and the argument for rehearsals", async () => {
	const errors = await errorsOf({});
	expect(errors.map((one) => one.split(" ")[0])).toEqual(ALL);
	for (const error of errors) expect(error).toEndWith("start with --allow-trial-defaults");
});

test("the start takes no mail for an answer, but no address without https", async () => {
	const complete = {
		...{ REGISTRY_SOURCE: "https://authority.example/taxpayers.zip", DATABASE_URL: "postgres://db.example/sello" },
		...{ ARCHIVE_URL: "s3://bucket/prefix", SMTP_URL: "none" },
	};
	expect(await errorsOf({ ...complete, BASE_URL: "https://api.example" })).toEqual([]);
	expect(await errorsOf({ ...complete, BASE_URL: "http://api.example" })).toEqual([
		'expected BASE_URL to be an address with https:, got "http://api.example"',
	]);
});
