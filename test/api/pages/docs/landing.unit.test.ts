import { expect, test } from "bun:test";
import { createGuides } from "../../../../src/api/pages/docs/guides";
import { landingOperation } from "../../../../src/api/pages/docs/landing";
import type { Operation } from "../../../../src/platform/operation";
import type { Environment } from "../../../../src/platform/values";
import { makeCall } from "../../../platform/operation/support/call";
import { declaredOperations } from "../../support/declared-operations";

const BASE_URL = "https://api.example";
const [sample] = declaredOperations();
if (!sample) throw new Error("there is no operation");

async function show(environment: Environment, paths: readonly string[], isRegistryAlone = false): Promise<string> {
	const operation = landingOperation({
		...{ baseUrl: BASE_URL, docsLanguage: "en", isRegistryAlone, codes: undefined, environment },
		guides: createGuides({ baseUrl: BASE_URL, environment, isRegistryAlone }),
		documentIn: () => Promise.reject(new Error("no page of this kind needs it")),
		operations: () => paths.map((path): Operation => ({ ...sample, path }) as Operation),
	});
	const call = makeCall({ headers: { accept: "text/html" } });
	return await (await operation.handle({ ...call, operation })).text();
}

const buttons = (html: string) => [...html.matchAll(/<a class="button[^"]*" href="([^"]+)"/g)].map(([, href]) => href);

test("the console is offered first, where the process has it", async () => {
	expect(buttons(await show("sandbox", ["/console"]))).toEqual([
		"/console",
		"/docs/en/first-invoice",
		"/docs/en/look-up",
	]);
	expect(buttons(await show("sandbox", []))).toEqual(["/docs/en/first-invoice", "/docs/en/look-up"]);
});

test("only the sandboxes show credentials, and a registry alone shows no company", async () => {
	expect(await show("sandbox", [])).toContain("<code>990000131</code>");
	for (const environment of ["sandbox", "public-sandbox"] as const)
		expect((await show(environment, ["/console"])).includes('href="/console/keys"')).toBe(environment === "sandbox");
	expect(await show("sandbox", [])).not.toContain("/console/keys");
	expect(await show("public-sandbox", [])).toContain("deleted after a day");
	const production = await show("production", []);
	expect(production).toContain("documents have fiscal effect");
	for (const secret of ["ak_demo", "990000131", "simulator"]) expect(production).not.toContain(secret);
	const registry = await show("sandbox", [], true);
	expect(registry).not.toContain("990000131");
	expect(buttons(registry)).toEqual(["/docs/en/look-up"]);
	expect(registry).not.toContain("/docs/en/first-invoice");
});
