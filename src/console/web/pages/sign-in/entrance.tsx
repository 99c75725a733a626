/** The frame of the pages before the shell: a card with a heading, and what was refused. */
import type { ReactNode } from "react";
import { Outside } from "../../app/outside";
import { PageTitle } from "../../kit/page-title";
import { Callout } from "../../kit/states";

type EntranceProps = { readonly title: string; readonly error?: string | undefined; readonly children: ReactNode };

export function Entrance({ title, error, children }: EntranceProps) {
	return (
		<Outside>
			<main className="card entrance-card">
				<PageTitle>{title}</PageTitle>
				{error === undefined ? null : <Callout tone="bad">{error}</Callout>}
				{children}
			</main>
		</Outside>
	);
}
