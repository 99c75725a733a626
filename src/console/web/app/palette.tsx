/**
 * Ctrl+K: finds pages, invoices and actions by typing. The input keeps the focus; arrow keys choose, Enter goes.
 * Source: ARIA Authoring Practices, combobox with list autocomplete.
 */
import { FileText, Languages, LogOut, type LucideIcon, Moon, Search, Sun } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { useCall } from "../api/use-call";
import { Button } from "../kit/button";
import { Dialog } from "../kit/dialog";
import type { InvoiceStatus } from "../kit/status";
import { kitWords } from "../kit/words";
import { setLanguage, useLanguage, useWords } from "./language";
import type { ConsolePage } from "./pages";
import { useSignOut } from "./session";
import { setTheme } from "./theme";
import { frameWords } from "./words";

type Entry = {
	readonly key: string;
	readonly label: string;
	readonly about?: string;
	readonly icon: LucideIcon;
	readonly act: () => void;
};

/** Shorter texts would find most invoices. */
const SEARCHED_MIN = 3;
const FOUND_MAX = 8;

type PaletteProps = { readonly entries: readonly ConsolePage[]; readonly findsInvoices: boolean };

export function Palette(place: PaletteProps) {
	const t = useWords(frameWords);
	const [isOpen, setOpen] = useState(false);
	useEffect(() => {
		const open = (event: globalThis.KeyboardEvent) => {
			if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
				return;
			event.preventDefault();
			setOpen(true);
		};
		document.addEventListener("keydown", open);
		return () => document.removeEventListener("keydown", open);
	}, []);
	return (
		<>
			<Button
				kind="quiet"
				isIcon
				icon={<Search aria-hidden />}
				aria-keyshortcuts="Control+K"
				onClick={() => setOpen(true)}
			>
				{t("find")}
			</Button>
			<Dialog title={t("find")} isOpen={isOpen} onClose={() => setOpen(false)}>
				<Finder {...place} onDone={() => setOpen(false)} />
			</Dialog>
		</>
	);
}

function Finder({ onDone, ...place }: PaletteProps & { readonly onDone: () => void }) {
	const t = useWords(frameWords);
	const id = useId();
	const [text, setText] = useState("");
	const [chosen, setChosen] = useState(0);
	const entries = useEntries(text.trim(), place);
	const at = Math.min(chosen, entries.length - 1);
	const optionId = (index: number) => `${id}-${index}`;
	const go = (entry: Entry | undefined) => {
		if (!entry) return;
		onDone();
		entry.act();
	};
	const move = (event: KeyboardEvent) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step !== undefined && entries.length > 0) {
			event.preventDefault();
			setChosen((at + step + entries.length) % entries.length);
		}
		if (event.key === "Enter") go(entries[at]);
	};
	return (
		<div className="palette">
			<input
				className="input"
				role="combobox"
				aria-label={t("find")}
				aria-expanded={entries.length > 0}
				aria-controls={`${id}-list`}
				aria-autocomplete="list"
				aria-activedescendant={entries.length > 0 ? optionId(at) : undefined}
				placeholder={t("findHint")}
				autoComplete="off"
				spellCheck={false}
				value={text}
				onChange={({ target }) => {
					setText(target.value);
					setChosen(0);
				}}
				onKeyDown={move}
			/>
			<div id={`${id}-list`} role="listbox" aria-label={t("find")} className="palette-list">
				{entries.map((entry, index) => (
					// biome-ignore lint/a11y/useFocusableInteractive: as above
					// biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys
					<div
						key={entry.key}
						id={optionId(index)}
						role="option"
						aria-selected={index === at}
						className="menu-item"
						onClick={() => go(entry)}
						onMouseMove={() => setChosen(index)}
					>
						<entry.icon aria-hidden />
						<span className="menu-text">{entry.label}</span>
						{entry.about ? <span className="soft">{entry.about}</span> : null}
					</div>
				))}
			</div>
			{entries.length === 0 ? <p className="soft">{t("nothingFound")}</p> : null}
		</div>
	);
}

function useEntries(text: string, { entries, findsInvoices }: PaletteProps): Entry[] {
	const t = useWords(frameWords);
	const ofStatus = useWords(kitWords);
	const [, go] = useLocation();
	const signOut = useSignOut();
	const other = useLanguage() === "es" ? "en" : "es";
	const isSearched = text.length >= SEARCHED_MIN && findsInvoices;
	const { data } = useCall("listInvoices", { query: { q: text, limit: FOUND_MAX } }, { enabled: isSearched });
	const pages = entries.flatMap(({ path, navigation }): Entry[] =>
		navigation ? [{ key: path, label: t(navigation.word), icon: navigation.icon, act: () => go(path) }] : [],
	);
	const actions: Entry[] = [
		{ key: "language", label: other === "en" ? "English" : "Español", icon: Languages, act: () => setLanguage(other) },
		{ key: "light", label: `${t("theme")}: ${t("themeLight")}`, icon: Sun, act: () => setTheme("light") },
		{ key: "dark", label: `${t("theme")}: ${t("themeDark")}`, icon: Moon, act: () => setTheme("dark") },
		{ key: "sign-out", label: t("signOut"), icon: LogOut, act: signOut },
	];
	const wanted = plain(text);
	const named = [...pages, ...actions].filter(({ label }) => plain(label).includes(wanted));
	const found = (isSearched ? (data?.items ?? []) : []).map(
		({ docId, encf, customer, status }): Entry => ({
			...{ key: docId, label: encf, icon: FileText, act: () => go(`/invoices/${docId}`) },
			about: [customer?.name, ofStatus(status as InvoiceStatus)].filter(Boolean).join(" · "),
		}),
	);
	return [...named, ...found];
}

/** Without accents, in small letters. */
const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
