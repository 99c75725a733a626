/** States as icon and word, so that colour alone means nothing. */
import { CircleCheck, CircleDashed, CircleX, type LucideIcon, TriangleAlert } from "lucide-react";
import { useWords } from "../app/language";
import { kitWords } from "./words";

export type Tone = "good" | "bad" | "warn" | "plain";

const ICONS: Readonly<Record<Tone, LucideIcon>> = {
	good: CircleCheck,
	bad: CircleX,
	warn: TriangleAlert,
	plain: CircleDashed,
};

/** A word with the icon of its tone. */
export function Status({
	tone,
	children,
	icon,
}: {
	readonly tone: Tone;
	readonly children: string;
	readonly icon?: LucideIcon;
}) {
	const Icon = icon ?? ICONS[tone];
	return (
		<span className={`status status-${tone}`}>
			<Icon aria-hidden />
			{children}
		</span>
	);
}

const INVOICE_TONES = { accepted: "good", rejected: "bad", failed: "bad", pending: "plain" } as const;
export type InvoiceStatus = keyof typeof INVOICE_TONES;

export function InvoiceStatusMark({ status }: { readonly status: InvoiceStatus }) {
	const t = useWords(kitWords);
	return <Status tone={INVOICE_TONES[status]}>{t(status)}</Status>;
}

/** The registry's own word, in capitals there. */
export function TaxpayerStatusMark({ status }: { readonly status: string }) {
	const word = status.charAt(0) + status.slice(1).toLowerCase();
	return <Status tone={status === "ACTIVO" ? "good" : "warn"}>{word}</Status>;
}
