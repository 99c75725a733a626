/** Tabs over Base UI. Only the open one is rendered. */
import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

type TabsProps = {
	/** For screen readers. */
	readonly label: string;
	/** If no tab has it, the first is open. */
	readonly value: string;
	readonly onChange: (value: string) => void;
	readonly tabs: readonly { readonly value: string; readonly title: string; readonly content: () => ReactNode }[];
};

export function Tabs({ label, value, onChange, tabs }: TabsProps) {
	const open = tabs.some((tab) => tab.value === value) ? value : tabs[0]?.value;
	return (
		<Base.Root value={open} onValueChange={(next) => onChange(String(next))}>
			<Base.List className="tabs" aria-label={label}>
				{tabs.map((tab) => (
					<Base.Tab key={tab.value} value={tab.value} className="tab">
						{tab.title}
					</Base.Tab>
				))}
			</Base.List>
			{tabs.map((tab) => (
				<Base.Panel key={tab.value} value={tab.value} className="tab-panel">
					{tab.value === open ? tab.content() : null}
				</Base.Panel>
			))}
		</Base.Root>
	);
}
