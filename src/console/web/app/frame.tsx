/** The shell around every page: navigation, company, environment, the authority's light, language, theme, the person. */
import { Building2, ChevronsUpDown, CircleHelp, Ellipsis, LogOut, UserRound, Wrench } from "lucide-react";
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import { useCall } from "../api/use-call";
import { Button } from "../kit/button";
import { Menu } from "../kit/menu";
import { Callout } from "../kit/states";
import { useFormat } from "./format";
import { useWords } from "./language";
import { LookMenus, useLookGroups } from "./look-menus";
import { type ConsolePage, OPERATOR_PAGES, PAGES } from "./pages";
import { Palette } from "./palette";
import { isOperator, type Me, useHere, useSignOut } from "./session";
import { frameWords } from "./words";

/** More do not fit a phone's width. */
const BOTTOM_MAX = 5;
const READERS_EVERY_MS = 60_000;

/** Around the pages of a company. */
export function CompanyFrame({ children }: { readonly children: ReactNode }) {
	const { me, may } = useHere();
	const entries = PAGES.filter(
		({ navigation }) => navigation && (navigation.scope === undefined || may(navigation.scope)),
	);
	return (
		<Frame
			me={me}
			entries={entries}
			place={<CompanySwitch />}
			light={<AuthorityLight />}
			findsInvoices={may("invoices:read")}
		>
			<Readers />
			{children}
		</Frame>
	);
}

/** Around the pages of operators. */
export function OperatorFrame({ me, children }: { readonly me: Me; readonly children: ReactNode }) {
	const t = useWords(frameWords);
	const place = (
		<div className="company">
			<span className="company-mark" aria-hidden>
				<Wrench className="icon" />
			</span>
			<span className="company-name">
				<strong>Sello</strong>
				<span className="soft">{t("operation")}</span>
			</span>
		</div>
	);
	return (
		<Frame me={me} entries={OPERATOR_PAGES} place={place}>
			{children}
		</Frame>
	);
}

type FrameProps = {
	readonly me: Me;
	/** What the navigation has. */
	readonly entries: readonly ConsolePage[];
	/** Where the person is, with the way to other places. */
	readonly place: ReactNode;
	readonly light?: ReactNode;
	readonly findsInvoices?: boolean;
	readonly children: ReactNode;
};

function Frame({ me, entries, place, light, findsInvoices = false, children }: FrameProps) {
	const t = useWords(frameWords);
	const isPhone = useSyncExternalStore(whenWidthChanges, () => PHONE.matches);
	const content = usePageStart();
	return (
		<div className="frame">
			<a className="skip" href="#content">
				{t("skip")}
			</a>
			<aside className="side">
				{place}
				<Navigation entries={entries} label={t("main")} />
			</aside>
			<header className="top">
				<div className="top-company">{place}</div>
				{me.environment === "production" ? null : <span className="environment">{t(me.environment)}</span>}
				{light}
				<span className="top-space" />
				<Palette entries={entries} findsInvoices={findsInvoices} />
				{isPhone ? null : <LookMenus />}
				<PersonMenu me={me} isPhone={isPhone} />
			</header>
			<main id="content" ref={content} className="content" tabIndex={-1}>
				{children}
			</main>
			<div className="bottom">
				<Navigation entries={entries} label={t("main")} shown={BOTTOM_MAX} />
			</div>
		</div>
	);
}

/** As in the style sheet. */
const PHONE = matchMedia("(max-width: 760px)");

function whenWidthChanges(listener: () => void): () => void {
	PHONE.addEventListener("change", listener);
	return () => PHONE.removeEventListener("change", listener);
}

/** Another page begins at its top, with the focus on its content; going back keeps the place where the reader was. */
function usePageStart() {
	const content = useRef<HTMLElement>(null);
	const [path] = useLocation();
	const shown = useRef(path);
	const isBack = useRef(false);
	useEffect(() => {
		const note = () => {
			isBack.current = !location.pathname.endsWith(shown.current);
		};
		addEventListener("popstate", note, true);
		return () => removeEventListener("popstate", note, true);
	}, []);
	useEffect(() => {
		if (shown.current === path) return;
		shown.current = path;
		content.current?.focus({ preventScroll: true });
		if (!isBack.current) scrollTo(0, 0);
		isBack.current = false;
	}, [path]);
	return content;
}

type NavigationProps = {
	readonly entries: readonly ConsolePage[];
	readonly label: string;
	/** With more entries, the last place has a menu of the rest. */
	readonly shown?: number;
};

