/** A labelled input with its hint and error, and the inputs that go into it. */
import { CircleAlert } from "lucide-react";
import {
	createContext,
	type InputHTMLAttributes,
	type ReactNode,
	type Ref,
	type SelectHTMLAttributes,
	type TextareaHTMLAttributes,
	useContext,
	useId,
} from "react";
import { Prose } from "./states";

type FieldProps = {
	readonly label: string;
	/** The label is for screen readers only. */
	readonly hidesLabel?: boolean;
	readonly hint?: ReactNode;
	/** What is wrong with the value; absent if nothing is. */
	readonly error?: string | undefined;
	readonly children: ReactNode;
};

const Ids = createContext<{
	readonly id?: string;
	readonly "aria-describedby"?: string;
	readonly "aria-invalid"?: true;
}>({});

/** Names and describes the input inside it. */
export function Field({ label, hidesLabel = false, hint, error, children }: FieldProps) {
	const id = useId();
	const describedBy = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
	return (
		<div className="field">
			<label htmlFor={id} className={hidesLabel ? "visually-hidden" : "field-label"}>
				{label}
			</label>
			<Ids
				value={{
					id,
					...(describedBy ? { "aria-describedby": describedBy } : {}),
					...(error ? { "aria-invalid": true } : {}),
				}}
			>
				{children}
			</Ids>
			{hint ? (
				<span id={`${id}-hint`} className="field-hint">
					{hint}
				</span>
			) : null}
			{error ? (
				<span id={`${id}-error`} className="field-error">
					<CircleAlert aria-hidden />
					<span>
						<Prose text={error} />
					</span>
				</span>
			) : null}
		</div>
	);
}

export function TextInput({
	className = "",
	...rest
}: InputHTMLAttributes<HTMLInputElement> & { readonly ref?: Ref<HTMLInputElement> }) {
	return <input type="text" {...useContext(Ids)} {...rest} className={`input ${className}`} />;
}

export function TextArea({ className = "", ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
	return <textarea {...useContext(Ids)} {...rest} className={`input ${className}`} />;
}

type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & {
	readonly options: readonly { readonly value: string; readonly label: string }[];
};

/** The system's own list, which is right on phones too. */
export function Select({ options, className = "", ...rest }: SelectProps) {
	return (
		<select {...useContext(Ids)} {...rest} className={`input ${className}`}>
			{options.map(({ value, label }) => (
				<option key={value} value={value}>
					{label}
				</option>
			))}
		</select>
	);
}

/** What a choice shows of a value; one that it does not have stays as it is. */
export function labelOf(options: SelectProps["options"], value: string | null | undefined): string | null | undefined {
	return value ? (options.find((one) => one.value === value)?.label ?? value) : value;
}

type LanguageFieldProps = { readonly label: string; readonly name: string; readonly defaultValue: string };

/** A choice of a person's language; each is named by itself. */
export function LanguageField({ label, name, defaultValue }: LanguageFieldProps) {
	const options = [
		{ value: "es", label: "Español" },
		{ value: "en", label: "English" },
	];
	return (
		<Field label={label}>
			<Select name={name} defaultValue={defaultValue} options={options} />
		</Field>
	);
}
