/** Members of a request that most documents do without, and the document that a note modifies. */
import { useLanguage, useWords } from "../../app/language";
import { Field, Select, TextArea, TextInput } from "../../kit/field";
import { readAmount } from "./amounts";
import { type Draft, memberAt, setMember, textAt } from "./draft";
import { GROUPS, type MemberItem, REFERENCE, SHOWN, type Word, wordOfMember } from "./members";
import { profileOf } from "./row";
import { words } from "./words";

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
	const language = useLanguage();
	const others = Object.keys(draft.members).flatMap((name) =>
		SHOWN.has(name) ? [] : [wordOfMember(name, language) ?? name],
	);
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

function MemberField({ item, draft, change, errorOf }: PartProps & { readonly item: MemberItem }) {
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
