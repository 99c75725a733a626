/** A text to search for, taken after a short pause in typing. */
import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useWords } from "../app/language";
import { Field, TextInput } from "./field";
import { kitWords } from "./words";

const TYPING_MS = 300;
/** Shorter texts would find most of anything. */
const SEARCH_MIN = 3;

type SearchFieldProps = {
	/** For screen readers. */
	readonly label: string;
	readonly placeholder: string;
	readonly value: string;
	/** Gets a text of at least three characters, or the empty one. */
	readonly onChange: (value: string) => void;
};

export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
	const t = useWords(kitWords);
	const [text, setText] = useState(value);
	const written = useRef(value);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	useEffect(() => () => clearTimeout(timer.current), []);
	useEffect(() => {
		// What was typed here is in the field already; perhaps more of it.
		if (value !== written.current) setText(value);
		written.current = value;
	}, [value]);
	const isShort = text.trim() !== "" && text.trim().length < SEARCH_MIN;
	const type = (next: string) => {
		setText(next);
		clearTimeout(timer.current);
		const q = next.trim();
		if (q !== "" && q.length < SEARCH_MIN) return;
		timer.current = setTimeout(() => {
			written.current = q;
			onChange(q);
		}, TYPING_MS);
	};
	return (
		<div className="search-field">
			<Search className="icon" aria-hidden />
			<Field label={label} hidesLabel {...(isShort ? { hint: t("searchShort") } : {})}>
				<TextInput
					type="search"
					value={text}
					placeholder={placeholder}
					maxLength={150}
					onChange={({ target }) => type(target.value)}
				/>
			</Field>
		</div>
	);
}
