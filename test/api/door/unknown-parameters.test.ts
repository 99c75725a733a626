/** Unknown query parameters are refused: they are usually misspelt. */
import { expect, test } from "bun:test";
import { newId } from "../../../src/platform/values";
import { get, sharedService } from "../../support/service";
import { declaredOperations } from "../support/declared-operations";
import { tenantA } from "../support/tenants";

test("every operation with credentials refuses unknown query parameters", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	for (const { id, method, path, credentials, body } of declaredOperations()) {
		if (credentials.key === "ignored" && credentials.bearer === "ignored") continue;
		// Another company's address is not found, whatever the query.
		const address = path
			.replace(/(?<=\/company\/)\{\w+\}|\{idCompany\}/, tenant.tenantId)
			.replace(/\{[^}]+\}/g, newId());
		const answer = await fetch(`${service.url}${address}?misspelt=1`, {
			method,
			headers: { ...tenant.headers, "idempotency-key": newId(), "content-type": "application/json" },
			...(body ? { body: "{}" } : {}),
		});
		const text = await answer.text();
		// A caller without the scope learns nothing about the query.
		if (answer.status === 403) continue;
		expect([id, answer.status, text.includes("#/query/misspelt")]).toEqual([id, 400, true]);
	}
});

test("public pages accept unknown parameters", async () => {
	const service = await sharedService();
	for (const path of ["/docs", "/livez", "/openapi.json", "/changelog", "/v1/authority/codes"])
		expect([path, (await get(service, `${path}?utm_source=mail`)).status]).toEqual([path, 200]);
});
