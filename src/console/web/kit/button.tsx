/** A button, and a link that looks like one. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Link } from "wouter";

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
	/** At work: it shows so, and takes no further click. */
	readonly isBusy?: boolean;
	readonly ref?: Ref<HTMLButtonElement>;
} & ButtonHTMLAttributes<HTMLButtonElement>;

export function Button({ kind, icon, isIcon, isWide, isBusy = false, children, onClick, ...rest }: ButtonProps) {
	return (
		<button
			type="button"
			{...rest}
			{...(isBusy ? { "aria-disabled": true } : {})}
			onClick={isBusy ? (event) => event.preventDefault() : onClick}
			className={classOf({ ...(kind ? { kind } : {}), ...(isIcon ? { isIcon } : {}), ...(isWide ? { isWide } : {}) })}
		>
			{isBusy ? <span className="spinner" /> : icon}
			{isIcon ? <span className="visually-hidden">{children}</span> : children}
		</button>
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
