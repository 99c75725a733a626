/** The portal: a company's invoices and deliveries inside another program's page. Its token stays in memory, so a reload needs another link. */
import { useMutation } from "@tanstack/react-query";
import { Link2Off, TimerOff } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { type Answer, actAs, type CallError, call, whenSignedOut } from "../../api/call";
import { useLiveRenewal } from "../../api/live";
import { useCall } from "../../api/use-call";
import { useLanguage, useWords } from "../../app/language";
import { LanguageMenu } from "../../app/look-menus";
import { PAGES } from "../../app/pages";
import { Guard } from "../../app/routes";
import { HereContext, type Me } from "../../app/session";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty, ErrorBlock, Skeleton } from "../../kit/states";
import { takeToken } from "../sign-in/take-token";
import { Deliveries } from "../webhooks/deliveries";
import { words } from "./words";

type Session = Answer<"createPortalSession">;

const INVOICES = PAGES.filter(({ path }) => /^\/invoices(\/|$)/.test(path));
const PATHS = { invoices: "/invoices", deliveries: "/webhooks" } as const;
/** After an event its first attempts take a moment. */
const GATHER_MS = 1_500;
/** The page around may put another link in place of this page. */
const ENDED = { type: "sello:portal-ended" };

export function Portal({ portalId }: { readonly portalId: string }) {
	const t = useWords(words);
	const [token] = useState(takeToken);
	const [isOver, setOver] = useState(false);
	const { mutate, data, error } = useMutation<Session, CallError, string>({
		mutationFn: (link) => call("createPortalSession", { body: { portalId, token: link } }, { company: null }),
		onSuccess: ({ accessToken, company }) => actAs({ token: accessToken, tenantId: company.tenantId }),
	});
	useEffect(() => {
		whenSignedOut(() => setOver(true));
		if (token !== undefined) mutate(token);
	}, [token, mutate]);
	useEffect(() => {
		if (!data) return undefined;
		const timer = setTimeout(() => setOver(true), Date.parse(data.expiresAt) - Date.now());
		return () => clearTimeout(timer);
	}, [data]);
	const isClosed = isOver || token === undefined || error?.slug === "link-expired";
	useEffect(() => {
		// It says no more than the page around sees.
		if (isClosed && parent !== window) parent.postMessage(ENDED, "*");
	}, [isClosed]);
	if (isOver) return <Closed title={t("overTitle")} text={t("overText")} icon={TimerOff} />;
	if (token === undefined) return <Closed title={t("noLink")} text={t("noLinkText")} icon={Link2Off} />;
	if (error?.slug === "link-expired") return <Closed title={t("usedTitle")} text={t("usedText")} icon={Link2Off} />;
	if (error) return <ErrorBlock error={error} onRetry={() => mutate(token)} />;
	return data ? <Open session={data} /> : <Skeleton />;
}

type ClosedProps = { readonly title: string; readonly text: string; readonly icon: typeof Link2Off };

function Closed({ title, text, icon }: ClosedProps) {
	return (
		<main className="content">
			<Empty title={title} isPage icon={icon}>
				{text}
			</Empty>
		</main>
	);
}

function Open({ session }: { readonly session: Session }) {
	const t = useWords(words);
	const [path] = useLocation();
	const { pages, company, scopes } = session;
	const isPath = (href: string) => path === href || path.startsWith(`${href}/`);
	const [first = "invoices"] = pages;
	return (
		<HereContext value={toHere(session, useLanguage())}>
			<header className="portal-top">
				<span className="portal-company">{company.name}</span>
				{pages.length > 1 ? (
					<nav aria-label={t("pages")}>
						<ul className="portal-pages">
							{pages.map((page) => (
								<li key={page}>
									<Link href={PATHS[page]} aria-current={isPath(PATHS[page]) ? "page" : undefined}>
										{t(page)}
									</Link>
								</li>
							))}
						</ul>
					</nav>
				) : null}
				<LanguageMenu />
			</header>
			<main className="content" id="content" tabIndex={-1}>
				<Guard key={path}>
					<Switch>
						{scopes.includes("invoices:read")
							? INVOICES.map((page) => <Route key={page.path} path={page.path} component={page.component} />)
							: null}
						{scopes.includes("webhooks:read") ? <Route path={PATHS.deliveries} component={DeliveriesPage} /> : null}
						<Route>
							<Redirect to={PATHS[first]} replace />
						</Route>
					</Switch>
				</Guard>
			</main>
		</HereContext>
	);
}

function DeliveriesPage(): ReactNode {
	const t = useWords(words);
	const asked = useCall("listWebhooks", { query: { limit: 100 } });
	useLiveRenewal(["listDeliveries"], GATHER_MS);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("deliveries")}</PageTitle>
			</div>
			<section className="card webhooks-log" aria-label={t("deliveries")}>
				<Block asked={asked}>{({ items }) => <Deliveries endpoints={items} />}</Block>
			</section>
		</>
	);
}

/** The pages ask what the person may do; here that is what the link gives. */
function toHere({ company, scopes, environment }: Session, language: "es" | "en") {
	const membership = { ...company, ownerId: null, status: "active", role: "viewer", scopes } as const;
	const me: Me = {
		user: { id: "", email: null, name: company.name, language, settings: {} },
		factors: { password: false, totp: false, passkeys: 0, recoveryCodes: 0, sso: null },
		...{ teams: [], memberships: [membership], environment: environment as Me["environment"] },
	};
	return { me, company: membership };
}
