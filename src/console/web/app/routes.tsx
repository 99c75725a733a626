/** Which page an address shows. */

import { FileQuestionMark, TriangleAlert } from "lucide-react";
import { Component, type ReactNode } from "react";
import { Redirect, Route, Switch } from "wouter";
import { Button, LinkButton } from "../kit/button";
import { Empty, ErrorBlock, Skeleton } from "../kit/states";
import { Alone, CompanyChoice } from "./company-choice";
import { CompanyFrame, OperatorFrame } from "./frame";
import { useWords } from "./language";
import { Outside } from "./outside";
import {
	Accept,
	Account,
	Confirmed,
	type ConsolePage,
	Enter,
	OPERATOR_PAGES,
	PAGES,
	Recover,
	SignIn,
	Try,
} from "./pages";
import { HereContext, isOperator, type Me, useMe } from "./session";
import { frameWords } from "./words";

export function Routes() {
	return (
		<Switch>
			<Route path="/enter" component={Enter} />
			<Route path="/try" component={Try} />
			<Route path="/recover" component={Recover} />
			<Route path="/accept" component={Accept} />
			<Route path="/confirmed" component={Confirmed} />
			<Route>
				<Inside />
			</Route>
		</Switch>
	);
}

/** Without a session every address shows the way in, and then what was asked for. */
function Inside() {
	const me = useMe();
	if (me.data) return <SignedIn me={me.data} />;
	if (me.error?.problem?.status === 401) return <SignIn />;
	if (me.error) {
		return (
			<Outside>
				<main className="alone">
					<ErrorBlock error={me.error} onRetry={() => void me.refetch()} />
				</main>
			</Outside>
		);
	}
	return <Skeleton />;
}

function SignedIn({ me }: { readonly me: Me }) {
	const [only, another] = me.memberships;
	const first = only && !another ? `/c/${only.tenantId}` : !only && isOperator(me) ? "/operator" : undefined;
	return (
		<Switch>
			<Route path="/c/:tenantId" nest>
				{({ tenantId }) => <Company me={me} tenantId={tenantId ?? ""} />}
			</Route>
			{isOperator(me) ? (
				<Route path="/operator" nest>
					<OperatorFrame me={me}>
						<PagesOf pages={OPERATOR_PAGES} />
					</OperatorFrame>
				</Route>
			) : null}
			<Route path="/account" component={Account} />
			<Route path="/">{first === undefined ? <CompanyChoice me={me} /> : <Redirect to={first} />}</Route>
			{/* The landing page leads here, and knows no company. */}
			<Route path="/keys">
				{only && !another ? <Redirect to={`${first}/keys`} /> : <CompanyChoice me={me} page="/keys" />}
			</Route>
			<Route>
				<Alone>
					<NotFound />
				</Alone>
			</Route>
		</Switch>
	);
}

function Company({ me, tenantId }: { readonly me: Me; readonly tenantId: string }) {
	const company = me.memberships.find((one) => one.tenantId === tenantId);
	if (!company) {
		return (
			<Alone>
				<NotFound />
			</Alone>
		);
	}
	return (
		<HereContext key={tenantId} value={{ me, company }}>
			<CompanyFrame>
				<PagesOf pages={PAGES} />
			</CompanyFrame>
		</HereContext>
	);
}

function PagesOf({ pages }: { readonly pages: readonly ConsolePage[] }) {
	return (
		<Guard key={location.pathname}>
			<Switch>
				{pages.map(({ path, component }) => (
					<Route key={path} path={path} component={component} />
				))}
				<Route>
					<NotFound isInside />
				</Route>
			</Switch>
		</Guard>
	);
}

function NotFound({ isInside = false }: { readonly isInside?: boolean }) {
	const t = useWords(frameWords);
	return (
		<Empty
			isPage
			title={t("notFound")}
			icon={FileQuestionMark}
			actions={<LinkButton href={isInside ? "/" : "~/console"}>{t("toOverview")}</LinkButton>}
		>
			{t("notFoundText")}
		</Empty>
	);
}

/** Shows a sentence in place of a page that threw. */
export class Guard extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
	override state = { hasFailed: false };

	static getDerivedStateFromError() {
		return { hasFailed: true };
	}

	override render() {
		return this.state.hasFailed ? <Broken /> : this.props.children;
	}
}

function Broken() {
	const t = useWords(frameWords);
	const again = <Button onClick={() => location.reload()}>{t("reload")}</Button>;
	return (
		<Empty isPage title={t("broken")} icon={TriangleAlert} actions={again}>
			{t("brokenText")}
		</Empty>
	);
}
