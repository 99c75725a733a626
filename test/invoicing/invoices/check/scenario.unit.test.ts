import { expect, test } from "bun:test";
import { checkBuyer, readScenario } from "../../../../src/invoicing/invoices/check/scenario";
import { Problem } from "../../../../src/platform/problem";
import { ENVIRONMENTS } from "../../../../src/platform/values";
import { scenarioOf } from "../../../../src/simulator/scenarios";

const local = "http://127.0.0.1:4000";
const urls = (main: string, fc = main) => ({ main, fc, status: main });
const asking = (scenario: string) => new Request(local, { headers: { "x-sandbox-scenario": scenario } });

function codeOf(work: () => unknown): string | undefined {
	try {
		work();
		return undefined;
	} catch (error) {
		if (error instanceof Problem) return error.faults?.[0]?.code;
		throw error;
	}
}

test("a scenario is for the sandboxes alone", () => {
	for (const environment of ENVIRONMENTS) {
		const place = { environment, authorityUrls: urls(local) };
		const isSandbox = environment === "sandbox" || environment === "public-sandbox";
		expect(codeOf(() => readScenario(asking("accept"), place))).toBe(isSandbox ? undefined : "sandbox-only");
		expect(readScenario(new Request(local), place)).toBeUndefined();
	}
});

test("a scenario is refused if the authority runs on another machine", () => {
	const far = "https://authority.example";
	for (const authorityUrls of [urls(far), urls(local, far), urls("http://127.0.0.1.authority.example")]) {
		expect(codeOf(() => readScenario(asking("accept"), { environment: "sandbox", authorityUrls }))).toBe(
			"sandbox-only",
		);
	}
});

test("a word and its JSON form ask for the same", () => {
	const place = { environment: "sandbox", authorityUrls: urls("http://[::1]:4000", "http://localhost:1") } as const;
	expect(readScenario(asking("silent"), place)).toEqual({ scenario: "silent" });
	expect(readScenario(asking('{"scenario":"silent"}'), place)).toEqual({ scenario: "silent" });
	const whole = { scenario: "reject", code: "614", after: "2s" };
	expect(readScenario(asking(JSON.stringify(whole)), place)).toEqual(whole as never);
});

test("a scenario's buyer is refused outside the sandboxes, in any spelling", () => {
	for (let n = 0; n <= 20; n++) {
		const rnc = String(n).padStart(9, "0");
		const isReserved = scenarioOf(undefined, { type: "31", buyerRnc: rnc }, 0) !== undefined;
		for (const environment of ["production", "staging"] as const) {
			const codes = checkBuyer(rnc, environment).map(({ pointer, code }) => `${pointer} ${code}`);
			expect(codes).toEqual(isReserved ? ["/customer/rnc sandbox-only"] : []);
		}
		expect(checkBuyer(rnc, "sandbox")).toEqual([]);
		expect(checkBuyer(rnc, "public-sandbox")).toEqual([]);
	}
	expect(checkBuyer("0-00-00000-2", "production")).toHaveLength(1);
	expect(checkBuyer(undefined, "production")).toEqual([]);
});
