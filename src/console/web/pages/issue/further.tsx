/** Members of a request that most documents do without, and the document that a note modifies. */
import { useWords } from "../../app/language";
import { Field, Select, TextArea, TextInput } from "../../kit/field";
import { readAmount } from "./amounts";
import { type Draft, memberAt, setMember, textAt } from "./draft";
import { profileOf } from "./row";
import { words } from "./words";

type Word = keyof typeof words.es;
type Kind = "text" | "date" | "amount" | "long" | "list" | readonly string[];
type Item = {
	readonly pointer: string;
	readonly word: Word;
	readonly kind: Kind;
	/** Words of the choices: this, `_`, and the value. Without it the values are shown. */
	readonly choices?: string;
	readonly isNumber?: true;
	readonly maxLength?: number;
};

const CURRENCIES = ["DOP", "USD", "EUR", "BRL", "CAD", "CHF", "CNY", "COP", "DKK", "GBP", "HTG", "JPY", "MXN", "NOK"];

const GROUPS: readonly { readonly title: Word; readonly items: readonly Item[] }[] = [
	{
		title: "payment",
		items: [
			{ pointer: "/payment/terms", word: "terms", kind: ["", "cash", "credit", "free"], choices: "terms" },
			{ pointer: "/due_date", word: "dueDate", kind: "date" },
			{ pointer: "/issue_date", word: "issueDate", kind: "date" },
			{ pointer: "/advance", word: "advance", kind: "amount" },
		],
	},
	{
		title: "currencyGroup",
		items: [
			{ pointer: "/currency", word: "currency", kind: ["", ...CURRENCIES] },
			{ pointer: "/exchange_rate", word: "exchangeRate", kind: "amount" },
			{ pointer: "/amounts_in", word: "amountsIn", kind: ["", "document"], choices: "amountsIn" },
			{ pointer: "/legal_tip", word: "legalTip", kind: "amount" },
		],
	},
	{
		title: "contact",
		items: [
			{ pointer: "/customer/contact", word: "buyerContact", kind: "text", maxLength: 80 },
			{ pointer: "/customer/address/street", word: "street", kind: "text", maxLength: 100 },
			{ pointer: "/emails", word: "emails", kind: "list" },
		],
	},
	{
		title: "own",
		items: [
			{ pointer: "/order_number", word: "orderNumber", kind: "text", maxLength: 60 },
			{ pointer: "/internal_number", word: "internalNumber", kind: "text", maxLength: 20 },
			{ pointer: "/branch", word: "branch", kind: "text", maxLength: 60 },
			{ pointer: "/seller", word: "salesperson", kind: "text", maxLength: 60 },
			{
				pointer: "/income_type",
				word: "incomeType",
				kind: ["", "01", "02", "03", "04", "05", "06"],
				choices: "income",
			},
			{ pointer: "/notes", word: "notes", kind: "long", maxLength: 1_000 },
		],
	},
];

const REFERENCE: readonly Item[] = [
	{ pointer: "/reference/encf", word: "original", kind: "text", maxLength: 19 },
	{ pointer: "/reference/issue_date", word: "originalDate", kind: "date" },
	{ pointer: "/reference/code", word: "code", kind: ["", "1", "2", "3", "4", "5"], choices: "code", isNumber: true },
	{ pointer: "/reference/reason", word: "reason", kind: "text", maxLength: 90 },
];

/** Members with a place on the page. */
const SHOWN: ReadonlySet<string> = new Set([
	...["type", "encf", "company", "customer", "client_request_id", "reference"],
	...GROUPS.flatMap(({ items }) => items.map(({ pointer }) => pointer.split("/")[1] ?? "")),
]);

type PartProps = {
	readonly draft: Draft;
	readonly change: (edit: (draft: Draft) => Draft) => void;
	readonly errorOf: (pointer: string) => string | undefined;
};

/** The document that the draft modifies; none for other types. */
export function Reference({ draft, ...part }: PartProps) {
	if (!profileOf(draft.members.type).isNote && draft.members.reference === undefined) return null;
	return (
		<>
			{REFERENCE.map((item) => (
				<MemberField key={item.pointer} {...{ item, draft, ...part }} />
			))}
		</>
	);
}

export function Further({ draft, ...part }: PartProps) {
	const t = useWords(words);
	const others = Object.keys(draft.members).filter((name) => !SHOWN.has(name));
	return (
		<details className="card further">
			<summary>
				<h2>{t("further")}</h2>
				<span className="soft">{t("furtherText")}</span>
			</summary>
			<div className="card-body further-groups">
				{GROUPS.map(({ title, items }) => (
					<fieldset key={title}>
						<legend>{t(title)}</legend>
						<div className="issue-fields">
							{items.map((item) => (
								<MemberField key={item.pointer} {...{ item, draft, ...part }} />
							))}
						</div>
					</fieldset>
				))}
				{others.length > 0 ? <p className="soft">{t("alsoSent", { names: others.join(", ") })}</p> : null}
			</div>
		</details>
	);
}

function MemberField({ item, draft, change, errorOf }: PartProps & { readonly item: Item }) {
	const t = useWords(words);
	const { pointer, word, kind, choices, maxLength } = item;
	const list = kind === "list" ? (memberAt(draft.members, pointer) as readonly string[] | undefined) : undefined;
	const value = list ? list.join(", ") : textAt(draft.members, pointer);
	const set = (text: string) =>
		change((now) => setMember(now, pointer, item.isNumber && text !== "" ? Number(text) : text));
	const common = { "data-pointer": pointer, maxLength };
	return (
		<Field label={t(word)} error={errorOf(pointer)} {...(kind === "list" ? { hint: t("listHint") } : {})}>
			{typeof kind === "object" ? (
				<Select
					data-pointer={pointer}
					value={value}
					onChange={({ target }) => set(target.value)}
					options={[...new Set([...kind, value])].map((one) => ({
						value: one,
						label: one === "" && choices !== "amountsIn" ? t("none") : choices ? t(`${choices}_${one}` as Word) : one,
					}))}
				/>
			) : kind === "long" ? (
				<TextArea {...common} rows={3} value={value} onChange={({ target }) => set(target.value)} />
			) : kind === "list" ? (
				<TextInput
					key={value}
					{...common}
					defaultValue={value}
					onBlur={({ target }) => {
						const items = target.value.split(/[\s,;]+/).filter(Boolean);
						change((now) => setMember(now, pointer, items.length > 0 ? items : undefined));
					}}
				/>
			) : (
				<TextInput
					{...common}
					type={kind === "date" ? "date" : "text"}
					inputMode={kind === "amount" ? "decimal" : undefined}
					value={value}
					onChange={({ target }) => set(target.value)}
					onBlur={({ target }) => {
						const read = kind === "amount" ? readAmount(target.value)?.toShortest() : undefined;
						if (read !== undefined && read !== value) set(read);
					}}
				/>
			)}
		</Field>
	);
}
