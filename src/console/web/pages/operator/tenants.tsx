/** All companies: find one, read it for a reason, change its plan or state. */
import { useQueryClient } from "@tanstack/react-query";
import { Building2, Ellipsis } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import type { Answer, Input } from "../../api/call";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useMayOperate } from "../../app/session";
import { frameWords } from "../../app/words";
import { Button } from "../../kit/button";
import { Dialog, SureDialog } from "../../kit/dialog";
import { Field, labelOf, Select, TextInput } from "../../kit/field";
import { Menu } from "../../kit/menu";
import { PageTitle } from "../../kit/page-title";
import { SearchField } from "../../kit/search-field";
import { Block, Empty, NoneFound, Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Pages, Table, useSetParam } from "../../kit/table";
import { notify } from "../../kit/toast";
import { words } from "./words";

type Tenant = Answer<"listTenants">["items"][number];
type State = Tenant["status"];
type Task = { readonly kind: "read" | "plan" | "suspend" | "resume" | "close"; readonly tenant: Tenant };

const STATES = ["active", "suspended", "closed"] as const satisfies readonly State[];
const TONES = { active: "good", suspended: "warn", closed: "plain" } as const;
const TO_STATE = { suspend: "suspended", resume: "active", close: "closed" } as const;
const PLANS = ["demo", "free", "starter", "business", "enterprise", "unlimited"] as const;
const PAGE = 50;

export default function Tenants() {
	const t = useWords(words);
	const [params, setParams] = useSearchParams();
	const [task, setTask] = useState<Task>();
	const change = useSend("patchTenant", ["listTenants"]);
	const [q, status, after] = [params.get("q"), params.get("status"), params.get("after")];
	const query = {
		...{ limit: PAGE, ...(q ? { q } : {}), ...(after ? { after } : {}) },
		...(status ? { status: status as State } : {}),
	} as Input<"listTenants">["query"];
	const asked = useCall("listTenants", { query }, { keepsFormer: true });
	const set = useSetParam();
	const states = STATES.map((value) => ({ value: value as string, label: t(value) }));
	const filters = [
		[t("company"), q],
		[t("state"), labelOf(states, status)],
	] as const;
	const empty =
		q || status ? (
			<NoneFound title={t("noTenants")} filters={filters} onClear={() => setParams({}, { replace: true })} />
		) : (
			<Empty title={t("noTenants")} icon={Building2}>
				{t("noTenantsText")}
			</Empty>
		);
	const end = () => setTask(undefined);
	const kind = task?.kind;
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("tenantsTitle")}</PageTitle>
			</div>
			<p className="soft">{t("tenantsText")}</p>
			<search className="toolbar">
				<SearchField
					label={t("findTenant")}
					placeholder={t("findTenant")}
					value={q ?? ""}
					onChange={(value) => set("q", value)}
				/>
				<Field label={t("state")} hidesLabel>
					<Select
						value={status ?? ""}
						onChange={({ target }) => set("status", target.value)}
						options={[{ value: "", label: t("anyState") }, ...states]}
					/>
				</Field>
			</search>
			<Refusal error={change.error} />
			<section className="card" aria-label={t("tenantsTitle")}>
				<Block asked={asked} lines={8} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{({ items, next }) => (
						<>
							<TenantTable items={items} onTask={setTask} />
							<Pages next={next} />
						</>
					)}
				</Block>
			</section>
			{task && kind === "read" ? <ReadDialog tenant={task.tenant} onClose={end} /> : null}
			{task && kind === "plan" ? <PlanDialog tenant={task.tenant} onClose={end} /> : null}
			{task && (kind === "suspend" || kind === "resume" || kind === "close") ? (
				<SureDialog
					title={t(`${kind}Title`, { name: task.tenant.name })}
					text={t(`${kind}Text`)}
					word={t(kind)}
					onSure={() => {
						const input = { path: { id: task.tenant.tenantId }, body: { status: TO_STATE[kind] } };
						change.mutate(input, { onSuccess: () => notify(t("stateSaved"), { description: task.tenant.name }) });
						end();
					}}
					onClose={end}
				/>
			) : null}
		</>
	);
}

type TenantTableProps = { readonly items: readonly Tenant[]; readonly onTask: (task: Task) => void };

