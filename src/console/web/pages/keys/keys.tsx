/** The owner's API keys: what each may do, from where, and when it was used last. */
import { Ellipsis, KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useCall, useSend } from "../../api/use-call";
import { useCompanyNames } from "../../app/company-choice";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { SecretDialog, SureDialog } from "../../kit/dialog";
import { Menu } from "../../kit/menu";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty, Prose, Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Pages, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { ClientCard } from "./client";
import { type Key, KeyDialog, RotateDialog } from "./dialogs";
import { words } from "./words";

type Task = { readonly kind: "change" | "rotate" | "revoke"; readonly item: Key };

const PAGE = 50;
/** Scopes that a row shows; its title has all. */
const SHOWN = 2;

export default function Keys() {
	const t = useWords(words);
	const { may, company } = useHere();
	const [params] = useSearchParams();
	const after = params.get("after") ?? undefined;
	const [isMaking, setMaking] = useState(false);
	const [task, setTask] = useState<Task>();
	const [secret, setSecret] = useState<string>();
	const [client, setClient] = useState<string>();
	const asked = useCall("listApiKeys", { query: { limit: PAGE, ...(after ? { after } : {}) } }, { keepsFormer: true });
	const revoke = useSend("deleteApiKey", ["listApiKeys"]);
	const end = () => setTask(undefined);
	const { kind, item } = task ?? {};
	const revokeIt = ({ id }: Key) => {
		revoke.mutate({ path: { id } }, { onSuccess: () => notify(t("revoked")) });
		end();
	};
	const makeButton =
		may("keys:write") && company.ownerId !== null ? (
			<Button kind="primary" icon={<Plus aria-hidden />} onClick={() => setMaking(true)}>
				{t("make")}
			</Button>
		) : null;
	const empty =
		company.ownerId === null ? (
			<Empty title={t("demo")} icon={KeyRound}>
				<Prose text={t("demoText")} />
			</Empty>
		) : (
			<Empty title={t("empty")} icon={KeyRound} actions={makeButton}>
				{t("emptyText")}
			</Empty>
		);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				{asked.data?.items.length === 0 ? null : makeButton}
			</div>
			<Refusal error={revoke.error} />
			<section className="card" aria-label={t("keys")}>
				<Block asked={asked} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{({ items, next }) => (
						<>
							<KeyTable items={items} onTask={setTask} />
							<Pages next={next} />
						</>
					)}
				</Block>
			</section>
			<ClientCard onSecret={setClient} />
			{isMaking ? <KeyDialog onSecret={setSecret} onClose={() => setMaking(false)} /> : null}
			{kind === "change" && item ? <KeyDialog item={item} onSecret={setSecret} onClose={end} /> : null}
			{kind === "rotate" && item ? <RotateDialog item={item} onSecret={setSecret} onClose={end} /> : null}
			{kind === "revoke" && item ? (
				<SureDialog
					title={t("revokeTitle", { name: item.label })}
					text={t("revokeText")}
					word={t("revoke")}
					onSure={() => revokeIt(item)}
					onClose={end}
				/>
			) : null}
			{client === undefined ? null : (
				<SecretDialog
					title={t("clientTitle")}
					text={t("clientSecretText")}
					secret={client}
					onClose={() => setClient(undefined)}
				/>
			)}
			{secret === undefined ? null : (
				<SecretDialog
					title={t("secretTitle")}
					text={t("secretText")}
					secret={secret}
					onClose={() => setSecret(undefined)}
				/>
			)}
		</>
	);
}

type KeyTableProps = { readonly items: readonly Key[]; readonly onTask: (task: Task) => void };

function KeyTable({ items, onTask }: KeyTableProps) {
	const t = useWords(words);
	const { may } = useHere();
	const { ago, count, day, moment } = useFormat();
	const names = useCompanyNames();
	const actions = (item: Key) => {
		const entry = (kind: Task["kind"], isBad = false) => ({
			label: t(kind),
			isBad,
			onSelect: () => onTask({ kind, item }),
		});
		const trigger = (
			<Button kind="quiet" isIcon icon={<Ellipsis aria-hidden />}>
				{t("actionsOf", { name: item.label })}
			</Button>
		);
		const changes = isOver(item) ? [entry("change")] : [entry("change"), entry("rotate")];
		return <Menu trigger={trigger} groups={[{ items: changes }, { items: [entry("revoke", true)] }]} align="end" />;
	};
	const columns: readonly Column<Key>[] = [
		{
			id: "name",
			title: t("name"),
			cell: ({ label, prefix, createdAt }) => (
				<span className="keys-name">
					<strong>{label}</strong>
					<code>{`${prefix}…`}</code>
					<span className="soft">{t("made", { day: day(createdAt) })}</span>
				</span>
			),
		},
		{
			id: "scopes",
			title: t("scopes"),
			cell: ({ scopes }) => (
				<span className="keys-scopes" title={scopes.join(", ")}>
					{scopes.slice(0, SHOWN).map((scope) => (
						<code key={scope}>{scope}</code>
					))}
					{scopes.length > SHOWN ? (
						<span className="soft">{t("more", { count: count(scopes.length - SHOWN) })}</span>
					) : null}
				</span>
			),
		},
		{
			id: "companies",
			title: t("companies"),
			cell: ({ tenantIds }) => names(tenantIds.length === 0 ? null : tenantIds),
		},
		{
			id: "addresses",
			title: t("addresses"),
			cell: ({ ipAllowList: ranges }) =>
				ranges.length === 0 ? (
					t("anyAddress")
				) : (
					<span className="keys-ranges" title={ranges.join(", ")}>
						{ranges.slice(0, SHOWN).map((range) => (
							<code key={range}>{range}</code>
						))}
						{ranges.length > SHOWN ? (
							<span className="soft">{t("more", { count: count(ranges.length - SHOWN) })}</span>
						) : null}
					</span>
				),
		},
		{
			id: "used",
			title: t("used"),
			isNarrow: true,
			cell: ({ lastUsedAt }) =>
				lastUsedAt === null ? (
					<span className="soft">{t("never")}</span>
				) : (
					<time dateTime={lastUsedAt} title={moment(lastUsedAt)}>
						{ago(lastUsedAt)}
					</time>
				),
		},
		{
			id: "ends",
			title: t("ends"),
			isNarrow: true,
			cell: (item) =>
				isOver(item) ? (
					<Status tone="bad">{t("expired")}</Status>
				) : item.expiresAt === null ? (
					<span className="soft">{t("noEnd")}</span>
				) : (
					moment(item.expiresAt)
				),
		},
		...(may("keys:write") ? [{ id: "actions", title: t("actions"), isActions: true, cell: actions }] : []),
	];
	return <Table caption={t("keys")} columns={columns} rows={items} rowId={({ id }) => id} />;
}

const isOver = ({ expiresAt }: Key): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now();
