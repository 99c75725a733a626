/** The company: its data, how it issues and prints, the certificates that sign, and the portal. */
import { useSearchParams } from "wouter";
import { useCall } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { PageTitle } from "../../kit/page-title";
import { Block } from "../../kit/states";
import { Tabs } from "../../kit/tabs";
import { Certificates } from "./certificates";
import { Details } from "./details";
import { Issuing } from "./issuing";
import { Portal } from "./portal";
import { Printing } from "./printing";
import { words } from "./words";

export default function CompanyPage() {
	const t = useWords(words);
	const { company, may } = useHere();
	const [params, setParams] = useSearchParams();
	const asked = useCall("getCompany", { path: { id: company.tenantId } });
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
			</div>
			<Block asked={asked} lines={10}>
				{(found) => (
					<Tabs
						label={t("title")}
						value={params.get("tab") ?? "details"}
						onChange={(tab) => setParams(tab === "details" ? {} : { tab }, { replace: true })}
						tabs={[
							{ value: "details", title: t("details"), content: () => <Details company={found} /> },
							{ value: "certificates", title: t("certificates"), content: () => <Certificates company={found} /> },
							{ value: "printing", title: t("printing"), content: () => <Printing company={found} /> },
							{ value: "issuing", title: t("issuing"), content: () => <Issuing company={found} /> },
							...(may("portal:write") ? [{ value: "portal", title: t("portal"), content: () => <Portal /> }] : []),
						]}
					/>
				)}
			</Block>
		</>
	);
}
