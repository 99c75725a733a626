/** The dialog that makes a watchlist or changes one. */
import { type FormEvent, useId, useState } from "react";
import type { CreateWatchlistRequest, Watchlist } from "../../api/generated";
import { useSend } from "../../api/use-call";
import { type Translate, useLanguage, useWords } from "../../app/language";
import { Dialog, FormActions } from "../../kit/dialog";
import { Field, LanguageField, Select, TextArea, TextInput } from "../../kit/field";
import { Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { words } from "./words";

type WatchedField = NonNullable<CreateWatchlistRequest["fields"]>[number];

const FIELDS: readonly WatchedField[] = ["status", "name", "trade_name", "economic_activity", "payment_regime"];
const SOURCES = ["customers", "suppliers"] as const;
const DIGESTS = ["daily", "weekly"] as const;

export function nameOfField(field: string, t: Translate<keyof typeof words.es>): string {
	return t(field as WatchedField);
}

type ListDialogProps = {
	/** Absent: a new one. */
	readonly list?: Watchlist;
	readonly onDone?: (list: Watchlist) => void;
	readonly onClose: () => void;
};

export function ListDialog({ list, onDone, onClose }: ListDialogProps) {
	const t = useWords(words);
	const language = useLanguage();
	const form = useId();
	const [fields, setFields] = useState(new Set((list?.fields ?? ["status", "name"]) as WatchedField[]));
	const create = useSend("createWatchlist", ["listWatchlists"]);
	const change = useSend("patchWatchlist", ["listWatchlists", "getWatchlist", "listWatchlistChanges"]);
	const error = create.error ?? change.error;
	const isPlaced = ["/name", "/emails"].some((pointer) => error?.faultAt(pointer) !== undefined);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const text = (name: string) => String(values.get(name) ?? "").trim();
		const source = SOURCES.find((one) => one === text("source"));
		const body = {
			name: text("name"),
			fields: [...fields],
			emails: [
				...new Set(
					text("emails")
						.split(/[\s,;]+/)
						.filter(Boolean),
				),
			],
			digest: DIGESTS.find((one) => one === text("digest")) ?? null,
			locale: text("locale") === "en" ? ("en" as const) : ("es" as const),
		};
		const onSuccess = (made: Watchlist) => {
			notify(t("saved"));
			onClose();
			onDone?.(made);
		};
		if (list) {
			change.mutate({ path: { id: list.id }, body }, { onSuccess });
			return;
		}
		create.mutate(
			{ body: { ...body, ...(source ? { source } : {}) }, idempotencyKey: crypto.randomUUID() },
			{ onSuccess },
		);
	};
	const actions = (
		<FormActions
			form={form}
			isBusy={create.isPending || change.isPending}
			disabled={fields.size === 0}
			onClose={onClose}
		>
			{t(list ? "save" : "create")}
		</FormActions>
	);
	return (
		<Dialog title={t(list ? "changeTitle" : "createTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<Refusal error={isPlaced ? null : error} />
				<Field label={t("name")} error={error?.faultAt("/name")}>
					<TextInput name="name" defaultValue={list?.name} maxLength={100} autoComplete="off" required />
				</Field>
				{list ? null : (
					<Field label={t("source")} hint={t("sourceHint")}>
						<Select
							name="source"
							options={(["own", ...SOURCES] as const).map((value) => ({ value, label: t(`source_${value}`) }))}
						/>
					</Field>
				)}
				<fieldset className="choices">
					<legend className="field-label">{t("fields")}</legend>
					{FIELDS.map((field) => (
						<label key={field} className="check">
							<input
								type="checkbox"
								checked={fields.has(field)}
								onChange={() => setFields(fields.symmetricDifference(new Set([field])))}
							/>
							{nameOfField(field, t)}
						</label>
					))}
				</fieldset>
				<Field label={t("digest")}>
					<Select
						name="digest"
						defaultValue={list?.digest ?? "never"}
						options={(["never", ...DIGESTS] as const).map((value) => ({ value, label: t(value) }))}
					/>
				</Field>
				<Field label={t("emails")} hint={t("emailsHint")} error={error?.faultAt("/emails")}>
					<TextArea name="emails" rows={3} defaultValue={list?.emails.join("\n")} spellCheck={false} />
				</Field>
				<LanguageField label={t("language")} name="locale" defaultValue={list?.locale ?? language} />
			</form>
		</Dialog>
	);
}
