/** The dialogs of an API key: to make or change it, and to replace it. */
import { type FormEvent, useId, useState } from "react";
import type { Answer } from "../../api/call";
import type { CreateApiKeyRequest } from "../../api/generated";
import { useSend } from "../../api/use-call";
import { CompaniesField } from "../../app/company-choice";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Dialog, ReplaceDialog } from "../../kit/dialog";
import { Field, Select, TextArea, TextInput } from "../../kit/field";
import { Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { words } from "./words";

export type Key = Answer<"listApiKeys">["items"][number];
type Scope = NonNullable<CreateApiKeyRequest["scopes"]>[number];

const PRESETS = ["issue", "read", "all", "custom"] as const;
type Preset = (typeof PRESETS)[number];
const ISSUING: readonly Scope[] = [
	"invoices:write",
	"invoices:read",
	"company:read",
	"sequences:read",
	"registry:read",
];

/** What the person can give: the role's scopes but those of a team, which no key has. */
function useScopes(): readonly Scope[] {
	const { company } = useHere();
	return company.scopes.filter((scope) => !scope.startsWith("team:")).toSorted() as Scope[];
}

/** Ends with the day in the Dominican Republic, four hours behind UTC all year. */
const toEnd = (day: string): string => new Date(`${day}T23:59:59-04:00`).toISOString();
const toDay = (end: string): string => new Date(Date.parse(end) - 4 * 3_600_000).toISOString().slice(0, 10);
const toLines = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);
const isEqual = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

type KeyDialogProps = {
	/** Absent: a new one. */
	readonly item?: Key;
	readonly onSecret: (secret: string) => void;
	readonly onClose: () => void;
};

