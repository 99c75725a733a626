/** The menus of language and theme, in the shell and before it; a phone has them in the person's menu. */
import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { Button } from "../kit/button";
import { Menu, type MenuGroup } from "../kit/menu";
import { setLanguage, useLanguage, useWords } from "./language";
import { setTheme, useTheme } from "./theme";
import { frameWords } from "./words";

const LANGUAGES = [
	["es", "Español"],
	["en", "English"],
] as const;

const THEMES = [
	["system", "themeSystem", Monitor],
	["light", "themeLight", Sun],
	["dark", "themeDark", Moon],
] as const;

/** The choices of both menus. */
export function useLookGroups(): Readonly<Record<"language" | "theme", MenuGroup>> {
	const t = useWords(frameWords);
	const language = useLanguage();
	const theme = useTheme();
	const languages = LANGUAGES.map(([value, label]) => ({
		...{ label, isChosen: language === value, onSelect: () => setLanguage(value) },
	}));
	const themes = THEMES.map(([value, word, icon]) => ({
		...{ label: t(word), icon, isChosen: theme === value, onSelect: () => setTheme(value) },
	}));
	return { language: { label: t("language"), items: languages }, theme: { label: t("theme"), items: themes } };
}

export function LanguageMenu() {
	const t = useWords(frameWords);
	const { language } = useLookGroups();
	const button = (
		<Button kind="quiet" isIcon icon={<Languages aria-hidden />}>
			{t("language")}
		</Button>
	);
	return <Menu trigger={button} groups={[language]} align="end" />;
}

export function LookMenus() {
	const t = useWords(frameWords);
	const { theme } = useLookGroups();
	const chosen = useTheme();
	const Icon = THEMES.find(([value]) => value === chosen)?.[2] ?? Monitor;
	const button = (
		<Button kind="quiet" isIcon icon={<Icon aria-hidden />}>
			{t("theme")}
		</Button>
	);
	return (
		<>
			<LanguageMenu />
			<Menu trigger={button} groups={[theme]} align="end" />
		</>
	);
}
