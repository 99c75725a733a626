/** The certificates that sign: upload with a probe, at once or from a time on; roll back; destroy a key. */
import { Ellipsis, ShieldPlus } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import type { Answer } from "../../api/call";
import type { Company } from "../../api/generated";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Dialog, SureDialog } from "../../kit/dialog";
import { Field, TextInput } from "../../kit/field";
import { Menu } from "../../kit/menu";
import { Block, Callout, Empty, Prose, Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { toBase64 } from "./change-form";
import { words } from "./words";

type Certificate = Answer<"listCertificates">["items"][number];
type Uploaded = Answer<"putCertificate">;
type Task = { readonly kind: "activate" | "remove"; readonly certificate: Certificate };

const RENEWED = ["listCertificates", "getCompany", "getOverview", "listAudit"] as const;
const EXPIRING_DAYS = 30;

export function Certificates({ company: { tenantId, certificate } }: { readonly company: Company }) {
	const t = useWords(words);
	const { may } = useHere();
	const asked = useCall("listCertificates", { path: { id: tenantId }, query: { limit: 100 } });
	const [isUploading, setUploading] = useState(false);
	const [uploaded, setUploaded] = useState<Uploaded>();
	const [task, setTask] = useState<Task>();
	const activate = useSend("activateCertificate", RENEWED);
	const remove = useSend("removeCertificate", RENEWED);
	const sure = ({ kind, certificate: { id } }: Task) => {
		const path = { id: tenantId, cid: id };
		setTask(undefined);
		setUploaded(undefined);
		if (kind === "activate")
			activate.mutate({ path, idempotencyKey: crypto.randomUUID() }, { onSuccess: () => notify(t("activated")) });
		else remove.mutate({ path }, { onSuccess: () => notify(t("removed")) });
	};
	const isSigning = certificate?.status === "active";
	return (
		<section className="card">
			<div className="card-head">
				<h2>{t("certificates")}</h2>
				{may("company:write") ? (
					<Button kind="primary" icon={<ShieldPlus aria-hidden />} onClick={() => setUploading(true)}>
						{t(certificate ? "replaceCertificate" : "uploadCertificate")}
					</Button>
				) : null}
			</div>
			<div className="company-notes">
				{isSigning ? null : <Callout tone="bad">{t("noCertificate")}</Callout>}
				{isSigning && certificate.daysLeft <= EXPIRING_DAYS ? (
					<Callout tone="warn">{t("ending", { days: certificate.daysLeft })}</Callout>
				) : null}
				{uploaded ? <Callout>{t(uploaded.status === "scheduled" ? "probedScheduled" : "probed")}</Callout> : null}
				{uploaded?.warnings.map(({ code, detail }) => (
					<Callout key={code} tone="warn">
						<Prose text={detail} />
					</Callout>
				))}
				<Refusal error={activate.error ?? remove.error} />
			</div>
			<Block
				asked={asked}
				isEmpty={({ items }) => items.length === 0}
				empty={<Empty title={t("noCertificates")}>{t("noCertificatesText")}</Empty>}
			>
				{({ items }) => <CertificateTable items={items} onTask={setTask} />}
			</Block>
			{isUploading ? (
				<UploadDialog
					tenantId={tenantId}
					onDone={(answer) => {
						setUploaded(answer);
						setUploading(false);
					}}
					onClose={() => setUploading(false)}
				/>
			) : null}
			{task ? (
				<SureDialog
					title={t(`${task.kind}Title`)}
					text={t(
						task.kind === "remove" && task.certificate.status === "active" ? "removeActiveText" : `${task.kind}Text`,
					)}
					word={t(task.kind === "remove" ? "remove" : "activateNow")}
					onSure={() => sure(task)}
					onClose={() => setTask(undefined)}
				/>
			) : null}
		</section>
	);
}

/** The holder's name in a distinguished name. */
function nameIn(subject: string): string {
	return /(?:^|[,/]\s*)CN=("[^"]*"|[^,/]+)/.exec(subject)?.[1]?.replaceAll('"', "") ?? subject;
}

const STATES = {
	active: { tone: "good", word: "certificateActive" },
	scheduled: { tone: "plain", word: "certificateScheduled" },
	retired: { tone: "plain", word: "certificateRetired" },
	expired: { tone: "bad", word: "certificateExpired" },
	removed: { tone: "plain", word: "certificateRemoved" },
} as const;

type CertificateTableProps = { readonly items: readonly Certificate[]; readonly onTask: (task: Task) => void };

function CertificateTable({ items, onTask }: CertificateTableProps) {
	const t = useWords(words);
	const { may } = useHere();
	const { day, moment } = useFormat();
	const actions = (certificate: Certificate) => {
		const { status, subject } = certificate;
		const entries = [
			...(status === "retired" || status === "scheduled"
				? [
						{
							label: t(status === "retired" ? "rollBack" : "activateNow"),
							onSelect: () => onTask({ kind: "activate" as const, certificate }),
						},
					]
				: []),
			...(status === "removed"
				? []
				: [{ label: t("remove"), isBad: true, onSelect: () => onTask({ kind: "remove" as const, certificate }) }]),
		];
		if (entries.length === 0) return null;
		const trigger = (
			<Button kind="quiet" isIcon icon={<Ellipsis aria-hidden />}>
				{t("actionsOf", { name: nameIn(subject), day: day(certificate.notAfter) })}
			</Button>
		);
		return <Menu trigger={trigger} groups={[{ items: entries }]} align="end" />;
	};
	const columns: readonly Column<Certificate>[] = [
		{
			...{ id: "holder", title: t("holder") },
			cell: ({ subject, issuer, ephemeral }) => (
				<span className="company-holder">
					<strong>{nameIn(subject)}</strong>
					<span className="company-under">{ephemeral ? t("ephemeral") : t("issuedBy", { name: nameIn(issuer) })}</span>
				</span>
			),
		},
		{
			...{ id: "state", title: t("status"), isNarrow: true, onPhone: "beside" },
			cell: ({ status, activateAt }) => {
				const state = STATES[status as keyof typeof STATES];
				return (
					<>
						<Status tone={state.tone}>{t(state.word)}</Status>
						{status === "scheduled" || status === "active" ? (
							<span className="company-under">{t("signsFrom", { time: moment(activateAt) })}</span>
						) : null}
					</>
				);
			},
		},
		{
			...{ id: "until", title: t("until"), isNarrow: true },
			cell: ({ notAfter, daysLeft }) => (
				<>
					{day(notAfter)}
					<span className="company-under">{daysLeft < 0 ? t("ended") : t("daysLeft", { days: daysLeft })}</span>
				</>
			),
		},
		{
			id: "serial",
			title: t("serial"),
			cell: ({ serialNumber }) => <span className="mono">{shorten(serialNumber)}</span>,
		},
		...(may("company:write") ? [{ id: "actions", title: t("actions"), isActions: true, cell: actions }] : []),
	];
	return <Table caption={t("certificates")} columns={columns} rows={items} rowId={({ id }) => id} />;
}

const SERIAL_SHOWN = 23;

function shorten(serial: string): string {
	return serial.length > SERIAL_SHOWN ? `${serial.slice(0, SERIAL_SHOWN)}…` : serial;
}

type UploadDialogProps = {
	readonly tenantId: string;
	readonly onDone: (answer: Uploaded) => void;
	readonly onClose: () => void;
};

function UploadDialog({ tenantId, onDone, onClose }: UploadDialogProps) {
	const t = useWords(words);
	const form = useId();
	const upload = useSend("putCertificate", RENEWED);
	const submit = async (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const time = String(values.get("activateAt"));
		const body = {
			pkcs12: await toBase64(values.get("file") as File),
			password: String(values.get("password")),
			...(time === "" ? {} : { activateAt: `${time}:00-04:00` }),
		};
		upload.mutate({ path: { id: tenantId }, body }, { onSuccess: onDone });
	};
	const actions = (
		<Button type="submit" form={form} kind="primary" isBusy={upload.isPending}>
			{t("upload")}
		</Button>
	);
	return (
		<Dialog title={t("uploadTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={(event) => void submit(event)}>
				<p className="soft">{t("uploadText")}</p>
				<Refusal error={upload.error} />
				<Field label={t("file")}>
					<TextInput type="file" name="file" accept=".p12,.pfx,application/x-pkcs12" required />
				</Field>
				<Field label={t("filePassword")} hint={t("filePasswordHint")}>
					<TextInput type="password" name="password" autoComplete="new-password" maxLength={200} />
				</Field>
				<Field label={t("activateAt")} hint={t("activateAtHint")}>
					<TextInput type="datetime-local" name="activateAt" />
				</Field>
			</form>
		</Dialog>
	);
}