export function KeyDialog({ item, onSecret, onClose }: KeyDialogProps) {
	const t = useWords(words);
	const form = useId();
	const { me, company } = useHere();
	const { count } = useFormat();
	const own = useScopes();
	const ofPreset: Readonly<Record<Preset, readonly Scope[]>> = {
		issue: ISSUING.filter((scope) => own.includes(scope)),
		read: own.filter((scope) => scope.endsWith(":read")),
		...{ all: own, custom: [] },
	};
	const [preset, setPreset] = useState<Preset>("issue");
	const [picked, setPicked] = useState<ReadonlySet<Scope>>(new Set(ofPreset.issue));
	const [tenantIds, setTenantIds] = useState(item && item.tenantIds.length > 0 ? item.tenantIds : null);
	const isBound = !me.teams.some((team) => team.ownerId === company.ownerId && team.tenantIds === null);
	const create = useSend("createApiKey", ["listApiKeys"]);
	const change = useSend("patchApiKey", ["listApiKeys"]);
	const error = create.error ?? change.error;
	const isPlaced = error?.problem?.errors?.some(({ pointer }) => /^\/(?:ipAllow|contact|expires)/.test(pointer));
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const text = (name: string) => String(values.get(name) ?? "").trim();
		const day = text("expiresAt");
		const given = {
			...{ label: text("label"), ipAllowList: toLines(text("ranges")), contactEmails: toLines(text("contacts")) },
			// A day that was not touched keeps the exact time.
			expiresAt: day === "" ? null : item?.expiresAt && day === toDay(item.expiresAt) ? item.expiresAt : toEnd(day),
			...(isBound ? {} : { tenantIds: [...(tenantIds ?? [])] }),
		};
		const idempotencyKey = crypto.randomUUID();
		if (item) {
			// What stays the same is not sent: to bind a key needs all of its scopes, to name it does not.
			const body = Object.fromEntries(
				Object.entries(given).filter(([name, value]) => !isEqual(value, item[name as keyof typeof given])),
			);
			const done = () => {
				notify(t("changed"));
				onClose();
			};
			change.mutate({ path: { id: item.id }, body, idempotencyKey }, { onSuccess: done });
			return;
		}
		const done = ({ key }: Answer<"createApiKey">) => {
			onClose();
			if (key !== null) onSecret(key);
		};
		create.mutate({ body: { ...given, scopes: [...picked] }, idempotencyKey }, { onSuccess: done });
	};
	const choose = (next: Preset) => {
		setPreset(next);
		if (next !== "custom") setPicked(new Set(ofPreset[next]));
	};
	const toggle = (scope: Scope) => {
		setPreset("custom");
		setPicked(picked.symmetricDifference(new Set([scope])));
	};
	const actions = (
		<Button
			type="submit"
			form={form}
			kind="primary"
			isBusy={create.isPending || change.isPending}
			disabled={(!item && picked.size === 0) || tenantIds?.length === 0}
		>
			{item ? t("save") : t("make")}
		</Button>
	);
	const title = item ? t("changeTitle", { name: item.label }) : t("makeTitle");
	return (
		<Dialog title={title} isOpen isWide onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<Refusal error={isPlaced ? null : error} />
				<Field label={t("label")} hint={t("labelHint")} error={error?.faultAt("/label")}>
					<TextInput name="label" defaultValue={item?.label} maxLength={100} autoComplete="off" required />
				</Field>
				{item ? null : (
					<>
						<Field label={t("preset")} hint={t("scopesText")}>
							<Select
								value={preset}
								options={PRESETS.map((value) => ({ value, label: t(`preset_${value}`) }))}
								onChange={({ target }) => choose(target.value as Preset)}
							/>
						</Field>
						<details className="keys-choice" open={preset === "custom"}>
							<summary>{t("scopesOf", { count: count(picked.size) })}</summary>
							<fieldset className="checks">
								<legend className="visually-hidden">{t("scopes")}</legend>
								{own.map((scope) => (
									<label key={scope} className="check">
										<input type="checkbox" checked={picked.has(scope)} onChange={() => toggle(scope)} />
										<code>{scope}</code>
									</label>
								))}
							</fieldset>
						</details>
					</>
				)}
				{isBound ? (
					<p className="soft">{t("only", { company: company.name })}</p>
				) : (
					<CompaniesField tenantIds={tenantIds} onChange={(chosen) => setTenantIds(chosen && [...chosen])} />
				)}
				<Field label={t("endsOn")} hint={t("endsHint")} error={error?.faultAt("/expiresAt")}>
					<TextInput type="date" name="expiresAt" defaultValue={item?.expiresAt ? toDay(item.expiresAt) : ""} />
				</Field>
				<div className="keys-pair">
					<Field label={t("ranges")} hint={t("rangesHint")} error={error?.faultAt("/ipAllowList")}>
						<TextArea name="ranges" rows={3} defaultValue={item?.ipAllowList.join("\n")} spellCheck={false} />
					</Field>
					<Field label={t("contacts")} hint={t("contactsHint")} error={error?.faultAt("/contactEmails")}>
						<TextArea name="contacts" rows={3} defaultValue={item?.contactEmails.join("\n")} spellCheck={false} />
					</Field>
				</div>
			</form>
		</Dialog>
	);
}

type RotateDialogProps = Required<Pick<KeyDialogProps, "item">> & Omit<KeyDialogProps, "item">;

export function RotateDialog({ item, onSecret, onClose }: RotateDialogProps) {
	const t = useWords(words);
	const rotate = useSend("rotateApiKey", ["listApiKeys"]);
	const send = (graceSeconds: number, idempotencyKey: string) => {
		const done = ({ key }: Answer<"rotateApiKey">) => {
			onClose();
			if (key !== null) onSecret(key);
		};
		rotate.mutate({ path: { id: item.id }, body: { graceSeconds }, idempotencyKey }, { onSuccess: done });
	};
	return (
		<ReplaceDialog
			{...{ title: t("rotateTitle", { name: item.label }), text: t("rotateText"), word: t("rotate") }}
			{...{ label: t("grace"), hint: t("graceHint"), sent: rotate, onSend: send, onClose }}
		/>
	);
}
