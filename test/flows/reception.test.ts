/** A document arrives as the authority's test issuer sends it, and the tenant sees it. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callerOf } from "../simulator/support/authority";
import { findJudge } from "../support/judges";
import { createTenant, get, sharedService } from "../support/service";
import { until } from "../support/until";

const TIMEOUT_MS = 120_000;
/** What the service has answered to the first document that came. */
let acknowledgement: Uint8Array | undefined;

test(
	"a document from the authority's program is acknowledged, shown and archived",
	async () => {
		const service = await sharedService();
		const tenant = await createTenant(service, {
			webhook: false,
		});
		const authority = callerOf(service.simulatorUrl);
		const push = async (tipoEncf: string) =>
			authority.call("/testecf/emisorreceptor/api/emision/emisioncomprobantes", {
				method: "POST",
				body: JSON.stringify({ rnc: tenant.rnc, tipoEncf, urlRecepcion: service.url, urlAutenticacion: service.url }),
				headers: await authority.bearer(),
			});
		const pushed: string[] = [];
		for (const type of ["31", "33", "34", "44"]) {
			let text = "";
			// A receiver that has no time for the moment says so, and the authority's program does not try again by itself.
			await until(async () => {
				const answer = await push(type);
				text = await answer.text();
				return answer.status === 200;
			}, TIMEOUT_MS);
			pushed.push(text);
		}
		// A type that is never exchanged is acknowledged as not received.
		expect((await push("32")).status).toBe(200);
		const encfOf = (xml: string) => /<eNCF>(.*?)</.exec(xml)?.[1] ?? "";
		for (const xml of pushed) {
			const received = await authority.get(
				`/testecf/emisorreceptor/api/emision/consultaacuserecibo?Rnc=${tenant.rnc}&Encf=${encfOf(xml)}`,
			);
			expect(await received.json()).toMatchObject({ estado: "Recibido" });
		}

		type Item = { id: string; encf: string; authorityStatus: string; sha256: string };
		const list = async () =>
			(await (await get(service, "/v1/received-documents", tenant.headers)).json()) as { items: Item[] };
		let items: Item[] = [];
		await until(async () => {
			({ items } = await list());
			return items.length === 4 && items.every(({ authorityStatus }) => authorityStatus === "accepted");
		}, TIMEOUT_MS);
		expect(items.map(({ encf }) => encf)).toEqual(pushed.map(encfOf).toReversed());
		const [first] = items.toReversed();
		const xml = pushed[0] ?? "";
		expect(first).toMatchObject({
			tenantId: tenant.tenantId,
			issuer: { rnc: "990000174", name: "CONTRIBUYENTE SIMULADO SRL" },
			type: "31",
			totals: { subtotal: "1000.00", tax: "180.00", grand_total: "1180.00" },
			signature: { valid: true, signer: "IDCDO-00100000009" },
			acknowledgement: "received",
			approval: null,
			sha256: createHash("sha256").update(xml).digest("hex"),
		});
		const path = `/v1/received-documents/${first?.id}`;
		expect(await (await get(service, `${path}/xml`, tenant.headers)).text()).toBe(xml);

		const feed = await (await get(service, "/v1/events?types=document.received", tenant.headers)).json();
		expect(feed).toMatchObject({
			count: 4,
			events: [{ event: "document.received", docId: first?.id, encf: encfOf(xml) }, {}, {}, {}],
		});

		await until(async () => {
			const archived = await get(service, "/v1/archive?status=received", tenant.headers);
			const { items: objects } = (await archived.json()) as { items: { docId: string; _links: object }[] };
			if (objects.length < 4) return false;
			for (const { docId, _links } of objects)
				expect(_links).toEqual({ receivedDocument: `/v1/received-documents/${docId}` });
			return true;
		}, TIMEOUT_MS);

		const [row] = await service.sql<
			{ arecf: Uint8Array }[]
		>`select arecf from received_papers where id = ${first?.id ?? ""}`;
		acknowledgement = row?.arecf;
	},
	TIMEOUT_MS,
);

const validate = findJudge("validate-ecf");
const verify = findJudge("verify-signature");
test.skipIf(!validate || !verify)(
	"the acknowledgement fits the authority's schema, and xmlsec1 accepts it",
	async () => {
		const folder = mkdtempSync(join(tmpdir(), "sello-arecf-"));
		const file = join(folder, "acuse.xml");
		writeFileSync(file, acknowledgement ?? "");
		try {
			expect([await validate?.(file), await verify?.(file)]).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
		} finally {
			rmSync(folder, { recursive: true });
		}
	},
);
