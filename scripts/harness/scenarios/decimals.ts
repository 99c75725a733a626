/** Texts that some parser takes for an amount: each is refused everywhere, and no byte of its request reaches PostgreSQL. */
import { HOSTILE_DECIMALS } from "../../../test/support/hostile-decimals";
import { buildInvoice } from "../../../test/support/tenants";
import { postOnce } from "../client";
import { inEnvironment, type Scenario, sized } from "../environment";

const FIELDS = ["quantity", "unit_price", "line subtotal", "subtotal", "tax", "grand_total"] as const;
const TEXTS_SMOKE = 12;
/** In every request that must be refused, in a member that is not compressed before it is stored. */
const MARKER = "hostile-decimal-marker";

export const decimals: Scenario = {
	name: "decimals",
	shows: "60 hostile decimal strings in 6 places: 0 accepted, 0 reach PostgreSQL",
	run(size) {
		const texts = HOSTILE_DECIMALS.slice(0, sized(size, HOSTILE_DECIMALS.length, TEXTS_SMOKE));
		let watched = 0;
		let reached = 0;
		const see = (_: unknown, direction: "upstream" | "downstream", chunk: Buffer) => {
			if (direction === "downstream") return;
			watched += chunk.length;
			if (chunk.includes(MARKER)) reached++;
		};
		return inEnvironment("decimals", { tenants: 1, onDatabaseChunk: see }, async (environment) => {
			const { url, violations } = environment;
			const [tenant] = environment.tenants;
			if (!tenant) throw new Error("there is a tenant");
			let requests = 0;
			let accepted = 0;
			const send = (over: Record<string, unknown>) => {
				requests++;
				const invoice = buildInvoice(tenant, requests, { branch: MARKER, ...over });
				return postOnce(url, tenant, crypto.randomUUID(), JSON.stringify(invoice));
			};
			for (const text of texts) {
				for (const field of FIELDS) {
					const answer = await send(place(buildInvoice(tenant, 1), field, text));
					if (answer?.status === 202 || answer?.status === 200) accepted++;
					const slug = answer && (JSON.parse(answer.text) as { type?: string }).type?.split("/").at(-1);
					if (answer?.status !== 400 || slug !== "validation-error")
						violations.push(`${JSON.stringify(text.slice(0, 40))} as ${field}: ${answer?.status} ${slug}`);
				}
			}
			if (reached > 0) violations.push(`${reached} chunks of refused requests reached PostgreSQL`);
			const refused = reached;
			// Shows that the proxy would see it: a good request with the same marker gets there.
			const good = await send({});
			if (good?.status !== 202) violations.push(`the good request was answered with ${good?.status} ${good?.text}`);
			if (reached === refused) violations.push("the mark of a good request was not seen on its way to PostgreSQL");
			return {
				texts: texts.length,
				fields: FIELDS.length,
				requests,
				accepted,
				"reached PostgreSQL": refused,
				"bytes watched": watched,
			};
		});
	},
};

function place(invoice: ReturnType<typeof buildInvoice>, field: (typeof FIELDS)[number], text: string) {
	const [line] = invoice.lines;
	switch (field) {
		case "subtotal":
		case "tax":
		case "grand_total":
			return { totals: { ...invoice.totals, [field]: text } };
		case "line subtotal":
			return { lines: [{ ...line, subtotal: text }] };
		default:
			return { lines: [{ ...line, [field]: text }] };
	}
}
