/** The frame of the pages before the shell: the name, a card, language and theme. */
import type { ReactNode } from "react";
import { LanguageMenu, ThemeMenu } from "../../app/look-menus";
import { Callout } from "../../kit/states";

type EntranceProps = { readonly title: string; readonly error?: string | undefined; readonly children: ReactNode };

export function Entrance({ title, error, children }: EntranceProps) {
	return (
		<Outside>
			<main className="card entrance-card">
				<h1>{title}</h1>
				{error === undefined ? null : <Callout tone="bad">{error}</Callout>}
				{children}
			</main>
		</Outside>
	);
}

/** What every page without a company has. */
export function Outside({ children }: { readonly children: ReactNode }) {
	return (
		<div className="entrance">
			<header className="entrance-top">
				<span className="brand">Sello</span>
				<LanguageMenu />
				<ThemeMenu />
			</header>
			{children}
		</div>
	);
}
