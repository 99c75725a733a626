/** A button, and a link that looks like one. */
import { FileUp } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useRef } from "react";
import { Link } from "wouter";
import { useOnline } from "../api/use-call";
import { useWords } from "../app/language";
import { kitWords } from "./words";

type Look = {
	readonly kind?: "plain" | "primary" | "quiet" | "danger";
	readonly icon?: ReactNode;
	/** Shows the icon alone; `children` is its name for screen readers. */
	readonly isIcon?: boolean;
	readonly isWide?: boolean;
};

function classOf({ kind = "plain", isIcon = false, isWide = false }: Look): string {
	return `button button-${kind}${isIcon ? " button-icon" : ""}${isWide ? " button-wide" : ""}`;
}

type ButtonProps = Look & {
	/** Of a button that calls the service: whether it is at work. It shows so, and takes no further click; nor does it without a connection. */
	readonly isBusy?: boolean;
	readonly ref?: Ref<HTMLButtonElement>;
} & ButtonHTMLAttributes<HTMLButtonElement>;

export function Button({ kind, icon, isIcon, isWide, isBusy, children, onClick, ...rest }: ButtonProps) {
	const t = useWords(kitWords);
	const isCutOff = !useOnline() && isBusy !== undefined;
	const isStopped = isBusy || isCutOff;
	return (
		<button
			type="button"
			{...rest}
			{...(isStopped ? { "aria-disabled": true } : {})}
			{...(isCutOff ? { title: t("offline") } : {})}
			onClick={isStopped ? (event) => event.preventDefault() : onClick}
			className={classOf({ ...(kind ? { kind } : {}), ...(isIcon ? { isIcon } : {}), ...(isWide ? { isWide } : {}) })}
		>
			{isBusy ? <span className="spinner" /> : icon}
			{isIcon ? <span className="visually-hidden">{children}</span> : children}
		</button>
	);
}

type FileButtonProps = {
	readonly kind?: "plain" | "primary";
	/** Extensions, as in `.csv,.txt`. */
	readonly accept: string;
	readonly isBusy: boolean;
	readonly onFile: (file: File) => void;
	readonly children: ReactNode;
};

/** Asks for a file of the person's machine. */
export function FileButton({ kind = "plain", accept, isBusy, onFile, children }: FileButtonProps) {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<input
				ref={input}
				type="file"
				hidden
				accept={accept}
				onChange={({ target }) => {
					const chosen = target.files?.[0];
					if (chosen) onFile(chosen);
					// The same file can be chosen again after it was changed.
					target.value = "";
				}}
			/>
			<Button kind={kind} icon={<FileUp aria-hidden />} isBusy={isBusy} onClick={() => input.current?.click()}>
				{children}
			</Button>
		</>
	);
}

type LinkButtonProps = Look & {
	readonly href: string;
	/** For screen readers, where several links have the same text. */
	readonly name?: string;
	readonly children: ReactNode;
};

/** `href` is relative to the company, or begins with `~/` for any address of the service. */
export function LinkButton({ href, name, icon, isIcon, children, ...look }: LinkButtonProps) {
	return (
		<Link href={href} aria-label={name} className={classOf({ ...look, ...(isIcon ? { isIcon } : {}) })}>
			{icon}
			{isIcon ? <span className="visually-hidden">{children}</span> : children}
		</Link>
	);
}