function TenantTable({ items, onTask }: TenantTableProps) {
	const t = useWords(words);
	const frame = useWords(frameWords);
	const { day } = useFormat();
	const mayChange = useMayOperate();
	const actions = (tenant: Tenant) => {
		const item = (kind: Task["kind"], isBad = false) => ({
			label: t(kind === "plan" ? "changePlan" : kind),
			isBad,
			onSelect: () => onTask({ kind, tenant }),
		});
		const trigger = (
			<Button kind="quiet" isIcon icon={<Ellipsis aria-hidden />}>
				{t("actionsOf", { name: tenant.name })}
			</Button>
		);
		const { status } = tenant;
		const changes = [
			...(status === "active" ? [item("suspend", true)] : [item("resume")]),
			...(status === "closed" ? [] : [item("close", true)]),
		];
		return (
			<Menu trigger={trigger} groups={[{ items: [item("read"), item("plan")] }, { items: changes }]} align="end" />
		);
	};
	const columns: readonly Column<Tenant>[] = [
		{
			...{ id: "company", title: t("company") },
			cell: ({ name, rnc }) => (
				<span className="operator-name">
					<strong>{name}</strong>
					<span className="soft number">{rnc}</span>
				</span>
			),
		},
		{
			...{ id: "state", title: t("state"), onPhone: "beside" },
			cell: ({ status }) => <Status tone={TONES[status]}>{t(status)}</Status>,
		},
		{ id: "plan", title: t("plan"), cell: ({ plan }) => frame(`plan_${plan}`) },
		{ id: "since", title: t("since"), isNarrow: true, cell: ({ createdAt }) => day(createdAt) },
		...(mayChange ? [{ id: "actions", title: t("actions"), isActions: true, cell: actions }] : []),
	];
	return <Table caption={t("tenantsTitle")} columns={columns} rows={items} rowId={({ tenantId }) => tenantId} />;
}

type TenantDialogProps = { readonly tenant: Tenant; readonly onClose: () => void };

function ReadDialog({ tenant: { tenantId, name }, onClose }: TenantDialogProps) {
	const t = useWords(words);
	const form = useId();
	const client = useQueryClient();
	const [, go] = useLocation();
	const open = useSend("openTenant");
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const body = { reason: String(values.get("reason")).trim(), minutes: Number(values.get("minutes")) };
		const enter = async () => {
			// The company is now one of those that the person sees.
			await client.refetchQueries({ queryKey: ["me"] });
			go(`~/console/c/${tenantId}`);
		};
		open.mutate({ path: { id: tenantId }, body }, { onSuccess: () => void enter() });
	};
	const actions = (
		<Button type="submit" form={form} kind="primary" isBusy={open.isPending}>
			{t("open")}
		</Button>
	);
	return (
		<Dialog title={t("readTitle", { name })} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<p className="soft">{t("readText")}</p>
				<Refusal error={open.error} />
				<Field label={t("reason")} hint={t("reasonHint")}>
					<TextInput name="reason" maxLength={200} autoComplete="off" required />
				</Field>
				<Field label={t("minutes")}>
					<TextInput name="minutes" type="number" className="number" min={1} max={60} defaultValue={30} required />
				</Field>
			</form>
		</Dialog>
	);
}

function PlanDialog({ tenant: { tenantId, name, plan }, onClose }: TenantDialogProps) {
	const t = useWords(words);
	const frame = useWords(frameWords);
	const [chosen, setChosen] = useState<Tenant["plan"]>(plan);
	const change = useSend("patchTenant", ["listTenants"]);
	const save = () => {
		const done = () => {
			notify(t("planSaved"), { description: name });
			onClose();
		};
		change.mutate({ path: { id: tenantId }, body: { plan: chosen } }, { onSuccess: done });
	};
	const actions = (
		<Button kind="primary" isBusy={change.isPending} disabled={chosen === plan} onClick={save}>
			{t("save")}
		</Button>
	);
	return (
		<Dialog title={t("planTitle", { name })} isOpen onClose={onClose} actions={actions}>
			<div className="stack">
				<p className="soft">{t("planText")}</p>
				<Refusal error={change.error} />
				<Field label={t("plan")}>
					<Select
						value={chosen}
						options={PLANS.map((value) => ({ value, label: frame(`plan_${value}`) }))}
						onChange={({ target }) => setChosen(target.value as Tenant["plan"])}
					/>
				</Field>
			</div>
		</Dialog>
	);
}
