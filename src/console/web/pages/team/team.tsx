/** Who sees the companies of an owner: members, and invitations that wait. */
import { Ellipsis, UserPlus } from "lucide-react";
import { useState } from "react";
import type { Answer } from "../../api/call";
import { useCall, useSend } from "../../api/use-call";
import { useCompanyNames } from "../../app/company-choice";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { SureDialog } from "../../kit/dialog";
import { Menu } from "../../kit/menu";
import { PageTitle } from "../../kit/page-title";
import { Block, Refusal } from "../../kit/states";
import { type Column, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { ChangeDialog, InviteDialog, type Member, type Role } from "./dialogs";
import { words } from "./words";

type Invitation = Answer<"listTeamInvitations">["items"][number];
type Task = { readonly kind: "change" | "remove" | "reset"; readonly member: Member };

export default function Team() {
	const t = useWords(words);
	const { me, company } = useHere();
	const owner = company.ownerId ?? "demo";
	const [task, setTask] = useState<Task>();
	const [isInviting, setInviting] = useState(false);
	const remove = useSend("deleteTeamMember", ["listTeamMembers"]);
	const reset = useSend("resetTeamMember", ["listTeamMembers"]);
	const asked = useCall("listTeamMembers", { query: { owner } });
	const end = () => setTask(undefined);
	const act = (send: typeof remove | typeof reset, done: string) => {
		if (task) send.mutate({ path: { id: task.member.id } }, { onSuccess: () => notify(done) });
		end();
	};
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				<Button kind="primary" icon={<UserPlus aria-hidden />} onClick={() => setInviting(true)}>
					{t("invite")}
				</Button>
			</div>
			<Refusal error={remove.error ?? reset.error} />
			<section className="card">
				<Block asked={asked}>{({ items }) => <Members members={items} selfId={me.user.id} onTask={setTask} />}</Block>
			</section>
			<Invitations owner={owner} />
			{isInviting ? <InviteDialog owner={owner} onClose={() => setInviting(false)} /> : null}
			{task?.kind === "change" ? <ChangeDialog member={task.member} onClose={end} /> : null}
			{task?.kind === "remove" ? (
				<SureDialog
					title={t("removeTitle", { name: task.member.name })}
					text={t("removeText")}
					word={t("remove")}
					onSure={() => act(remove, t("removed"))}
					onClose={end}
				/>
			) : null}
			{task?.kind === "reset" ? (
				<SureDialog
					title={t("resetTitle", { name: task.member.name })}
					text={t("resetText")}
					word={t("reset")}
					onSure={() => act(reset, t("resetDone"))}
					onClose={end}
				/>
			) : null}
		</>
	);
}

type MembersProps = {
	readonly members: readonly Member[];
	readonly selfId: string;
	readonly onTask: (task: Task) => void;
};

function Members({ members, selfId, onTask }: MembersProps) {
	const t = useWords(words);
	const { day } = useFormat();
	const names = useCompanyNames();
	const { me } = useHere();
	const factorsOf = ({ factors, email }: Member) => {
		const all = [
			...(factors.passkeys > 0 ? [t("passkeys")] : []),
			...(factors.password ? [t("password")] : []),
			...(factors.totp ? [t("app")] : []),
		];
		// The person of a local sandbox is at no provider.
		const sso = email.endsWith("@localhost") ? null : me.factors.sso;
		return all.join(", ") || (sso ?? t("noFactor"));
	};
	const actions = (member: Member) => {
		const items = [
			{ label: t("change"), onSelect: () => onTask({ kind: "change", member }) },
			...(member.userId === selfId ? [] : [{ label: t("reset"), onSelect: () => onTask({ kind: "reset", member }) }]),
			{ label: t("remove"), isBad: true, onSelect: () => onTask({ kind: "remove", member }) },
		];
		const trigger = (
			<Button kind="quiet" isIcon icon={<Ellipsis aria-hidden />}>
				{t("actionsOf", { name: member.name })}
			</Button>
		);
		return <Menu trigger={trigger} groups={[{ items }]} align="end" />;
	};
	const columns: readonly Column<Member>[] = [
		{
			id: "person",
			title: t("person"),
			cell: ({ name, email, userId, disabled }) => (
				<>
					<strong>{name}</strong>
					{userId === selfId ? ` (${t("you")})` : disabled ? ` (${t("closed")})` : ""}
					<br />
					<span className="soft">{email}</span>
				</>
			),
		},
		{ id: "role", title: t("role"), cell: ({ role }) => t(role as Role) },
		{ id: "companies", title: t("companies"), cell: ({ tenantIds }) => names(tenantIds) },
		{ id: "factors", title: t("factors"), cell: factorsOf },
		{ id: "since", title: t("since"), isNarrow: true, cell: ({ createdAt }) => day(createdAt) },
		{ id: "actions", title: t("actions"), isActions: true, cell: actions },
	];
	return <Table caption={t("members")} columns={columns} rows={members} rowId={({ id }) => id} />;
}

function Invitations({ owner }: { readonly owner: string }) {
	const t = useWords(words);
	const { moment } = useFormat();
	const names = useCompanyNames();
	const asked = useCall("listTeamInvitations", { query: { owner } });
	const withdraw = useSend("deleteTeamInvitation", ["listTeamInvitations"]);
	const columns: readonly Column<Invitation>[] = [
		{ id: "email", title: t("email"), cell: ({ email }) => email },
		{ id: "role", title: t("role"), cell: ({ role }) => t(role as Role) },
		{ id: "companies", title: t("companies"), cell: ({ tenantIds }) => names(tenantIds) },
		{ id: "until", title: t("until"), cell: ({ expiresAt }) => moment(expiresAt) },
		{
			id: "actions",
			title: t("actions"),
			isActions: true,
			cell: ({ id, email }) => (
				<Button
					aria-label={t("withdrawNamed", { name: email })}
					onClick={() => withdraw.mutate({ path: { id } }, { onSuccess: () => notify(t("withdrawn")) })}
				>
					{t("withdraw")}
				</Button>
			),
		},
	];
	return (
		<section className="card">
			<div className="card-head">
				<h2>{t("invitations")}</h2>
			</div>
			<Refusal error={withdraw.error} />
			<Block
				asked={asked}
				lines={1}
				isEmpty={({ count }) => count === 0}
				empty={<p className="card-body soft">{t("noInvitations")}</p>}
			>
				{({ items }) => <Table caption={t("invitations")} columns={columns} rows={items} rowId={({ id }) => id} />}
			</Block>
		</section>
	);
}
