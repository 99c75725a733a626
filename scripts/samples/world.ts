/**
 * A company with something of everything, for the reference's samples: for each operation that names an object, one that is there and in the
 * right state. What a sample ends or changes has an object of its own.
 */
import type { SampleValues } from "../../src/api/openapi";
import { SCOPES } from "../../src/platform/operation";
import { makePkcs12 } from "../../test/api/support/companies";
import { signedEcf } from "../../test/support/peer";
import { until } from "../../test/support/until";

export type World = {
	/** Values of the guides' variables. */
	readonly variables: Readonly<Record<string, string>>;
	/** By the operation's id; those without an entry run as the reference shows them. */
	readonly values: Readonly<Record<string, SampleValues>>;
};

export type WorldDeps = {
	readonly url: string;
	/** Where webhooks can be sent. */
	readonly receiverHost: string;
	readonly runAdmin: (args: readonly string[]) => Promise<unknown>;
};

/** Answers of the service, of which a few members are read. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = Record<string, any>;

const WAIT_MS = 60_000;
/** A receiver of the sandbox's directory, which acknowledges what it gets. */
const BUYER = { rnc: "990000174", name: "CONTRIBUYENTE SIMULADO SRL" };
const ON_PAPER = { rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" };

/** Throws: Error for a step that the service refuses. */
export async function seedWorld({ url, receiverHost, runAdmin }: WorldDeps): Promise<World> {
	const { key } = (await runAdmin([
		...["keys", "create", "--plan", "unlimited", "--label", "samples", "--scopes", SCOPES.join(",")],
	])) as { key: string };
	let headers: Record<string, string> = { "x-api-key": key };
	const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
		const isText = typeof body === "string";
		const answer = await fetch(`${url}${path}`, {
			method,
			headers: Object.entries({
				...{ ...headers, "idempotency-key": crypto.randomUUID() },
				...(body === undefined ? {} : { "content-type": isText ? "text/csv" : "application/json" }),
				...more,
			}).filter(([, value]) => value !== ""),
			...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${text}`);
		return (/json/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : { text }) as Answer;
	};
	/** For objects of the key's owner rather than of the company. */
	const asOwner = { authorization: "" };
	const post = (path: string, body: unknown = {}, more = {}) => send("POST", path, body, more);
	const get = (path: string, more = {}) => send("GET", path, undefined, more);
	const untilState = async (path: string, isReady: (answer: Answer) => boolean, more = {}) => {
		await until(async () => isReady(await get(path, more).catch(() => ({}))), WAIT_MS, 50);
		return get(path, more);
	};

	const { container, password } = await makeContainer();
	const company = await post("/v1/company", {
		rnc: "990000009",
		settings: { sequenceMode: "service" },
		webhooks: [{ url: `http://${receiverHost}/hook` }],
	});
	const { tenantId, credentials } = company;
	const { access_token } = await post("/v1/auth/token", {
		...{ grant_type: "client_credentials", client_id: credentials.clientId, client_secret: credentials.clientSecret },
	});
	headers = { ...headers, authorization: `Bearer ${access_token}` };

	const range = (type: string, from: number, to: number) => ({
		...{ type, from: `E${type}${String(from).padStart(10, "0")}`, to: `E${type}${String(to).padStart(10, "0")}` },
		expiresAt: "2030-12-31",
	});
	await Promise.all(["31", "32"].map((type) => post("/v1/sequences", range(type, 1, 10_000))));
	const unused = await post("/v1/sequences", range("41", 1, 100));
	const invoiceTo = (customer: object) => ({
		...{ type: "31", encf: "auto", company: { rnc: company.rnc, name: company.name }, customer },
		lines: [{ line_number: 1, description: "Cemento", quantity: "10", unit_price: "450.00", subtotal: "4500.00" }],
		totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
	});
	const issue = (customer: object) => post("/v1/invoices", invoiceTo(customer), { prefer: "wait=20" });
	const prepare = () => post("/v1/prepared-invoices", invoiceTo(ON_PAPER));
	const [prepared, unwanted] = [await prepare(), await prepare()];
	const [delivered, onPaper] = await Promise.all([issue(BUYER), issue(ON_PAPER)]);
	const importDocument = (encf: string) =>
		send("POST", "/v1/received-documents", signedEcf({ buyerRnc: company.rnc, encf }), {
			"content-type": "application/xml",
		});
	const [received, toDecide, approved] = await Promise.all([
		importDocument("E317000000001"),
		importDocument("E317000000002"),
		importDocument("E317000000003"),
	]);
	await until(
		async () => (await get(`/v1/received-documents/${approved.id}`)).authorityStatus !== "unknown",
		1_000,
	).catch(() => undefined);
	const approval = await post(`/v1/received-documents/${approved.id}/approval`, { decision: "approved" });
	await send("PUT", "/v1/purchase-orders/5521", { issuer_rnc: "101010101", amount: "1180.00" });

	const webhook = (path: string) =>
		post("/v1/webhooks", { url: `http://${receiverHost}${path}`, events: ["invoice.*"] });
	const [hook, toDelete, toPromote] = [await webhook("/a"), await webhook("/b"), await webhook("/c")];
	await post(`/v1/webhooks/${toPromote.id}/rotate-secret`, { overlapSeconds: 86_400 });
	await post("/v1/webhooks/test", { event: "invoice.rejected", webhookId: hook.id });
	const deliveries = await untilState("/v1/webhooks/deliveries", ({ items }) => items?.length > 0);

	const apiKey = (label: string) => post("/v1/api-keys", { label, scopes: ["registry:read"] });
	const [keptKey, deletedKey, rotatedKey] = [await apiKey("a"), await apiKey("b"), await apiKey("c")];
	const certificate = (activateAt?: string) =>
		send("PUT", `/v1/company/${tenantId}/certificate`, {
			...{ pkcs12: container, password },
			...(activateAt ? { activateAt } : {}),
		});
	const later = await certificate(new Date(Date.now() + 86_400_000).toISOString());
	const sets = await post("/v1/check-set-tests", { types: ["31"] });
	const lease = await post("/v1/sequences/leases", { type: "32", count: 10, ttl: 86_400 });
	const returned = await post("/v1/sequences/leases", { type: "32", count: 10, ttl: 86_400 });
	const voided = await post("/v1/sequences/void", { ...range("31", 9_001, 9_010), expiresAt: undefined, reason: "x" });
	const today = new Date(Date.now() - 4 * 3_600_000).toISOString().slice(0, 10);
	await untilState(`/v1/invoices/${delivered.docId}/evidence`, ({ text }) => text !== undefined);
	const ordered = await post("/v1/archive/exports", { from: today, to: today, format: "zip" });
	const exported = await untilState(`/v1/archive/exports/${ordered.exportId}`, ({ status }) => status === "ready");
	const file = new URL(exported.url);
	await untilState(`/v1/invoices/${delivered.docId}/delivery/arecf`, ({ text }) => text !== undefined);

	const portal = await send("PUT", "/v1/portal-settings", { origins: ["https://erp.example.do"] });
	const portalLink = await post("/v1/portal-links", { pages: ["invoices"], redeliver: false, expiresIn: 900 });

	const watch = (name: string) => post("/v1/watchlists", { name, fields: ["status"] }, asOwner);
	const [watchlist, endedList] = [await watch("Proveedores"), await watch("Clientes")];
	const check = () => post("/v1/authority/checks", "RNC\n131880681\n");
	const [checked, endedCheck] = [await check(), await check()];
	await untilState(`/v1/authority/checks/${checked.check_id}`, ({ status }) => status === "done");
	const [link, endedLink] = [await post("/v1/authority/reconcile-links"), await post("/v1/authority/reconcile-links")];
	const consultation = await post("/v1/authority/document/131880681:attest", { requester: { rnc: company.rnc } });
	const erase = (document: string) =>
		post(`/v1/authority/document/${document}:purge`, {
			...{ legal_basis: "arco-cancellation", request_reference: "ARCO-2026-00016", requested_by: "dpo@example.do" },
			reason: "Data subject request, Law 172-13",
		});
	const purge = await erase("990000011");
	const { items: archives } = await get("/sdk", { accept: "application/json" });
	const archive = archives.find(({ library }: Answer) => library !== "php");
	const { size } = await get("/v1/archive/checkpoints/latest");
	const ownerHook = (path: string) =>
		post(
			"/v1/authority/webhooks",
			{ url: `http://${receiverHost}${path}`, events: ["registry.record_changed"] },
			asOwner,
		);
	const [owned, endedHook, promotedHook] = [await ownerHook("/e"), await ownerHook("/f"), await ownerHook("/g")];
	await post(`/v1/authority/webhooks/${promotedHook.id}/rotate-secret`, { overlapSeconds: 86_400 }, asOwner);

	const byDoc = { path: { docId: delivered.docId } };
	const byId = (id: string) => {
		if (typeof id !== "string") throw new Error("an id of the world is missing");
		return { path: { id } };
	};
	const capability = { path: { capability: link.url.replace(/^.*\//, "") } };
	const bySet = { path: { id: sets.id, idCompany: tenantId } };
	return {
		variables: {
			...{ base_url: url, api_key: key, company_rnc: company.rnc },
			...{ client_id: credentials.clientId, client_secret: credentials.clientSecret },
		},
		values: {
			...{ getApiKey: byId(keptKey.id), patchApiKey: byId(keptKey.id), deleteApiKey: byId(deletedKey.id) },
			rotateApiKey: byId(rotatedKey.id),
			createCompany: { body: { rnc: "990000008", tradeName: "EL PROGRESO", webhooks: [`http://${receiverHost}/i`] } },
			...{ getCompany: byId(tenantId), patchCompany: byId(tenantId), renewCredentials: byId(tenantId) },
			...{ listCertificates: byId(tenantId), listCompanyAccesses: byId(tenantId) },
			getPortal: { path: { portalId: portal.portalId } },
			createPortalSession: { body: { portalId: portal.portalId, token: new URL(portalLink.url).hash.slice(1) } },
			putCertificate: { path: { id: tenantId }, body: { pkcs12: container, password } },
			activateCertificate: { path: { id: tenantId, cid: company.certificate?.id ?? later.id } },
			removeCertificate: { path: { id: tenantId, cid: later.id } },
			...{ getInvoice: byDoc, getInvoiceStatus: byDoc, listInvoiceEvents: byDoc, getInvoiceXml: byDoc },
			...{ getInvoicePdf: byDoc, getInvoiceDelivery: byDoc, getInvoiceAcknowledgement: byDoc },
			...{
				getInvoiceProof: byDoc,
				getInvoiceDraft: byDoc,
				getInvoiceEvidence: byDoc,
				listEmails: byDoc,
				emailInvoice: byDoc,
			},
			getInvoiceByCompany: { path: { id: delivered.docId, idCompany: tenantId } },
			getInvoiceStatuses: { body: { docIds: [delivered.docId, onPaper.docId] } },
			getFiscalInvoice: byId(delivered.docId),
			retryInvoiceDelivery: { path: { docId: onPaper.docId } },
			...{ getPreparedInvoice: byId(prepared.id), rejectPreparedInvoice: byId(unwanted.id) },
			approvePreparedInvoice: { ...byId(prepared.id), body: { sha256: prepared.sha256 } },
			...{ getReceivedDocument: byId(received.id), getReceivedDocumentXml: byId(received.id) },
			...{ getReceivedDocumentPdf: byId(received.id), decideApproval: byId(toDecide.id) },
			importReceivedDocument: { body: signedEcf({ buyerRnc: company.rnc, encf: "E317000000004" }) },
			...{ getApproval: byId(approval.approvalId), getApprovalXml: byId(approval.approvalId) },
			getArchiveConsistencyProof: { query: { from: String(size), to: String(size) } },
			createArchiveExport: { body: { from: today, to: today, format: "zip" } },
			getArchiveExport: { path: { exportId: exported.exportId } },
			downloadArchiveExport: {
				...{ path: { exportId: exported.exportId }, query: Object.fromEntries(file.searchParams) },
			},
			createSequence: { body: range("33", 1, 100) },
			withdrawSequence: byId(unused.id),
			...{ getLease: byId(lease.id), returnLease: byId(returned.id), getVoid: byId(voided.id) },
			getDownload: { path: { file: archive.name } },
			...{
				getWebhook: byId(hook.id),
				getWebhookStats: byId(hook.id),
				patchWebhook: byId(hook.id),
				rotateWebhookSecret: byId(hook.id),
			},
			...{ promoteWebhookSecret: byId(toPromote.id), deleteWebhook: byId(toDelete.id) },
			recoverWebhook: byId(hook.id),
			...{ getDelivery: byId(deliveries.items[0].deliveryId), redeliver: byId(deliveries.items[0].deliveryId) },
			testWebhook: { body: { event: "invoice.rejected", webhookId: hook.id } },
			createWebhook: { body: { url: `http://${receiverHost}/d`, events: ["invoice.*"] } },
			...{
				registryGetWebhook: byId(owned.id),
				registryGetWebhookStats: byId(owned.id),
				registryPatchWebhook: byId(owned.id),
			},
			...{ registryRotateWebhookSecret: byId(owned.id), registryRecoverWebhook: byId(owned.id) },
			...{ registryPromoteWebhookSecret: byId(promotedHook.id), registryDeleteWebhook: byId(endedHook.id) },
			registryCreateWebhook: { body: { url: `http://${receiverHost}/h`, events: ["registry.record_changed"] } },
			registryTestWebhook: { body: { event: "registry.record_changed", webhookId: owned.id } },
			...{ retryInvoice: byDoc, retryApproval: byId(approval.approvalId) },
			...{ getCheckSetTests: bySet, cancelCheckSetTests: bySet, retryCheckSetTests: bySet },
			getCheckSetTestsEvidence: bySet,
			purgeDocument: { path: { document: "990000012" } },
			...{ getPurge: byId(purge.purge_id), deletePurge: byId(purge.purge_id) },
			verifyAttestation: {
				body: {
					...{ consultation_number: consultation.consultation_number, document: "131880681" },
					requester: company.rnc,
				},
			},
			...{ getRegistryCheck: { path: { checkId: checked.check_id } } },
			downloadRegistryCheck: { path: { checkId: checked.check_id } },
			deleteRegistryCheck: { path: { checkId: endedCheck.check_id } },
			revokeReconcileLink: byId(endedLink.id),
			...{ getReconcileService: capability, postReconcileQueries: capability, suggestReconcileEntities: capability },
			...{ suggestReconcileProperties: capability, listReconcileProperties: capability },
			previewReconcileEntity: { ...capability, query: { id: "131880681" } },
			...{ getWatchlist: byId(watchlist.id), patchWatchlist: byId(watchlist.id) },
			...{ listWatchlistDocuments: byId(watchlist.id), putWatchlistDocuments: byId(watchlist.id) },
			...{ addWatchlistDocuments: byId(watchlist.id), removeWatchlistDocuments: byId(watchlist.id) },
			...{ listWatchlistChanges: byId(watchlist.id), deleteWatchlist: byId(endedList.id) },
		},
	};
}

async function makeContainer() {
	const password = "secreta";
	const { pkcs12 } = await makePkcs12(password);
	return { password, container: pkcs12 };
}
