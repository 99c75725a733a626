/** The heading of a page, which is the title of its tab and its name in the browser's history too. */
import { useContext, useEffect } from "react";
import { HereContext } from "../app/session";

type PageTitleProps = {
	readonly children: string;
	/** For numbers. */
	readonly className?: string;
};

export function PageTitle({ children, className }: PageTitleProps) {
	const company = useContext(HereContext)?.company.name;
	useEffect(() => {
		document.title = [children, company, "Sello"].filter(Boolean).join(" · ");
	}, [children, company]);
	return <h1 className={className}>{children}</h1>;
}
