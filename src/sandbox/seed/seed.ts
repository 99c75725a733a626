/**
 * `POST /v1/sandbox/seed`: documents of the past days with mixed outcomes, so that lists, reports and the console have something to show.
 *
 *     compose ─▶ one batch an outcome, through the usual pipe ─▶ credit notes on some of them
 *
 * Ids follow from the idempotency key, so a repeat issues nothing twice: a document with a known own id is not issued again.
 */
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { configMissing, findCompany } from "../../companies";
import { type EcfInvoice, profileOf } from "../../ecf/mapping";
import { NICHES, sumUp, toLine } from "../../invoicing/certification";
import { type IssueDeps, issueBatch } from "../../invoicing/invoices";
import { retryOnFailure } from "../../platform/database";
import { idempotencyKeyParameter, readIdempotencyKey } from "../../platform/idempotency";
import {
	type Call,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	readJson,
	tenantOf,
} from "../../platform/operation";
import { type Environment, newId, parseTaxpayerDocument, toLocalIsoDate } from "../../platform/values";

export type SeedDeps = { readonly environment: Environment; readonly issuing: IssueDeps };

const DAYS = 30;
const DOCUMENTS_MAX = 500;

const SeedRequest = Type.Object(
	{
		documents: Type.Integer({ minimum: 1, maximum: DOCUMENTS_MAX, description: "How many." }),
	},
	{ $id: "SeedRequest", additionalProperties: false },
);

const SeedAnswer = Type.Object(
	{
		issued: Type.Integer({ description: "Documents that were issued now." }),
		from: Type.String({ format: "date", description: "First issue date." }),
		to: Type.String({ format: "date", description: "Last issue date." }),
	},
	{ $id: "SeedAnswer" },
);

export function seedOperations(deps: SeedDeps): Operation[] {
	if (deps.environment !== "sandbox") return [];
	return [
		{
			id: "seedSandbox",
			sdk: "sandbox.seed",
			method: "POST",
			path: "/v1/sandbox/seed",
			tag: "Sandbox",
			summary: "Issue made-up documents",
			description:
				`The environment \`sandbox\` only. Issues invoices and credit notes with issue dates of the last ${DAYS} days: most are accepted, some are ` +
				"rejected, conditional or slow. They count as one call. The company setting `sequenceMode` must be `service`.",
			credentials: NEEDS_BOTH,
			scope: "sandbox:write",
			parameters: [idempotencyKeyParameter("issues no document twice")],
			body: jsonBody(SeedRequest, { documents: 60 }),
			answers: {
				202: {
					description: "The documents are issued; their verdicts follow.",
					schema: SeedAnswer,
					example: { issued: 60, from: "2026-10-22", to: "2026-11-20" },
				},
			},
			problems: [
				...(["malformed-json", "validation-error", "tenant-config-missing", "clock-skew", "durability-lost"] as const),
				...(["sequence-reconciling", "authority-unavailable", "service-unavailable"] as const),
			],
			handle: (call) => seed(deps.issuing, call),
		},
	];
}

