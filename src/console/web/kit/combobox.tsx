/**
 * A text with suggestions: arrow keys choose, Enter takes, Escape closes. The focus stays in the text.
 *
 * Source: ARIA Authoring Practices, editable combobox with list autocomplete.
 */
import { type ReactNode, useId, useRef, useState } from "react";
import { Field, TextInput } from "./field";

type ComboboxProps<Option> = {
	readonly label: string;
	readonly text: string;
	readonly onText: (text: string) => void;
	/** Best first; empty: nothing is offered. */
	readonly options: readonly Option[];
	readonly optionId: (option: Option) => string;
	readonly onPick: (option: Option) => void;
	/** The text was left without a choice. */
	readonly onLeave?: () => void;
	readonly children: (option: Option) => ReactNode;
	/** How many are offered, for screen readers. */
	readonly countText: string;
	readonly hint?: ReactNode;
	readonly error?: string | undefined;
	readonly placeholder?: string;
	/** JSON pointer of the member that it fills. */
	readonly pointer?: string;
};

export function Combobox<Option>(props: ComboboxProps<Option>) {
	const { label, text, options, optionId, children, hint, error } = props;
	const id = useId();
	const [isOpen, setOpen] = useState(false);
	const [at, setAt] = useState(-1);
	const list = useRef<HTMLDivElement>(null);
	const isShown = isOpen && options.length > 0;
	const chosen = isShown ? options[at] : undefined;
	const pick = (option: Option) => {
		props.onPick(option);
		setOpen(false);
		setAt(-1);
	};
	const move = (to: number) => {
		setOpen(true);
		const next = (to + options.length) % Math.max(1, options.length);
		setAt(next);
		list.current?.children[next]?.scrollIntoView({ block: "nearest" });
	};
	const onKeyDown = (event: React.KeyboardEvent) => {
		const { key, altKey, ctrlKey } = event;
		if (ctrlKey) return;
		if (key === "ArrowDown" && options.length > 0) move(altKey ? at : at + 1);
		else if (key === "ArrowUp" && options.length > 0) move(at < 0 ? options.length - 1 : at - 1);
		else if (key === "Enter" && chosen !== undefined) pick(chosen);
		else if (key === "Escape" && isShown) {
			setOpen(false);
			setAt(-1);
		} else return;
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<div className="combobox">
			<Field label={label} hint={hint} error={error}>
				<TextInput
					role="combobox"
					aria-autocomplete="list"
					aria-expanded={isShown}
					aria-controls={isShown ? `${id}-list` : undefined}
					aria-activedescendant={chosen === undefined ? undefined : `${id}-${at}`}
					autoComplete="off"
					spellCheck={false}
					value={text}
					placeholder={props.placeholder}
					data-pointer={props.pointer}
					onChange={({ target }) => {
						props.onText(target.value);
						setOpen(true);
						setAt(-1);
					}}
					onKeyDown={onKeyDown}
					onBlur={() => {
						setOpen(false);
						props.onLeave?.();
					}}
				/>
			</Field>
			<span className="visually-hidden" role="status">
				{isShown ? props.countText : ""}
			</span>
			{isShown ? (
				<div id={`${id}-list`} ref={list} className="combobox-list" role="listbox" aria-label={label}>
					{options.map((option, n) => (
						// biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the text, which keeps the focus
						<div
							key={optionId(option)}
							id={`${id}-${n}`}
							className="combobox-option"
							role="option"
							tabIndex={-1}
							aria-selected={n === at}
							// The text keeps the focus.
							onMouseDown={(event) => event.preventDefault()}
							onClick={() => pick(option)}
						>
							{children(option)}
						</div>
					))}
				</div>
			) : null}
		</div>
	);
}
