/** The buyer: found in the registry by number or name, or typed. */
import { useEffect, useState } from "react";
import type { RegistrySuggestResult } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Combobox } from "../../kit/combobox";
import { Field, TextInput } from "../../kit/field";
import { TaxpayerStatusMark } from "../../kit/status";
import { type Draft, setMember, textAt } from "./draft";
import { profileOf } from "./row";
import { words } from "./words";

type Found = RegistrySuggestResult["suggestions"][number];

const CHARACTERS_MIN = 3;
const PAUSE_MS = 150;
const NUMBER = /^[\d\s-]+$/;

type BuyerProps = {
	readonly draft: Draft;
	readonly change: (edit: (draft: Draft) => Draft) => void;
	readonly errorOf: (pointer: string) => string | undefined;
	/** Of the buyer in the registry, as the last check found it. */
	readonly status: string | null | undefined;
};

export function Buyer({ draft, change, errorOf, status }: BuyerProps) {
	const t = useWords(words);
	const { may } = useHere();
	const number = textAt(draft.members, "/customer/rnc");
	const name = textAt(draft.members, "/customer/name");
	const [text, setText] = useState(number || textAt(draft.members, "/customer/foreign_id"));
	const [picked, setPicked] = useState<Found>();
	const searched = useSettled(text.trim());
	const isSearching = may("registry:read") && searched.length >= CHARACTERS_MIN && searched !== picked?.rnc;
	const asked = useCall("suggestDocuments", { query: { q: searched } }, { enabled: isSearching, keepsFormer: true });
	const options = isSearching && text.trim().length >= CHARACTERS_MIN ? (asked.data?.suggestions ?? []) : [];
	const put = (members: Readonly<Record<string, string>>) =>
		change((now) =>
			Object.entries(members).reduce((draft, [member, value]) => setMember(draft, `/customer/${member}`, value), now),
		);
	const pick = (found: Found) => {
		setText(found.rnc);
		setPicked(found);
		put({ rnc: found.rnc, name: found.name, foreign_id: "" });
	};
	const type = (typed: string) => {
		setText(typed);
		// The name of another one must not stay with this number.
		if (picked && name === picked.name) put({ name: "" });
		put({ rnc: NUMBER.test(typed) ? typed.replace(/\D/g, "") : "", foreign_id: "" });
	};
	const leave = () => {
		const exact = options.find(({ rnc }) => rnc === number);
		if (exact && name === "") pick(exact);
		// Only a number stays here; a name without one belongs into its own field.
		if (text.trim() === "" || NUMBER.test(text) || text === textAt(draft.members, "/customer/foreign_id")) return;
		setText("");
		put({ name: text.trim() });
	};
	const known = number === "" ? undefined : ((picked?.rnc === number ? picked.status : undefined) ?? status);
	const role = profileOf(draft.members.type).isPurchase ? "seller" : "buyer";
	return (
		<>
			<Combobox
				label={t(role)}
				{...{ text, options, onText: type, onPick: pick, onLeave: leave }}
				optionId={({ rnc }) => rnc}
				countText={t("found", { count: options.length })}
				hint={known ? <TaxpayerStatusMark status={known} /> : t("buyerHint")}
				error={errorOf("/customer/rnc") ?? errorOf("/customer")}
				pointer="/customer/rnc"
			>
				{(found) => (
					<>
						<span className="found-name">
							<strong>{found.name}</strong>
							<span className="soft">{[found.rnc, found.trade_name].filter(Boolean).join(" · ")}</span>
						</span>
						<TaxpayerStatusMark status={found.status} />
					</>
				)}
			</Combobox>
			<Field label={t(role === "buyer" ? "buyerName" : "sellerName")} error={errorOf("/customer/name")}>
				<TextInput
					value={name}
					maxLength={150}
					data-pointer="/customer/name"
					onChange={({ target }) => put({ name: target.value })}
				/>
			</Field>
		</>
	);
}

/** The text after a short pause in typing. */
function useSettled(text: string): string {
	const [settled, setSettled] = useState(text);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(text), PAUSE_MS);
		return () => clearTimeout(timer);
	}, [text]);
	return settled;
}
