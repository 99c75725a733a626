/** What a person has to do: refused documents with cause and fix, long waits, what is running out, and endpoints that fail. */
import {
	CalendarClock,
	CircleCheck,
	CircleX,
	ClipboardCheck,
	Clock,
	Hash,
	type LucideIcon,
	Webhook,
} from "lucide-react";
import type { ReactNode } from "react";
import type { Overview, RefusedInvoice } from "../../api/generated";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { LinkButton } from "../../kit/button";
import { Prose } from "../../kit/states";
import { words } from "./words";

type Task = {
	readonly key: string;
	readonly icon: LucideIcon;
	readonly tone: "bad" | "warn";
	readonly title: ReactNode;
	readonly text: string;
	readonly action?: ReactNode;
};

/** Documents that are listed; the others are counted. */
const SHOWN_MAX = 5;

export function Tasks({ overview }: { readonly overview: Overview }) {
	const t = useWords(words);
	const tasks = useTasks(overview);
	if (tasks.length === 0) {
		return (
			<p className="overview-calm">
				<CircleCheck className="icon" aria-hidden />
				{t("noTasks")}
			</p>
		);
	}
	return (
		<section className="card" aria-labelledby="overview-tasks">
			<div className="card-head">
				<h2 id="overview-tasks">{t("tasks")}</h2>
			</div>
			<ul className="tasks">
				{tasks.map(({ key, icon: Icon, tone, title, text, action }) => (
					<li key={key} className={`task task-${tone}`}>
						<Icon aria-hidden />
						<div className="task-text">
							<h3>{title}</h3>
							<p className="soft">
								<Prose text={text} />
							</p>
						</div>
						{action}
					</li>
				))}
			</ul>
		</section>
	);
}

function useTasks({ tasks, webhooks, sequences }: Overview): Task[] {
	const t = useWords(words);
	const { may } = useHere();
	const { ago, count, day } = useFormat();
	const refused = [
		...tasks.rejected.items.map((one) => ({ one, word: "rejected" as const })),
		...tasks.failed.items.map((one) => ({ one, word: "failed" as const })),
	];
	const hidden = tasks.rejected.count + tasks.failed.count - Math.min(refused.length, SHOWN_MAX);
	const leadTo = (href: string, name: string) => (
		<LinkButton href={href} name={name}>
			{t("openShort")}
		</LinkButton>
	);
	const { prepared, pending, certificate } = tasks;
	const list: (Task | false)[] = [
		...refused.slice(0, SHOWN_MAX).map(
			({ one, word }): Task => ({
				...{ key: one.docId, icon: CircleX, tone: "bad" },
				title: <RefusedTitle title={t(word, { encf: one.encf })} invoice={one} />,
				text: [one.title ?? one.cause, one.fix].filter(Boolean).join(". "),
				action: (
					<div className="toolbar">
						<LinkButton kind="quiet" href={`/invoices/${one.docId}`} name={t("open", { encf: one.encf })}>
							{t("openShort")}
						</LinkButton>
						{word === "rejected" && may("invoices:write") ? (
							<LinkButton href={`/issue?from=${one.docId}&as=reissue`} name={t("fix", { encf: one.encf })}>
								{t("fixShort")}
							</LinkButton>
						) : null}
					</div>
				),
			}),
		),
		hidden > 0 && {
			...{ key: "more", icon: CircleX, tone: "bad", title: t("moreRefused", { count: count(hidden) }), text: "" },
			action: (
				<LinkButton href={`/invoices?status=${tasks.rejected.count > SHOWN_MAX ? "rejected" : "failed"}`}>
					{t("showAll")}
				</LinkButton>
			),
		},
		prepared.count > 0 &&
			may("invoices:write") && {
				...{ key: "prepared", icon: ClipboardCheck, tone: "warn" },
				title: t("prepared", { count: count(prepared.count) }),
				text: prepared.expiresAt === null ? "" : t("preparedUntil", { ago: ago(prepared.expiresAt) }),
				action: leadTo("/prepared", t("openPrepared")),
			},
		pending.count > 0 && {
			...{ key: "pending", icon: Clock, tone: "warn", title: t("overdue", { count: count(pending.count) }) },
			text: pending.since === null ? "" : t("overdueSince", { ago: ago(pending.since) }),
			action: leadTo("/invoices?status=pending", t("openPending")),
		},
		certificate !== null && {
			...{ key: "certificate", icon: CalendarClock, tone: "warn" },
			title: t("certificate", { ago: ago(certificate.expiresAt) }),
			text: t("certificateText", { subject: certificate.subject, day: day(certificate.expiresAt) }),
			action: may("company:read") ? leadTo("/company?tab=certificates", t("openCertificates")) : undefined,
		},
		...(sequences ?? []).flatMap(({ type, available, ending, exhaustedOn, expiresAt }): Task[] => {
			if (!ending) return [];
			const text = exhaustedOn ? t("sequenceText", { day: day(exhaustedOn) }) : "";
			return [
				{
					...{ key: `sequence-${type}`, icon: Hash, tone: "warn" },
					title: t("sequence", { available: count(available), type }),
					text: text || (expiresAt ? t("sequenceExpiring", { day: day(expiresAt) }) : ""),
					action: leadTo("/sequences", t("openSequence", { type })),
				},
			];
		}),
		...(webhooks ?? []).flatMap(({ webhookId, url, description, failing, dead, failed }): Task[] => {
			if (!failing) return [];
			return [
				{
					...{ key: webhookId, icon: Webhook, tone: "warn", title: t("endpoint", { url: description ?? url }) },
					text: t("endpointText", { dead: count(dead), failed: count(failed) }),
					action: leadTo(`/webhooks?webhookId=${webhookId}`, t("open", { encf: description ?? url })),
				},
			];
		}),
	];
	return list.filter((one) => one !== false);
}

function RefusedTitle({ title, invoice }: { readonly title: string; readonly invoice: RefusedInvoice }) {
	const { amount, ago } = useFormat();
	const { customer, grand_total, currency, at } = invoice;
	const about = [customer?.name, amount(grand_total, currency), ago(at)].filter(Boolean).join(" · ");
	return (
		<>
			<span>{title}</span>
			<span className="task-about number">{about}</span>
		</>
	);
}
