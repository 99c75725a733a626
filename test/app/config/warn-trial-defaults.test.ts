import { expect, test } from "bun:test";
import { listTrialDefaults, SAMPLE_REGISTRY } from "../../../src/app/config/config";

const left = { environment: "production", role: "all", registrySource: SAMPLE_REGISTRY } as const;
const found = (over: Partial<Parameters<typeof listTrialDefaults>[0]> = {}) =>
	listTrialDefaults({ ...left, baseUrl: undefined, mailFrom: undefined, ...over }).map((one) => one.split(" ")[0]);

test("warns of the sample registry and of local links outside the sandboxes", () => {
	expect(found()).toEqual(["REGISTRY_SOURCE", "BASE_URL"]);
	expect(found({ environment: "staging" })).toEqual(["REGISTRY_SOURCE", "BASE_URL"]);
});

test("a process warns of what it serves only", () => {
	expect(found({ role: "worker" })).toEqual(["BASE_URL"]);
	expect(found({ role: "registry" })).toEqual(["REGISTRY_SOURCE"]);
});

test("warns neither of settings that are set nor in a sandbox", () => {
	expect(found({ registrySource: "https://authority.example/taxpayers.zip", baseUrl: "https://api.example" })).toEqual(
		[],
	);
	expect(found({ environment: "sandbox" })).toEqual([]);
	expect(found({ environment: "public-sandbox" })).toEqual([]);
});

test("warns of the mail sender if it depends on the missing base URL", () => {
	const sentence = (mailFrom?: string) => listTrialDefaults({ ...left, baseUrl: undefined, mailFrom }).at(-1);
	expect(sentence()).toContain("cannot receive replies");
	expect(sentence("invoices@example.com")).not.toContain("mails");
});
