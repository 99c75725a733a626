/** A dialog over Base UI: it keeps the focus, closes by Escape, and gives the focus back. */
import { Dialog as Base } from "@base-ui/react/dialog";
import { Copy, X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { CallError } from "../api/call";
import { useWords } from "../app/language";
import { Button } from "./button";
import { Field, Select } from "./field";
import { Refusal } from "./states";
import { notify } from "./toast";
import { kitWords } from "./words";

type DialogProps = {
	readonly title: string;
	readonly isOpen: boolean;
	readonly onClose: () => void;
	readonly isWide?: boolean;
	readonly children: ReactNode;
	/** Its buttons, the main one last. */
	readonly actions?: ReactNode;
	/** What had the focus is gone when it closes: the page's content gets it. */
	readonly isLast?: boolean;
};

/** Where the focus was before any dialog or menu: one dialog may follow another, whose buttons are gone when the last one closes. */
let before: HTMLElement | undefined;
document.addEventListener("focusin", ({ target }) => {
	if (target instanceof HTMLElement && !target.closest("[role=dialog], [role=menu]")) before = target;
});

export function Dialog({ title, isOpen, onClose, isWide = false, children, actions, isLast = false }: DialogProps) {
	const t = useWords(kitWords);
	const body = useRef<HTMLDivElement>(null);
	// The content comes before the button that closes it.
	const findFirst = () => body.current?.querySelector<HTMLElement>("input, select, textarea, button, a[href]") ?? true;
	const findNext = () => {
		const now = document.activeElement;
		// It has gone on already, to a further dialog or another page.
		if (now && now !== document.body && !now.closest("[role=dialog]")?.contains(body.current)) return false;
		return !isLast && before?.isConnected ? before : document.querySelector<HTMLElement>("main");
	};
	return (
		<Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
			<Base.Portal>
				<Base.Backdrop className="dialog-veil" />
				<Base.Popup className={`dialog${isWide ? " dialog-wide" : ""}`} initialFocus={findFirst} finalFocus={findNext}>
					<div className="dialog-head">
						<Base.Title>{title}</Base.Title>
						<Base.Close render={<Button kind="quiet" isIcon icon={<X aria-hidden />} />}>{t("close")}</Base.Close>
					</div>
					<div ref={body}>{children}</div>
					{actions ? <div className="dialog-foot">{actions}</div> : null}
				</Base.Popup>
			</Base.Portal>
		</Base.Root>
	);
}

type FormActionsProps = {
	/** The form's id. */
	readonly form: string;
	/** Absent: the form is not sent to the service. */
	readonly isBusy?: boolean;
	readonly disabled?: boolean;
	readonly onClose: () => void;
	/** What sends the form. */
	readonly children: ReactNode;
};

/** The buttons of a dialog with a form. */
export function FormActions({ form, isBusy, disabled = false, onClose, children }: FormActionsProps) {
	const t = useWords(kitWords);
	return (
		<>
			<Button onClick={onClose}>{t("cancel")}</Button>
			<Button kind="primary" type="submit" {...{ form, disabled, ...(isBusy === undefined ? {} : { isBusy }) }}>
				{children}
			</Button>
		</>
	);
}

type SureProps = {
	readonly title: string;
	readonly text: string;
	readonly word: string;
	readonly onSure: () => void;
	readonly onClose: () => void;
};

/** Closed before the call, which may ask for a factor in a dialog of its own. */
export function SureDialog({ title, text, word, onSure, onClose }: SureProps) {
	const t = useWords(kitWords);
	const actions = (
		<>
			<Button onClick={onClose}>{t("cancel")}</Button>
			<Button kind="danger" isBusy={false} onClick={onSure}>
				{word}
			</Button>
		</>
	);
	return (
		<Dialog title={title} isOpen onClose={onClose} actions={actions}>
			<p>{text}</p>
		</Dialog>
	);
}

const GRACES = ["86400", "3600", "604800", "0"] as const;

type ReplaceProps = Omit<SureProps, "onSure"> & {
	/** What the time is called in which old and new are valid. */
	readonly label: string;
	readonly hint: string;
	readonly sent: { readonly isPending: boolean; readonly error: CallError | null };
	readonly onSend: (graceSeconds: number, idempotencyKey: string) => void;
};

/** Replaces a secret; the old one stays valid for a time. */
export function ReplaceDialog({ title, text, word, label, hint, sent, onSend, onClose }: ReplaceProps) {
	const t = useWords(kitWords);
	const [grace, setGrace] = useState<string>(GRACES[0]);
	const [idempotencyKey] = useState(() => crypto.randomUUID());
	const actions = (
		<Button kind="primary" isBusy={sent.isPending} onClick={() => onSend(Number(grace), idempotencyKey)}>
			{word}
		</Button>
	);
	return (
		<Dialog title={title} isOpen onClose={onClose} actions={actions}>
			<div className="stack">
				<p>{text}</p>
				<Refusal error={sent.error} />
				<Field label={label} hint={hint}>
					<Select
						value={grace}
						onChange={({ target }) => setGrace(target.value)}
						options={GRACES.map((seconds) => ({ value: seconds, label: t(`grace_${seconds}`) }))}
					/>
				</Field>
			</div>
		</Dialog>
	);
}

type SecretProps = {
	readonly title: string;
	readonly text: string;
	readonly secret: string;
	readonly onClose: () => void;
};

/** A secret that is shown once. */
export function SecretDialog({ title, text, secret, onClose }: SecretProps) {
	const t = useWords(kitWords);
	const copy = () => void navigator.clipboard.writeText(secret).then(() => notify(t("copied")));
	const actions = (
		<>
			<Button icon={<Copy aria-hidden />} onClick={copy}>
				{t("copy")}
			</Button>
			<Button kind="primary" onClick={onClose}>
				{t("done")}
			</Button>
		</>
	);
	return (
		<Dialog title={title} isOpen onClose={onClose} actions={actions}>
			<div className="stack">
				<p>{text}</p>
				<code className="secret">{secret}</code>
			</div>
		</Dialog>
	);
}