async function seed(deps: IssueDeps, call: Call): Promise<Response> {
	const { documents } = await readJson<Static<typeof SeedRequest>>(call);
	const tenantId = tenantOf(call);
	const company = await retryOnFailure(() => findCompany(deps.sql, tenantId));
	if (!company) throw configMissing(tenantId, ["company"]);
	if (company.settings.sequenceMode !== "service") throw configMissing(tenantId, ["sequenceMode"]);
	deps.admission.checkCapacity();
	const key = readIdempotencyKey(call.request, "optional") ?? newId();
	const id = createHash("sha256").update(`${tenantId} ${key}`).digest("hex").slice(0, 24);
	const today = toLocalIsoDate(deps.clock.now());
	const own = { rnc: company.rnc, name: company.name };
	const buyers = BUYERS.map((rnc) => ({ rnc, name: nameOf(deps, rnc) ?? "CLIENTE SRL" }));
	const composed = compose({ documents, id, today, company: own, buyers });
	let issued = 0;
	for (const [scenario, invoices] of Map.groupBy(composed, (one) => one.scenario)) {
		const results = await issue(
			deps,
			tenantId,
			scenario,
			invoices.map((one) => one.invoice),
		);
		issued += results.filter(({ isNew }) => isNew).length;
		if (scenario !== "accept") continue;
		const every = Math.floor(invoices.length / Math.max(1, notesOf(documents)));
		const notes = Array.from({ length: notesOf(documents) }, (_, n) =>
			toNote(invoices[n * every]?.invoice, results[n * every]?.encf),
		).filter((note) => note !== undefined);
		issued += (await issue(deps, tenantId, scenario, notes)).filter(({ isNew }) => isNew).length;
	}
	const from = new Date(Date.parse(today) - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
	return json(202, { issued, from, to: today }, PRIVATE_NO_STORE);
}

type Issued = { readonly encf: string | undefined; readonly isNew: boolean };

/** An outcome for each invoice, in their order. */
async function issue(
	deps: IssueDeps,
	tenantId: string,
	scenario: Composed["scenario"],
	invoices: readonly EcfInvoice[],
): Promise<readonly Issued[]> {
	if (invoices.length === 0) return [];
	const items = invoices.map((value, index) => ({ index, value, text: JSON.stringify(value) }));
	let issued: readonly Issued[] = [];
	await issueBatch(deps, {
		...{ tenantId, readItems: async () => items, key: undefined, handling: "lenient" },
		...{ scenario: { scenario }, charge: undefined },
		toAnswer: (outcomes) => {
			issued = outcomes.map((one) =>
				one.kind === "refused"
					? { encf: undefined, isNew: false }
					: { encf: JSON.parse(one.acknowledgement).encf, isNew: one.kind === "issued" },
			);
			return "";
		},
	});
	return issued;
}

function nameOf({ registry }: IssueDeps, rnc: string): string | undefined {
	const document = parseTaxpayerDocument(rnc);
	return document && registry.isLoaded() ? registry.lookup(document)?.name : undefined;
}

/** Companies of the sample registry. */
const BUYERS = ["990000002", "990000003", "990000004", "990000005", "990000006", "990000007"];
/** Five of ten, four and one. Special regimes are free of tax. */
const [CONSUMER, CREDIT, SPECIAL] = [
	{ type: "32", isExempt: false },
	{ type: "31", isExempt: false },
	{ type: "44", isExempt: true },
] as const;
const KINDS = [CONSUMER, CREDIT, CONSUMER, CREDIT, CONSUMER, CREDIT, CONSUMER, CREDIT, CONSUMER, SPECIAL] as const;
const ITEMS = [...NICHES.retail, ...NICHES.construction, ...NICHES.services];
/** Of a hundred documents; the others are accepted. None fails: it would be tried for an hour. */
const OUTCOMES = [
	{ scenario: "reject", share: 5 },
	{ scenario: "release", share: 1 },
	{ scenario: "conditional", share: 4 },
	{ scenario: "silent", share: 1 },
] as const;

type Party = { readonly rnc: string; readonly name: string };
type Composed = {
	readonly scenario: "accept" | (typeof OUTCOMES)[number]["scenario"];
	readonly invoice: EcfInvoice;
};
type Composition = {
	readonly documents: number;
	readonly id: string;
	readonly today: string;
	readonly company: Party;
	readonly buyers: readonly Party[];
};

/** The same for the same id and day. Notes are made later, and belong to the count. */
export function compose({ documents, id, today, company, buyers }: Composition): Composed[] {
	return Array.from({ length: documents - notesOf(documents) }, (_, n) => {
		const digest = createHash("sha256").update(`${id} ${n}`).digest();
		const pick = (place: number, count: number) => digest.readUInt16BE(place * 2) % count;
		const { type, isExempt } = KINDS[pick(0, KINDS.length)] ?? KINDS[0];
		const lines = Array.from({ length: 1 + pick(1, 3) }, (_, at) => {
			const item = ITEMS[pick(2 + at, ITEMS.length)] ?? NICHES.retail[0];
			return toLine(isExempt ? { ...item, taxRate: "exempt" } : item, String(1 + pick(6 + at, 6)), at);
		});
		const ageDays = pick(10, DAYS);
		const buyer = buyers[pick(11, buyers.length)];
		const invoice: EcfInvoice = {
			...{ type, encf: "auto", client_request_id: `seed-${id}-${n}`, company },
			...(profileOf(type).namesBuyer && buyer ? { customer: buyer } : {}),
			...{ lines, totals: sumUp(lines) },
			issue_date: new Date(Date.parse(today) - ageDays * 86_400_000).toISOString().slice(0, 10),
		};
		return { scenario: scenarioAt(pick(12, 100)), invoice };
	});
}

function scenarioAt(percent: number): Composed["scenario"] {
	let above = 0;
	for (const { scenario, share } of OUTCOMES) {
		above += share;
		if (percent < above) return scenario;
	}
	return "accept";
}

/** How many of so many documents are credit notes. */
const notesOf = (documents: number) => Math.floor(documents / 20);

/** A credit note on the whole invoice. */
function toNote(invoice: EcfInvoice | undefined, encf: string | undefined): EcfInvoice | undefined {
	if (!invoice || encf === undefined) return undefined;
	const { issue_date = "", client_request_id, ...rest } = invoice;
	const reference = { encf, issue_date, code: 1, reason: "Devolución" };
	return { ...rest, type: "34", client_request_id: `${client_request_id}-note`, issue_date, reference };
}
