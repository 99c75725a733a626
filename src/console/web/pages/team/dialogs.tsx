/** The dialogs of a team: to invite, and to change a member. */
import { type FormEvent, useId, useState } from "react";
import type { Answer } from "../../api/call";
import { useSend } from "../../api/use-call";
import { CompaniesField } from "../../app/company-choice";
import { useLanguage, useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Dialog } from "../../kit/dialog";
import { Field, Select, TextInput } from "../../kit/field";
import { Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { words } from "./words";

export type Member = Answer<"listTeamMembers">["items"][number];

const ROLES = ["viewer", "accountant", "developer", "owner"] as const;
export type Role = (typeof ROLES)[number];

type Rights = { readonly role: Role; readonly tenantIds: readonly string[] | null };

function RightsFields({ rights, onChange }: { readonly rights: Rights; readonly onChange: (rights: Rights) => void }) {
	const t = useWords(words);
	const { role, tenantIds } = rights;
	return (
		<>
			<Field label={t("role")} hint={t(`${role}Text`)}>
				<Select
					value={role}
					options={ROLES.map((value) => ({ value, label: t(value) }))}
					onChange={({ target }) => onChange({ role: target.value as Role, tenantIds })}
				/>
			</Field>
			<CompaniesField tenantIds={tenantIds} onChange={(chosen) => onChange({ role, tenantIds: chosen })} />
		</>
	);
}

export function InviteDialog({ owner, onClose }: { readonly owner: string; readonly onClose: () => void }) {
	const t = useWords(words);
	const chosen = useLanguage();
	const form = useId();
	const [rights, setRights] = useState<Rights>({ role: "viewer", tenantIds: null });
	const invite = useSend("createTeamInvitation", ["listTeamInvitations"]);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const language = values.get("language") === "en" ? "en" : "es";
		const email = String(values.get("email")).trim();
		const tenantIds = rights.tenantIds && [...rights.tenantIds];
		const done = () => {
			notify(t("sent"), { description: email });
			onClose();
		};
		invite.mutate({ query: { owner }, body: { email, role: rights.role, tenantIds, language } }, { onSuccess: done });
	};
	const actions = (
		<Button
			type="submit"
			form={form}
			kind="primary"
			isBusy={invite.isPending}
			disabled={rights.tenantIds?.length === 0}
		>
			{t("send")}
		</Button>
	);
	return (
		<Dialog title={t("inviteTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<p className="soft">{t("inviteText")}</p>
				<Refusal error={invite.error} />
				<Field label={t("email")}>
					<TextInput type="email" name="email" autoComplete="off" required />
				</Field>
				<RightsFields rights={rights} onChange={setRights} />
				<Field label={t("language")}>
					<Select
						name="language"
						defaultValue={chosen}
						options={[
							{ value: "es", label: "Español" },
							{ value: "en", label: "English" },
						]}
					/>
				</Field>
			</form>
		</Dialog>
	);
}

export function ChangeDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
	const t = useWords(words);
	const [rights, setRights] = useState<Rights>({ role: member.role as Role, tenantIds: member.tenantIds });
	const change = useSend("patchTeamMember", ["listTeamMembers"]);
	const save = () => {
		const body = { role: rights.role, tenantIds: rights.tenantIds && [...rights.tenantIds] };
		const done = () => {
			notify(t("saved"));
			onClose();
		};
		change.mutate({ path: { id: member.id }, body }, { onSuccess: done });
	};
	const actions = (
		<Button kind="primary" isBusy={change.isPending} disabled={rights.tenantIds?.length === 0} onClick={save}>
			{t("save")}
		</Button>
	);
	return (
		<Dialog title={member.name} isOpen onClose={onClose} actions={actions}>
			<div className="stack">
				<Refusal error={change.error} />
				<RightsFields rights={rights} onChange={setRights} />
			</div>
		</Dialog>
	);
}
