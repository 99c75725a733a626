/** The menus of language and theme, in the shell and before it. */
import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { Button } from "../kit/button";
import { Menu } from "../kit/menu";
import { setLanguage, useLanguage, useWords } from "./language";
import { setTheme, useTheme } from "./theme";
import { frameWords } from "./words";

const LANGUAGES = [
	["es", "Español"],
	["en", "English"],
] as const;

export function LanguageMenu() {
	const t = useWords(frameWords);
	const chosen = useLanguage();
	const items = LANGUAGES.map(([value, label]) => ({
		...{ label, isChosen: chosen === value, onSelect: () => setLanguage(value) },
	}));
	const trigger = (
		<Button kind="quiet" isIcon icon={<Languages aria-hidden />}>
			{t("language")}
		</Button>
	);
	return <Menu trigger={trigger} groups={[{ label: t("language"), items }]} align="end" />;
}

const THEMES = [
	["system", "themeSystem", Monitor],
	["light", "themeLight", Sun],
	["dark", "themeDark", Moon],
] as const;

export function ThemeMenu() {
	const t = useWords(frameWords);
	const chosen = useTheme();
	const items = THEMES.map(([value, word, icon]) => ({
		...{ label: t(word), icon, isChosen: chosen === value, onSelect: () => setTheme(value) },
	}));
	const Icon = THEMES.find(([value]) => value === chosen)?.[2] ?? Monitor;
	const trigger = (
		<Button kind="quiet" isIcon icon={<Icon aria-hidden />}>
			{t("theme")}
		</Button>
	);
	return <Menu trigger={trigger} groups={[{ label: t("theme"), items }]} align="end" />;
}
