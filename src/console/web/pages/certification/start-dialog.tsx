/** The dialog that starts a test set. */
import { type FormEvent, useId, useState } from "react";
import type { TestSetRequest } from "../../api/generated";
import { useSend } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button, LinkButton } from "../../kit/button";
import { Dialog } from "../../kit/dialog";
import { Field, Select, TextInput } from "../../kit/field";
import { Refusal } from "../../kit/states";
import { TYPES } from "../invoices/filter";
import { words as listWords } from "../invoices/words";
import { words } from "./words";

type Mode = NonNullable<TestSetRequest["mode"]>;

const MODES: readonly Mode[] = ["simulate", "authority"];
const NICHES = ["retail", "construction", "restaurant", "pharmacy", "services"] as const;

type StartDialogProps = { readonly onDone: (id: string) => void; readonly onClose: () => void };

export function StartDialog({ onDone, onClose }: StartDialogProps) {
	const t = useWords(words);
	const ofList = useWords(listWords);
	const { me } = useHere();
	const form = useId();
	// A rehearsal comes first; in production it has been done.
	const [mode, setMode] = useState<Mode>(me.environment === "production" ? "authority" : "simulate");
	const [types, setTypes] = useState<ReadonlySet<string>>(new Set(TYPES));
	const start = useSend("createCheckSetTests", ["listCheckSetTests"]);
	const { error } = start;
	const fault = error?.faultAt("/startNumber");
	const running = error?.slug === "test-set-in-progress" ? error.problem?.id : undefined;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const startNumber = String(values.get("startNumber")).trim();
		const body = {
			...{ mode, niche: NICHES.find((one) => one === values.get("niche")) ?? "retail" },
			...(types.size === TYPES.length ? {} : { types: [...types] }),
			...(startNumber === "" ? {} : { startNumber }),
		};
		start.mutate({ body, idempotencyKey: crypto.randomUUID() }, { onSuccess: ({ id }) => onDone(id) });
	};
	const actions = (
		<>
			<Button onClick={onClose}>{t("close")}</Button>
			<Button type="submit" form={form} kind="primary" isBusy={start.isPending} disabled={types.size === 0}>
				{t("doStart")}
			</Button>
		</>
	);
	return (
		<Dialog title={t("startTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<Refusal error={fault === undefined ? error : null} />
				{typeof running === "string" ? (
					<div>
						<LinkButton href={`/certification/${running}`}>{t("running")}</LinkButton>
					</div>
				) : null}
				<Field label={t("mode")} hint={t(`modeHint_${mode}`)}>
					<Select
						value={mode}
						options={MODES.map((value) => ({ value, label: t(value) }))}
						onChange={({ target }) => setMode(MODES.find((one) => one === target.value) ?? "simulate")}
					/>
				</Field>
				<fieldset className="choices">
					<legend className="field-label">{t("types")}</legend>
					{TYPES.map((type) => (
						<label key={type} className="check">
							<input
								type="checkbox"
								checked={types.has(type)}
								onChange={() => setTypes(types.symmetricDifference(new Set([type])))}
							/>
							{`${type} · ${ofList(`type${type}`)}`}
						</label>
					))}
					<span className="field-hint">{t("typesHint")}</span>
				</fieldset>
				<Field label={t("niche")} hint={t("nicheHint")}>
					<Select name="niche" options={NICHES.map((value) => ({ value, label: t(value) }))} />
				</Field>
				<Field label={t("startNumber")} hint={t("startNumberHint")} error={fault}>
					<TextInput name="startNumber" inputMode="numeric" pattern="[0-9]{10}" maxLength={10} autoComplete="off" />
				</Field>
			</form>
		</Dialog>
	);
}
