/** A menu over Base UI: arrow keys, typing ahead, Escape. */
import { Menu as Base } from "@base-ui/react/menu";
import { Check, type LucideIcon } from "lucide-react";
import { Fragment, type ReactElement } from "react";
import { Link } from "wouter";

export type MenuItem = {
	readonly label: string;
	readonly icon?: LucideIcon;
	readonly isBad?: boolean;
	readonly isDisabled?: boolean;
	/** For a choice of one: whether it is the present one. */
	readonly isChosen?: boolean;
	/** For a choice of several: whether it belongs to them. The menu stays open. */
	readonly isTicked?: boolean;
} & ({ readonly onSelect: () => void } | { readonly href: string });

export type MenuGroup = { readonly label?: string; readonly items: readonly MenuItem[] };

type MenuProps = {
	/** The button that opens it. */
	readonly trigger: ReactElement;
	readonly groups: readonly MenuGroup[];
	readonly align?: "start" | "end";
	readonly side?: "top" | "bottom";
};

export function Menu({ trigger, groups, align = "start", side = "bottom" }: MenuProps) {
	return (
		<Base.Root>
			<Base.Trigger render={trigger} />
			<Base.Portal>
				<Base.Positioner sideOffset={6} align={align} side={side} className="menu-place">
					<Base.Popup className="menu">
						{groups.map(({ label, items }, at) => (
							<Fragment key={label ?? items[0]?.label}>
								{at > 0 ? <Base.Separator className="menu-line" /> : null}
								<Base.Group>
									{label ? <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel> : null}
									{items.map((item) => (
										<Item key={item.label} {...item} />
									))}
								</Base.Group>
							</Fragment>
						))}
					</Base.Popup>
				</Base.Positioner>
			</Base.Portal>
		</Base.Root>
	);
}

function Item(item: MenuItem) {
	const { label, icon: Icon, isBad, isDisabled = false, isChosen, isTicked } = item;
	const content = (
		<>
			{Icon ? <Icon aria-hidden /> : null}
			<span className="menu-text">{label}</span>
			{isChosen || isTicked ? <Check aria-hidden /> : null}
		</>
	);
	const className = `menu-item${isBad ? " menu-item-bad" : ""}`;
	if ("href" in item) {
		return (
			<Base.Item className={className} disabled={isDisabled} render={<Link href={item.href} />}>
				{content}
			</Base.Item>
		);
	}
	if (isTicked !== undefined) {
		return (
			<Base.CheckboxItem
				className={className}
				disabled={isDisabled}
				checked={isTicked}
				onCheckedChange={() => item.onSelect()}
			>
				{content}
			</Base.CheckboxItem>
		);
	}
	return (
		<Base.Item
			className={className}
			disabled={isDisabled}
			onClick={item.onSelect}
			{...(isChosen === undefined ? {} : { role: "menuitemradio", "aria-checked": isChosen })}
		>
			{content}
		</Base.Item>
	);
}
