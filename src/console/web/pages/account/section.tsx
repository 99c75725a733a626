/** A card of the account, and what a browser is called on it. */
import type { ReactNode } from "react";

type SectionProps = { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode };

export function Section({ title, actions, children }: SectionProps) {
	return (
		<section className="card">
			<div className="card-head">
				<h2>{title}</h2>
				{actions}
			</div>
			<div className="card-body stack">{children}</div>
		</section>
	);
}

const BROWSERS = /(Edg|OPR|Firefox|Chrome|Safari)(?=\/)/;
const SYSTEMS = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/;

/** The browser and system in how a browser names itself, such as `Chrome, Linux`. */
export function nameOf(agent: string): string {
	const names = [BROWSERS.exec(agent)?.[1], SYSTEMS.exec(agent)?.[1]].filter(Boolean);
	return names.join(", ").replace("Edg", "Edge").replace("OPR", "Opera") || agent.slice(0, 40) || "?";
}
