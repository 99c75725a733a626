/** Hundreds of invoices with something wrong in them, by twelve kinds of mistake: each gets a clear answer, none a 5xx. */
import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { readPapers } from "../../support/documents";
import { buildInvoice, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { readProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Place = { readonly parent: Json[] | { [name: string]: Json }; readonly name: string | number };

/** An invoice with nearly every member, so that there is something to break. */
function wholeInvoice(): Json {
	return buildInvoice(tenant, {
		client_request_id: `crid-${crypto.randomUUID()}`,
		...{ issue_date: "2026-01-15", due_date: "2027-01-15", currency: "USD", exchange_rate: "58.50", income_type: "01" },
		payment: { terms: "credit", forms: [{ method: 4, amount: "5310.00" }] },
		lines: [
			{
				...{ line_number: 1, description: "Cemento", quantity: "10", unit_price: "450.00", subtotal: "4500.00" },
				...{ tax_rate: "18", kind: "good", unit: "43", item_code: { type: "Interna", code: "CEM-1" } },
				...{ discount: "0.00", additional_taxes: [{ code: "002", rate: "2", amount: "0.00" }] },
			},
		],
		adjustments: [{ kind: "discount", description: "x", amount: "0.00" }],
		...{ branch: "Norte", notes: "gracias", emails: ["compras@cliente.example"], metadata: { order: "SO-9912" } },
	}) as Json;
}

function listPlaces(value: Json): Place[] {
	if (typeof value !== "object" || value === null) return [];
	const names: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
	return names.flatMap((name) => [{ parent: value, name }, ...listPlaces(Reflect.get(value, name) as Json)]);
}

const ODD_TEXTS = [
	"\u0000",
	"\ud800",
	"\ufffe",
	"\u202e",
	"\u200b",
	"🙂".repeat(50),
	"é",
	"e\u0301",
	"\r\n",
	"<a>&amp;]]>",
	"' or 1=1 --",
	"\u0024{jndi:ldap://x}",
	"../../etc/passwd",
];
const NEIGHBOURS: Readonly<Record<string, Json>> = {
	...{
		"31": "30",
		"18": "19",
		DOP: "DOQ",
		USD: "usd",
		credit: "Credit",
		good: "goods",
		"01": "00",
		discount: "discounts",
	},
};

/** What is done to one member, with a number to vary it. */
const MUTATORS: Readonly<Record<string, (at: Place, old: Json, n: number) => void>> = {
	drop: ({ parent, name }) => {
		if (Array.isArray(parent)) parent.splice(Number(name), 1);
		else Reflect.deleteProperty(parent, name);
	},
	null: (at) => set(at, null),
	"wrong type": (at, _, n) => set(at, ([{}, [], true, 5, "x", { a: 1 }] as Json[])[n % 6] ?? null),
	"one longer or shorter": (at, old, n) => {
		const text = String(old);
		set(at, n % 2 === 0 ? `${text}${text.slice(-1)}` : text.slice(0, -1));
	},
	"extra key": ({ parent }, _, n) => {
		if (Array.isArray(parent)) parent.push(n);
		else parent[["status", "docId", "tenantId", "__proto", "Type", ""][n % 6] ?? "x"] = "x";
	},
	"duplicate key": (at, old) => set(at, { $duplicate: old }),
	unicode: (at, old, n) => set(at, `${String(old)}${ODD_TEXTS[n % ODD_TEXTS.length]}`),
	"number for string": (at, old, n) => set(at, Number.isFinite(Number(old)) ? Number(old) : n),
	"array wrap": (at, old) => set(at, [old]),
	huge: (at, _, n) =>
		set(
			at,
			([1e308, -1e308, "9".repeat(5_000), "x".repeat(100_000), Array(2_000).fill("x"), 2 ** 53][n % 6] as Json) ?? 0,
		),
	empty: (at, old) => set(at, Array.isArray(old) ? [] : typeof old === "object" ? {} : ""),
	"enum neighbour": (at, old) => set(at, NEIGHBOURS[String(old)] ?? `${String(old)} `),
};

function set({ parent, name }: Place, value: Json): void {
	Reflect.set(parent, name, value);
}

function mutate(mutator: string, index: number, n: number): string {
	const invoice = structuredClone(wholeInvoice());
	const places = listPlaces(invoice);
	const place = places[index % places.length];
	if (!place) throw new Error("an invoice has members");
	MUTATORS[mutator]?.(place, Reflect.get(place.parent, place.name) as Json, n);
	// The one mistake that no value can hold is written into the text.
	return JSON.stringify(invoice).replace(/"(\w+)":\{"\$duplicate":("[^"]*"|[^}]*)\}/, '"$1":$2,"$1":$2');
}

const mistakes = fc.record({
	mutator: fc.constantFrom(...Object.keys(MUTATORS)),
	index: fc.nat(200),
	n: fc.nat(60),
});

test("600 mutated invoices give problems or acknowledgements, never a 5xx", async () => {
	expect(Object.keys(MUTATORS)).toHaveLength(12);
	const seen = new Map<number, number>();
	const check = async (text: string): Promise<void> => {
		const answer = await postInvoice(service, tenant, text);
		seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
		expect(answer.status).toBeLessThan(500);
		if (answer.status >= 400) await readProblem(answer);
		else expect([200, 202]).toContain(answer.status);
	};
	await fc.assert(
		fc.asyncProperty(fc.array(mistakes, { minLength: 20, maxLength: 20 }), (batch) =>
			Promise.all(batch.map(({ mutator, index, n }) => check(mutate(mutator, index, n)))).then(() => undefined),
		),
		{ numRuns: 30 },
	);
	expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(600);
	expect(seen.get(400) ?? 0).toBeGreaterThan(300);
}, 120_000);

test("every kind of mistake at every member of the invoice", async () => {
	const places = listPlaces(wholeInvoice()).length;
	for (const mutator of ["null", "array wrap", "empty"]) {
		const texts = Array.from({ length: places }, (_, index) => mutate(mutator, index, index));
		const answers = await Promise.all(texts.map((text) => postInvoice(service, tenant, text)));
		for (const answer of answers) {
			expect(answer.status).toBeLessThan(500);
			if (answer.status >= 400) await readProblem(answer);
		}
	}
}, 120_000);

test("everything that was accepted is signed and sent", async () => {
	const failed = await service.sql<{ docId: string }[]>`
		select doc_id as "docId" from open_documents where tenant_id = ${tenant.tenantId} and status = 'f'`;
	const papers = await readPapers(
		service.sql,
		failed.map(({ docId }) => docId),
	);
	const requests = [...papers.values()].map(({ request }) => request);
	expect(requests.filter((request) => !request.includes("000000006"))).toEqual([]);
});
