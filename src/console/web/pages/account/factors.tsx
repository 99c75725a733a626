/** The parts of the account that change how a person signs in. */
import { startRegistration } from "@simplewebauthn/browser";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Copy, KeyRound, Smartphone } from "lucide-react";
import encodeQR from "qr";
import { type FormEvent, useId, useState } from "react";
import { type Answer, type CallError, call, type Input, type OperationId } from "../../api/call";
import { callKey, useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import type { Me } from "../../app/session";
import { Button } from "../../kit/button";
import { Dialog, SureDialog } from "../../kit/dialog";
import { Field, TextInput } from "../../kit/field";
import { Block, Callout, Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { nameOf, Section } from "./section";
import { words } from "./words";

/** A change of the account; afterwards the page shows the person anew. */
function useChange<Id extends OperationId>(id: Id) {
	const client = useQueryClient();
	return useMutation<Answer<Id>, CallError, Input<Id>>({
		mutationFn: (input) => call(id, input),
		onSuccess: async () => {
			await client.invalidateQueries({ queryKey: ["me"] });
			await client.invalidateQueries({ queryKey: callKey("listPasskeys") });
		},
	});
}

export function Passkeys() {
	const t = useWords(words);
	const { day, ago } = useFormat();
	const asked = useCall("listPasskeys", {});
	const begin = useMutation<Answer<"createPasskeyOptions">, CallError>({
		mutationFn: () => call("createPasskeyOptions", {}),
	});
	const remove = useChange("deletePasskey");
	const [leaving, setLeaving] = useState<{ readonly id: string; readonly label: string }>();
	const removeIt = () => {
		if (leaving) remove.mutate({ path: { id: leaving.id } }, { onSuccess: () => notify(t("removed")) });
		setLeaving(undefined);
	};
	const add = (
		<Button icon={<KeyRound aria-hidden />} isBusy={begin.isPending} onClick={() => begin.mutate()}>
			{t("addPasskey")}
		</Button>
	);
	return (
		<Section title={t("passkeys")} actions={add}>
			<p className="soft">{t("passkeysText")}</p>
			<Refusal error={begin.error ?? remove.error} />
			<Block asked={asked} lines={1} isEmpty={({ count }) => count === 0} empty={<p>{t("noPasskeys")}</p>}>
				{({ items }) => (
					<ul className="rows">
						{items.map(({ id, label, isBackedUp, createdAt, lastUsedAt }) => (
							<li key={id}>
								<div>
									<strong>{label}</strong>
									<p className="soft">
										{t("added", { date: day(createdAt) })}
										{lastUsedAt === null ? "" : `, ${t("used", { ago: ago(lastUsedAt) })}`}
										{isBackedUp ? ` · ${t("copied")}` : ""}
									</p>
								</div>
								<Button aria-label={t("removeNamed", { name: label })} onClick={() => setLeaving({ id, label })}>
									{t("remove")}
								</Button>
							</li>
						))}
					</ul>
				)}
			</Block>
			{begin.data ? <NewPasskey options={begin.data} onClose={begin.reset} /> : null}
			{leaving ? (
				<SureDialog
					title={t("removePasskey")}
					text={t("removePasskeyText", { name: leaving.label })}
					word={t("remove")}
					onSure={removeIt}
					onClose={() => setLeaving(undefined)}
				/>
			) : null}
		</Section>
	);
}

type NewPasskeyProps = { readonly options: Answer<"createPasskeyOptions">; readonly onClose: () => void };

function NewPasskey({ options, onClose }: NewPasskeyProps) {
	const t = useWords(words);
	const form = useId();
	const [hasFailed, setFailed] = useState(false);
	const create = useChange("createPasskey");
	const submit = async (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		setFailed(false);
		const label = String(new FormData(event.currentTarget).get("label")).trim();
		try {
			const credential = await startRegistration({ optionsJSON: options as never });
			const added = () => {
				notify(t("passkeyAdded"));
				onClose();
			};
			create.mutate({ body: { label, credential: credential as never } }, { onSuccess: added });
		} catch {
			setFailed(true);
		}
	};
	const actions = (
		<Button type="submit" form={form} kind="primary" isBusy={create.isPending}>
			{t("create")}
		</Button>
	);
	return (
		<Dialog title={t("addPasskey")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={(event) => void submit(event)}>
				{hasFailed ? <Callout tone="bad">{t("passkeyFailed")}</Callout> : null}
				<Refusal error={create.error} />
				<Field label={t("passkeyName")} hint={t("passkeyNameHint")}>
					<TextInput name="label" defaultValue={nameOf(navigator.userAgent)} maxLength={60} required />
				</Field>
			</form>
		</Dialog>
	);
}

export function Password({ me }: { readonly me: Me }) {
	const t = useWords(words);
	const set = useChange("putPassword");
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const form = event.currentTarget;
		const password = String(new FormData(form).get("password"));
		const done = () => {
			form.reset();
			notify(t("passwordSet"));
		};
		set.mutate({ body: { password } }, { onSuccess: done });
	};
	const isSandbox = me.environment.endsWith("sandbox");
	return (
		<Section title={t("password")}>
			<p className="soft">{[t("passwordText"), ...(isSandbox ? [] : [t("passwordWithApp")])].join(" ")}</p>
			<Refusal error={set.error} />
			<form className="account-form" onSubmit={submit}>
				{/* Password managers keep the address with it. */}
				<input type="hidden" name="username" autoComplete="username" value={me.user.email ?? ""} />
				<Field label={t("newPassword")}>
					<TextInput type="password" name="password" autoComplete="new-password" minLength={12} required />
				</Field>
				<Button type="submit" isBusy={set.isPending}>
					{me.factors.password ? t("changePassword") : t("setPassword")}
				</Button>
			</form>
		</Section>
	);
}

export function App({ me }: { readonly me: Me }) {
	const t = useWords(words);
	const begin = useMutation<Answer<"createTotp">, CallError>({ mutationFn: () => call("createTotp", {}) });
	const remove = useChange("deleteTotp");
	const [isLeaving, setLeaving] = useState(false);
	const isOn = me.factors.totp;
	const removeIt = () => {
		remove.mutate({}, { onSuccess: () => notify(t("removed")) });
		setLeaving(false);
	};
	return (
		<Section title={t("app")}>
			<p className="soft">{isOn ? t("appOn") : t("appOff")}</p>
			<Refusal error={begin.error ?? remove.error} />
			<div className="account-actions">
				<Button icon={<Smartphone aria-hidden />} isBusy={begin.isPending} onClick={() => begin.mutate()}>
					{isOn ? t("replaceApp") : t("setUpApp")}
				</Button>
				{isOn ? (
					<Button kind="quiet" onClick={() => setLeaving(true)}>
						{t("remove")}
					</Button>
				) : null}
			</div>
			{begin.data ? <NewApp {...begin.data} onClose={begin.reset} /> : null}
			{isLeaving ? (
				<SureDialog
					title={t("removeApp")}
					text={t("removeAppText")}
					word={t("remove")}
					onSure={removeIt}
					onClose={() => setLeaving(false)}
				/>
			) : null}
		</Section>
	);
}

function NewApp({ secret, uri, onClose }: Answer<"createTotp"> & { readonly onClose: () => void }) {
	const t = useWords(words);
	const form = useId();
	const set = useChange("putTotp");
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const code = String(new FormData(event.currentTarget).get("code"));
		const done = () => {
			notify(t("appSet"));
			onClose();
		};
		set.mutate({ body: { secret, code } }, { onSuccess: done });
	};
	const actions = (
		<Button type="submit" form={form} kind="primary" isBusy={set.isPending}>
			{t("useApp")}
		</Button>
	);
	return (
		<Dialog title={t("setUpApp")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<p>{t("scan")}</p>
				<QrCode text={uri} name={t("qr")} />
				<p>
					{t("secret")}: <code className="account-secret">{secret.match(/.{1,4}/g)?.join(" ")}</code>
				</p>
				<Refusal error={set.error} />
				<Field label={t("code")}>
					<TextInput
						name="code"
						className="number"
						inputMode="numeric"
						autoComplete="one-time-code"
						pattern="[0-9 ]{6,7}"
						required
					/>
				</Field>
			</form>
		</Dialog>
	);
}

/** Dark on light in both themes, as cameras expect it. */
function QrCode({ text, name }: { readonly text: string; readonly name: string }) {
	const rows = encodeQR(text, "raw", { border: 2 });
	const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
	return (
		<svg className="account-qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={name}>
			<path d={path} />
		</svg>
	);
}

export function RecoveryCodes({ me }: { readonly me: Me }) {
	const t = useWords(words);
	const { count } = useFormat();
	const make = useChange("createRecoveryCodes");
	const codes = make.data?.codes ?? [];
	const copy = async () => {
		await navigator.clipboard.writeText(codes.join("\n"));
		notify(t("copyDone"));
	};
	const actions = (
		<>
			<Button icon={<Copy aria-hidden />} onClick={() => void copy()}>
				{t("copy")}
			</Button>
			<Button kind="primary" onClick={make.reset}>
				{t("kept")}
			</Button>
		</>
	);
	return (
		<Section title={t("codes")}>
			<p className="soft">{t("codesLeft", { count: count(me.factors.recoveryCodes) })}</p>
			<Refusal error={make.error} />
			<div className="account-actions">
				<Button isBusy={make.isPending} onClick={() => make.mutate({})}>
					{t("makeCodes")}
				</Button>
			</div>
			<Dialog title={t("codesTitle")} isOpen={codes.length > 0} onClose={make.reset} actions={actions}>
				<div className="stack">
					<p>{t("codesText")}</p>
					<ul className="account-codes">
						{codes.map((code) => (
							<li key={code} className="mono">
								{code}
							</li>
						))}
					</ul>
				</div>
			</Dialog>
		</Section>
	);
}