function Navigation({ entries, label, shown = entries.length }: NavigationProps) {
	const t = useWords(frameWords);
	const [path] = useLocation();
	const cut = entries.length > shown ? shown - 1 : shown;
	const further = entries.slice(cut).flatMap(({ path: href, navigation }) => {
		return navigation ? [{ label: t(navigation.word), icon: navigation.icon, href, isChosen: isAt(path, href) }] : [];
	});
	const trigger = (
		<button type="button" className="navigation-more" data-here={further.some(({ isChosen }) => isChosen)}>
			<Ellipsis aria-hidden />
			<span>{t("more")}</span>
		</button>
	);
	return (
		<nav aria-label={label}>
			<ul className="navigation">
				{entries.slice(0, cut).map(({ path: href, navigation }) => {
					if (!navigation) return null;
					const Icon = navigation.icon;
					return (
						<li key={href}>
							<Link href={href} aria-current={isAt(path, href) ? "page" : undefined}>
								<Icon aria-hidden />
								<span>{t(navigation.word)}</span>
							</Link>
						</li>
					);
				})}
				{further.length > 0 ? (
					<li>
						<Menu trigger={trigger} groups={[{ items: further }]} align="end" side="top" />
					</li>
				) : null}
			</ul>
		</nav>
	);
}

function isAt(path: string, href: string): boolean {
	return path === href || (href !== "/" && path.startsWith(`${href}/`));
}

function CompanySwitch() {
	const t = useWords(frameWords);
	const { me, company } = useHere();
	const face = (
		<>
			<span className="company-mark" aria-hidden>
				{company.name.slice(0, 1)}
			</span>
			<span className="company-name">
				<strong>{company.name}</strong>
				<span className="soft number">{company.rnc}</span>
			</span>
		</>
	);
	if (me.memberships.length < 2) return <div className="company">{face}</div>;
	const items = me.memberships.map(({ tenantId, name }) => ({
		label: name,
		icon: Building2,
		href: `~/console/c/${tenantId}`,
		isChosen: tenantId === company.tenantId,
	}));
	const trigger = (
		<button type="button" className="company company-button">
			{face}
			<ChevronsUpDown className="icon" aria-hidden />
			<span className="visually-hidden">{t("switchCompany")}</span>
		</button>
	);
	return <Menu trigger={trigger} groups={[{ label: t("companies"), items }]} />;
}

function AuthorityLight() {
	const t = useWords(frameWords);
	const { data } = useCall("getAuthorityStatus", {});
	if (!data) return null;
	const { status } = data;
	const tone =
		status === "operational" ? "good" : status === "outage" ? "bad" : status === "unknown" ? "plain" : "warn";
	return (
		<span className={`light light-${tone}`}>
			<span className="light-lamp" aria-hidden />
			<span className="light-text">{t(status)}</span>
		</span>
	);
}

/** Operators who may read the company now: its people see them, and so do they. */
function Readers() {
	const t = useWords(frameWords);
	const { company } = useHere();
	const { moment } = useFormat();
	const { data } = useCall("listCompanyAccesses", { path: { id: company.tenantId } }, { everyMs: READERS_EVERY_MS });
	return data?.items
		.filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now())
		.map(({ id, reason, expiresAt }) => (
			<Callout key={id} tone="warn">
				{t("readBy", { time: moment(expiresAt), reason })}
			</Callout>
		));
}

function PersonMenu({ me, isPhone }: { readonly me: Me; readonly isPhone: boolean }) {
	const t = useWords(frameWords);
	const looks = useLookGroups();
	const trigger = (
		<Button kind="quiet" isIcon icon={<UserRound aria-hidden />}>
			{t("account")}
		</Button>
	);
	const signOut = useSignOut();
	const isOperating = location.pathname.startsWith("/console/operator");
	const places = [
		...(isOperator(me) && !isOperating ? [{ label: t("operation"), icon: Wrench, href: "~/console/operator" }] : []),
		...(isOperating && me.memberships.length > 0
			? [{ label: t("companies"), icon: Building2, href: "~/console" }]
			: []),
	];
	const items = [
		{ label: t("account"), icon: UserRound, href: "~/console/account" },
		...places,
		{ label: t("documentation"), icon: CircleHelp, onSelect: () => void open("/docs", "_blank", "noopener") },
		{ label: t("signOut"), icon: LogOut, onSelect: signOut },
	];
	const person = { label: me.user.email ?? me.user.name, items };
	return <Menu trigger={trigger} groups={isPhone ? [person, looks.language, looks.theme] : [person]} align="end" />;
}
