/** The list of companies, for people who have several or none. */
import { Building2 } from "lucide-react";
import { Link } from "wouter";
import { Empty } from "../kit/states";
import { useWords } from "./language";
import type { Me } from "./session";
import { frameWords } from "./words";

export function CompanyChoice({ me }: { readonly me: Me }) {
	const t = useWords(frameWords);
	if (me.memberships.length === 0) {
		return (
			<main className="alone">
				<Empty title={t("noCompany")} icon={Building2}>
					{t("noCompanyText")}
				</Empty>
			</main>
		);
	}
	return (
		<main className="alone">
			<h1>{t("chooseCompany")}</h1>
			<ul className="card choice">
				{me.memberships.map(({ tenantId, name, rnc }) => (
					<li key={tenantId}>
						<Link href={`/c/${tenantId}`}>
							<span className="choice-name">{name}</span>
							<span className="soft number">{rnc}</span>
						</Link>
					</li>
				))}
			</ul>
		</main>
	);
}
