/** What a company without documents sees: a command that issues one, which then appears by itself; in a sandbox also sample data. */
import { Copy, Rocket, Sprout } from "lucide-react";
import { useSend } from "../../api/use-call";
import { toGuide, useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { CodeText } from "../../kit/code";
import { notify } from "../../kit/toast";
import { words } from "./words";

/** Enough for a month's bars with all outcomes. */
const SEEDED = 120;

export function FirstSteps() {
	const t = useWords(words);
	const { me, company, may } = useHere();
	const seed = useSend("seedSandbox", ["getOverview"]);
	const sow = () =>
		seed.mutate(
			{ body: { documents: SEEDED }, idempotencyKey: crypto.randomUUID() },
			{ onError: ({ problem }) => notify(t("seedFailed"), { type: "bad", description: problem?.detail ?? "" }) },
		);
	const command = writeCommand(location.origin, company);
	const copy = async () => {
		await navigator.clipboard.writeText(command);
		notify(t("copied"));
	};
	return (
		<section className="card" aria-labelledby="overview-first">
			<div className="card-body first-steps">
				<Rocket aria-hidden />
				<h2 id="overview-first">{t("emptyTitle")}</h2>
				<p className="soft">{t("emptyText")}</p>
				<CodeText>{command}</CodeText>
				<div className="toolbar">
					<Button icon={<Copy aria-hidden />} onClick={() => void copy()}>
						{t("copyCommand")}
					</Button>
					<a className="button button-plain" href={toGuide("first-invoice")} target="_blank" rel="noreferrer">
						{t("whence")}
					</a>
					{me.environment === "sandbox" && may("sandbox:write") ? (
						<Button kind="primary" icon={<Sprout aria-hidden />} isBusy={seed.isPending} onClick={sow}>
							{t("seed")}
						</Button>
					) : null}
				</div>
			</div>
		</section>
	);
}

/** `KEY` and `TOKEN` are the reader's own credentials. */
function writeCommand(origin: string, { rnc, name }: { readonly rnc: string; readonly name: string }): string {
	const invoice = {
		...{ type: "32", encf: "auto", company: { rnc, name } },
		lines: [
			{ line_number: 1, description: "Café molido 1 lb", quantity: "2", unit_price: "250.00", subtotal: "500.00" },
		],
		totals: { subtotal: "500.00", tax: "90.00", grand_total: "590.00" },
	};
	return [
		`curl -s ${origin}/v1/invoices -H "x-api-key: $KEY" -H "authorization: Bearer $TOKEN" \\`,
		`  -H "idempotency-key: ${crypto.randomUUID()}" -H 'content-type: application/json; charset=utf-8' -d '`,
		`${JSON.stringify(invoice).replaceAll("'", "\\u0027")}'`,
	].join("\n");
}
