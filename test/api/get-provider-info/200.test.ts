import { expect, test } from "bun:test";
import manifest from "../../../package.json";
import { readChangelog } from "../../../src/api/changelog";
import { get, sharedService } from "../../support/service";
import { tenantA } from "../support/tenants";

test("the provider is shown with its software and environment", async () => {
	const service = await sharedService();
	const answer = await get(service, "/v1/provider-info", (await tenantA()).headers);
	expect(answer.status).toBe(200);
	expect(await answer.json()).toEqual({
		...{ rnc: "990000020", name: "PROVEEDOR DE PRUEBA SRL", certificationNumber: null, certifiedAt: null },
		status: "not-certified",
		software: { name: "sello", version: manifest.version, commit: await headOf() },
		apiVersions: { invoicing: "0.1.0-dev", identity: readChangelog().find(({ area }) => area === "identity")?.version },
		supportedTypes: ["31", "32", "33", "34", "41", "44"],
		environments: [{ name: "sandbox", baseUrl: service.url }],
		serviceUrls: {
			reception: `${service.url}/fe/recepcion/api/ecf`,
			commercialApproval: `${service.url}/fe/aprobacioncomercial/api/ecf`,
			authentication: `${service.url}/fe/autenticacion/api`,
		},
		egressIps: [],
		support: { email: null, statusPage: null },
		archive: { retentionYears: 10, mode: "write-once" },
	});
});

/** What git says; null where the source stands without its history. */
async function headOf(): Promise<string | null> {
	const git = Bun.spawn(["git", "rev-parse", "HEAD"], { stdout: "pipe", stderr: "ignore", cwd: import.meta.dir });
	const head = (await new Response(git.stdout).text()).trim();
	return (await git.exited) === 0 ? head : null;
}
