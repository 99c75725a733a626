/** Totals, what the authority would say, and what is wrong, each leading to its place. */
import { CircleAlert, CircleCheck, CircleX, Copy, LoaderCircle, type LucideIcon, TriangleAlert } from "lucide-react";
import { useFormat } from "../../app/format";
import { useLanguage, useWords } from "../../app/language";
import { Button, LinkButton } from "../../kit/button";
import { ErrorBlock, Prose } from "../../kit/states";
import type { Check, Finding, Outlook } from "./check";
import type { Draft } from "./draft";
import { beginSentence, hasPlace, usePlaceName } from "./places";
import type { Totals } from "./row";
import { words } from "./words";

const LOOKS: Readonly<Record<Outlook, { readonly tone: string; readonly icon: LucideIcon }>> = {
	nothing: { tone: "plain", icon: CircleAlert },
	checking: { tone: "plain", icon: LoaderCircle },
	accepted: { tone: "good", icon: CircleCheck },
	conditional: { tone: "warn", icon: TriangleAlert },
	rejected: { tone: "bad", icon: CircleX },
	faulty: { tone: "warn", icon: TriangleAlert },
	repeated: { tone: "warn", icon: Copy },
	failed: { tone: "bad", icon: CircleX },
};

export function OutlookMark({ outlook, count }: { readonly outlook: Outlook; readonly count: number }) {
	const t = useWords(words);
	const { tone, icon: Icon } = LOOKS[outlook];
	return (
		<span className={`outlook outlook-${tone}`}>
			<Icon aria-hidden className="icon" />
			{t(`outlook_${outlook}`, { count })}
		</span>
	);
}

type VerdictProps = {
	readonly draft: Draft;
	readonly totals: Totals;
	readonly currency: string;
	readonly outlook: Outlook;
	readonly check: Check;
	/** Pointers are places on the page. */
	readonly findings: readonly Finding[];
	readonly onRetry: () => void;
	/** Puts the focus on the place of a finding. */
	readonly onGo: (pointer: string) => void;
};

export function Verdict({ draft, totals, currency, outlook, check, findings, onRetry, onGo }: VerdictProps) {
	const t = useWords(words);
	const language = useLanguage();
	const { amount } = useFormat();
	const faults = findings.filter(({ isFault }) => isFault);
	// Totals follow from the lines.
	const toFill = draft.open.filter(({ pointer }) => pointer !== "/totals");
	const open = toFill.map(({ pointer, detail, detailEs }) => ({
		...{ pointer, detail: language === "es" ? detailEs : detail, isFault: false },
	}));
	const duplicate = check.report?.duplicateOf;
	return (
		<section className="card verdict" aria-labelledby="issue-verdict">
			<h2 id="issue-verdict" className="visually-hidden">
				{t("totals")}
			</h2>
			<dl className="verdict-totals number">
				<dt>{t("subtotal")}</dt>
				<dd>{amount(totals.subtotal, currency)}</dd>
				<dt>{t("tax")}</dt>
				<dd>{amount(totals.tax, currency)}</dd>
				<dt className="verdict-total">{t("total")}</dt>
				<dd className="verdict-total">{amount(totals.grand_total, currency)}</dd>
			</dl>
			<div className="verdict-outlook" role="status">
				<OutlookMark outlook={outlook} count={faults.length} />
				{outlook === "accepted" && check.report ? (
					<span className="soft number">{t("wouldBe", { encf: check.report.encf })}</span>
				) : null}
			</div>
			{duplicate ? <LinkButton href={`/invoices/${duplicate}`}>{t("showIssued")}</LinkButton> : null}
			{outlook === "failed" && check.error ? <ErrorBlock error={check.error} onRetry={onRetry} /> : null}
			<Findings title={t("toFill")} findings={open} onGo={onGo} />
			<Findings title={t("findings")} findings={findings} onGo={onGo} />
		</section>
	);
}

type FindingsProps = {
	readonly title: string;
	readonly findings: readonly Finding[];
	/** Absent: the places are on no page. */
	readonly onGo?: VerdictProps["onGo"];
};

export function Findings({ title, findings, onGo }: FindingsProps) {
	const t = useWords(words);
	const nameOf = usePlaceName();
	if (findings.length === 0) return null;
	return (
		<div className="findings">
			<h3>{title}</h3>
			<ul>
				{findings.map(({ pointer, detail, isFault }) => {
					const Icon = isFault ? CircleX : TriangleAlert;
					const leads = onGo !== undefined && hasPlace(pointer);
					const name = leads ? undefined : nameOf(pointer);
					return (
						<li key={`${pointer} ${detail}`} className={isFault ? "finding finding-bad" : "finding"}>
							<Icon aria-hidden className="icon" />
							<span className="finding-text">
								<span>
									<Prose text={name === undefined ? detail : `${beginSentence(name)}: ${detail}`} />
								</span>
								{leads ? (
									<Button kind="quiet" onClick={() => onGo(pointer)}>
										{t("goTo", { place: nameOf(pointer) ?? pointer })}
									</Button>
								) : null}
							</span>
						</li>
					);
				})}
			</ul>
		</div>
	);
}
