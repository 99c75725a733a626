/** What an invoice says, as it was sent. */
import type { ReactNode } from "react";
import type { Invoice, InvoiceRequest } from "../../api/generated";
import { useFormat } from "../../app/format";
import { type Language, useLanguage, useWords } from "../../app/language";
import { Table } from "../../kit/table";
import { wordOfMember, wordOfValue } from "../issue/members";
import { words } from "./words";

/** Members of the request, and of a line, that have a place of their own. */
const PLACED: ReadonlySet<string> = new Set(["type", "encf", "company", "customer", "lines", "totals", "currency"]);
const LINE_PLACED: ReadonlySet<string> = new Set([
	...["line_number", "description", "quantity", "unit_price", "tax_rate", "subtotal"],
]);

export function DataTab({ invoice }: { readonly invoice: Invoice }) {
	const t = useWords(words);
	const { exact } = useFormat();
	const { request, print, authority, docId } = invoice;
	const further: readonly Pair[] = [
		[t("security"), print.securityCode],
		[t("signedAt"), exact(print.signedAt)],
		[t("trackId"), authority.trackId],
		[t("docId"), docId],
	];
	return (
		<RequestData request={request} further={further}>
			<a href={print.qrUrl} target="_blank" rel="noreferrer">
				{t("qr")}
			</a>
		</RequestData>
	);
}

type RequestDataProps = {
	readonly request: InvoiceRequest;
	/** What is known besides. */
	readonly further?: readonly Pair[];
	readonly children?: ReactNode;
};

/** Parties, lines and totals of a request, then its other members. */
export function RequestData({ request, further = [], children }: RequestDataProps) {
	const t = useWords(words);
	const { amount } = useFormat();
	const { company, customer, lines, totals, currency } = request;
	const { street, municipality_code, province_code } = customer?.address ?? {};
	const language = useLanguage();
	const others = [
		...flatten("customer.code", customer?.code, language),
		...Object.entries(request).flatMap(([name, value]) => (PLACED.has(name) ? [] : flatten(name, value, language))),
		...further,
	];
	const furtherOf = (line: InvoiceRequest["lines"][number]) =>
		Object.entries(line)
			.flatMap(([name, value]) => (LINE_PLACED.has(name) ? [] : flatten(`lines.${name}`, value, language)))
			.map(([title, value]) => `${title}: ${value}`);
	return (
		<div className="invoice-data">
			<section aria-labelledby="data-parties">
				<h2 id="data-parties">{t("parties")}</h2>
				<Pairs
					pairs={[
						[t("issuer"), `${company.name} · ${company.rnc}`],
						[t("buyer"), [customer?.name, customer?.rnc ?? customer?.foreign_id].filter(Boolean).join(" · ")],
						[t("address"), [street, municipality_code, province_code].filter(Boolean).join(", ")],
						[t("email"), customer?.email],
						[t("contact"), customer?.contact],
					]}
				/>
			</section>
			<section aria-labelledby="data-lines">
				<h2 id="data-lines">{t("lines")}</h2>
				<Table
					caption={t("lines")}
					rows={lines}
					rowId={({ line_number }) => String(line_number)}
					columns={[
						{ id: "line", title: t("line"), isNarrow: true, cell: ({ line_number }) => line_number },
						{
							...{ id: "description", title: t("description"), onPhone: "plain" },
							cell: (line) => (
								<>
									{line.description}
									<span className="invoice-under">{furtherOf(line).join(" · ")}</span>
								</>
							),
						},
						{ id: "quantity", title: t("quantity"), align: "end", cell: ({ quantity }) => quantity },
						{ id: "price", title: t("unitPrice"), align: "end", cell: ({ unit_price }) => unit_price },
						{
							...{ id: "rate", title: t("taxRate"), align: "end" },
							cell: ({ tax_rate }) =>
								tax_rate === "exempt" ? t("exempt") : tax_rate === undefined ? "" : `${tax_rate} %`,
						},
						{
							...{ id: "subtotal", title: t("subtotal"), align: "end", onPhone: "beside" },
							cell: ({ subtotal }) => amount(subtotal, currency),
						},
					]}
				/>
				<dl className="invoice-totals number">
					{(
						[
							["subtotal", totals.subtotal],
							["tax", totals.tax],
							["total", totals.grand_total],
						] as const
					).map(([word, value]) => (
						<div key={word}>
							<dt>{t(word)}</dt>
							<dd>{amount(value, currency)}</dd>
						</div>
					))}
				</dl>
			</section>
			{others.length > 0 ? (
				<section aria-labelledby="data-further">
					<h2 id="data-further">{t("further")}</h2>
					<Pairs pairs={others} />
					{children}
				</section>
			) : null}
		</div>
	);
}

type Pair = readonly [title: string, value: string | undefined];

function Pairs({ pairs }: { readonly pairs: readonly Pair[] }) {
	return (
		<dl className="pairs">
			{pairs.map(([title, value]) =>
				value ? (
					<div key={title} className="invoice-pair">
						<dt>{title}</dt>
						<dd>{value}</dd>
					</div>
				) : null,
			)}
		</dl>
	);
}

/** A member, or those within it, by their words; of several in a list each has its number. What the company itself has named keeps that name. */
function flatten(path: string, value: unknown, language: Language, suffix = ""): Pair[] {
	const word = `${wordOfMember(path, language) ?? path}${suffix}`;
	if (value === undefined || value === null) return [];
	if (typeof value !== "object") return [[word, wordOfValue(path, value, language) ?? String(value)]];
	if (!Array.isArray(value))
		return Object.entries(value).flatMap(([name, one]) =>
			path === "metadata"
				? [[`${word}: ${name}`, String(one)] as const]
				: flatten(`${path}.${name}`, one, language, suffix),
		);
	if (value.every((one) => typeof one !== "object")) return [[word, value.join(", ")]];
	return value.flatMap((one, at) => flatten(path, one, language, value.length > 1 ? `${suffix} ${at + 1}` : suffix));
}
