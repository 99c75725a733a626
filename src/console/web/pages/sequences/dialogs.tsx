/** The dialogs of sequences: to register a range, to void numbers, to lease some to a point of sale. */
import { type FormEvent, useId, useState } from "react";
import type { CallError } from "../../api/call";
import type { CreateSequenceRequest, Sequence } from "../../api/generated";
import { useSend } from "../../api/use-call";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Dialog } from "../../kit/dialog";
import { Field, Select, TextInput } from "../../kit/field";
import { Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { TYPES } from "../invoices/filter";
import { words as listWords } from "../invoices/words";
import { words } from "./words";

type Type = CreateSequenceRequest["type"];

/** Types whose sequences never expire. */
const ENDLESS: readonly Type[] = ["32", "34"];
const RENEWED = ["listSequences", "getOverview"] as const;
const DIGITS = 10;
const HOUR_S = 3_600;

/** `1` → `E310000000001`; what has its letter stays. */
function toEncf(type: string, text: FormDataEntryValue | null): string {
	const given = String(text ?? "").trim();
	return /^\d{1,10}$/.test(given) ? `E${type}${given.padStart(DIGITS, "0")}` : given.toUpperCase();
}

type TypeFieldProps = { readonly type: Type; readonly onChange: (type: Type) => void };

function TypeField({ type, onChange }: TypeFieldProps) {
	const t = useWords(words);
	const ofList = useWords(listWords);
	return (
		<Field label={t("type")}>
			<Select
				value={type}
				options={TYPES.map((value) => ({ value, label: `${value} · ${ofList(`type${value}`)}` }))}
				onChange={({ target }) => onChange(target.value as Type)}
			/>
		</Field>
	);
}

type RangeFieldsProps = { readonly error: CallError | null; readonly from?: string; readonly to?: string };

function RangeFields({ error, from = "", to = "" }: RangeFieldsProps) {
	const t = useWords(words);
	return (
		<div className="sequences-pair">
			<Field label={t("from")} error={error?.faultAt("/from")}>
				<TextInput name="from" defaultValue={from} maxLength={13} autoComplete="off" required />
			</Field>
			<Field label={t("to")} error={error?.faultAt("/to")}>
				<TextInput name="to" defaultValue={to} maxLength={13} autoComplete="off" required />
			</Field>
		</div>
	);
}

export function RegisterDialog({ onClose }: { readonly onClose: () => void }) {
	const t = useWords(words);
	const form = useId();
	const [type, setType] = useState<Type>("31");
	const register = useSend("createSequence", RENEWED);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const expiresAt = String(values.get("expiresAt") ?? "");
		const body = {
			...{ type, from: toEncf(type, values.get("from")), to: toEncf(type, values.get("to")) },
			...(expiresAt === "" ? {} : { expiresAt }),
		};
		const done = () => {
			notify(t("registered"));
			onClose();
		};
		register.mutate({ body, idempotencyKey: crypto.randomUUID() }, { onSuccess: done });
	};
	const actions = (
		<Button type="submit" form={form} kind="primary" isBusy={register.isPending}>
			{t("save")}
		</Button>
	);
	return (
		<Dialog title={t("register")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<p className="soft">{t("registerText")}</p>
				<Refusal error={register.error} />
				<TypeField type={type} onChange={setType} />
				<RangeFields error={register.error} />
				<Field label={t("expiresAt")} hint={t("expiresAtHint")} error={register.error?.faultAt("/expiresAt")}>
					<TextInput type="date" name="expiresAt" required={!ENDLESS.includes(type)} />
				</Field>
			</form>
		</Dialog>
	);
}

type VoidDialogProps = { readonly sequence: Sequence; readonly onClose: () => void };

export function VoidDialog({ sequence: { type, next, to }, onClose }: VoidDialogProps) {
	const t = useWords(words);
	const form = useId();
	const send = useSend("voidNumbers", [...RENEWED, "listVoids"]);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const range = { from: toEncf(type, values.get("from")), to: toEncf(type, values.get("to")) };
		const body = { type: type as Type, ...range, reason: String(values.get("reason")).trim() };
		const done = () => {
			notify(t("voidDone"));
			onClose();
		};
		send.mutate({ body, idempotencyKey: crypto.randomUUID() }, { onSuccess: done });
	};
	const actions = (
		<Button type="submit" form={form} kind="danger" isBusy={send.isPending}>
			{t("doVoid")}
		</Button>
	);
	return (
		<Dialog title={t("voidTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<p>{t("voidText")}</p>
				<Refusal error={send.error} />
				<RangeFields error={send.error} from={next ?? ""} to={to} />
				<Field label={t("reason")} hint={t("reasonHint")} error={send.error?.faultAt("/reason")}>
					<TextInput name="reason" maxLength={250} required />
				</Field>
			</form>
		</Dialog>
	);
}

export function LeaseDialog({ onClose }: { readonly onClose: () => void }) {
	const t = useWords(words);
	const form = useId();
	const [type, setType] = useState<Type>("32");
	const lease = useSend("leaseNumbers", [...RENEWED, "listLeases"]);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const body = { type, count: Number(values.get("count")), ttl: Number(values.get("hours")) * HOUR_S };
		const done = () => {
			notify(t("leaseDone"));
			onClose();
		};
		lease.mutate({ body, idempotencyKey: crypto.randomUUID() }, { onSuccess: done });
	};
	const actions = (
		<Button type="submit" form={form} kind="primary" isBusy={lease.isPending}>
			{t("doLease")}
		</Button>
	);
	return (
		<Dialog title={t("leaseTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<p className="soft">{t("leaseText")}</p>
				<Refusal error={lease.error} />
				<TypeField type={type} onChange={setType} />
				<div className="sequences-pair">
					<Field label={t("count")}>
						<TextInput type="number" name="count" min={1} max={10_000} defaultValue={100} required />
					</Field>
					<Field label={t("hours")}>
						<TextInput type="number" name="hours" min={1} max={720} defaultValue={24} required />
					</Field>
				</div>
			</form>
		</Dialog>
	);
}
