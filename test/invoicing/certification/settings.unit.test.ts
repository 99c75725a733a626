import { expect, test } from "bun:test";
import { readProvider } from "../../../src/invoicing/certification/settings";

const NO_PROVIDER = {
	...{ rnc: null, name: null, certificationNumber: null, certifiedAt: null, environments: [], egressIps: [] },
	...{ supportEmail: null, statusPage: null, commit: null },
};

function read(env: Record<string, string>, environment: "production" | "sandbox" = "production") {
	const faults: string[] = [];
	return { provider: readProvider(env, environment, (name) => faults.push(name)), faults };
}

test("an unconfigured provider is empty, and a sample company in the sandboxes", () => {
	expect(read({ PROVIDER_RNC: "" })).toEqual({ provider: NO_PROVIDER, faults: [] });
	expect(read({}, "sandbox").provider).toEqual({ ...NO_PROVIDER, rnc: "990000020", name: "PROVEEDOR DE PRUEBA SRL" });
});

test("what the operator says is read whole", () => {
	const env = {
		...{ PROVIDER_RNC: "1-33-99999-9", PROVIDER_NAME: "PROVEEDOR ECF SRL", PROVIDER_CERTIFICATION: "PSFE-0042" },
		...{ PROVIDER_CERTIFIED_AT: "2026-03-15", PROVIDER_EGRESS_IPS: "203.0.113.10/32, 2001:db8::1" },
		PROVIDER_ENVIRONMENTS: "production=https://api.example/ sandbox=https://sandbox.api.example",
		...{ PROVIDER_SUPPORT_EMAIL: "soporte@example.do", PROVIDER_STATUS_PAGE: "https://status.example" },
		COMMIT: "9f3c2d1",
	};
	expect(read(env)).toEqual({
		provider: {
			...{ rnc: "133999999", name: "PROVEEDOR ECF SRL", certificationNumber: "PSFE-0042", certifiedAt: "2026-03-15" },
			environments: [
				{ name: "production", baseUrl: "https://api.example" },
				{ name: "sandbox", baseUrl: "https://sandbox.api.example" },
			],
			egressIps: ["203.0.113.10/32", "2001:db8::1"],
			...{ supportEmail: "soporte@example.do", statusPage: "https://status.example", commit: "9f3c2d1" },
		},
		faults: [],
	});
});

test("every invalid variable is reported", () => {
	const env = {
		...{ PROVIDER_RNC: "12", PROVIDER_CERTIFIED_AT: "yesterday", PROVIDER_EGRESS_IPS: "here" },
		...{ PROVIDER_ENVIRONMENTS: "moon=https://m", PROVIDER_SUPPORT_EMAIL: "no-address", PROVIDER_STATUS_PAGE: "x" },
		COMMIT: "latest",
	};
	expect(read(env).faults.sort()).toEqual(Object.keys(env).sort());
});

test("unusable addresses and a blank name are reported", () => {
	for (const [name, values] of Object.entries({
		PROVIDER_EGRESS_IPS: ["203.0.113.10/33", "999.0.0.1", "::1::2", "203.0.113.10, 2001:db8::/129"],
		PROVIDER_ENVIRONMENTS: ["production=https://sello:word@api.example", "production=https://api.example?v=1"],
		PROVIDER_NAME: [" "],
	})) {
		for (const value of values) expect([value, read({ [name]: value }).faults]).toEqual([value, [name]]);
	}
});
