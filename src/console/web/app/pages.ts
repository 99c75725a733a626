/** The pages of a company. A page that is not listed here does not exist: no navigation, no address. */
import {
	Archive,
	BookUser,
	Building2,
	ChartColumn,
	ClipboardCheck,
	Eye,
	FilePlus2,
	FlaskConical,
	Gauge,
	Hash,
	Inbox,
	KeyRound,
	Landmark,
	LayoutDashboard,
	ListTodo,
	type LucideIcon,
	MailWarning,
	ReceiptText,
	ScrollText,
	UsersRound,
	Webhook,
} from "lucide-react";
import type { ComponentType } from "react";
import { page } from "./page";
import type { frameWords } from "./words";

export type ConsolePage = {
	/** Below the company's address, in the router's notation. */
	readonly path: string;
	readonly component: ComponentType;
	/** Absent: the page is reached from others only. */
	readonly navigation?: {
		readonly word: keyof typeof frameWords.es;
		readonly icon: LucideIcon;
		/** A member without it does not see the entry. */
		readonly scope?: string;
	};
};

/** The pages before the shell. */
export const SignIn = page(() => import("../pages/sign-in/sign-in"));
export const Enter = page(() => import("../pages/sign-in/enter"));
export const Try = page(() => import("../pages/sign-in/try"));
export const Recover = page(() => import("../pages/sign-in/recover"));
export const Accept = page(() => import("../pages/sign-in/accept"));
export const Confirmed = page(() => import("../pages/sign-in/confirmed"));

/** The page of a person, which belongs to no company. */
export const Account = page(() => import("../pages/account/account"));

/** In the order of the navigation; of two that match, the first is shown. */
export const PAGES: readonly ConsolePage[] = [
	{
		path: "/",
		component: page(() => import("../pages/overview/overview")),
		navigation: { word: "overview", icon: LayoutDashboard },
	},
	{
		path: "/invoices",
		component: page(() => import("../pages/invoices/invoices")),
		navigation: { word: "invoices", icon: ReceiptText, scope: "invoices:read" },
	},
	{
		path: "/invoices/:docId",
		component: page(() => import("../pages/invoice/invoice")),
	},
	{
		path: "/issue",
		component: page(() => import("../pages/issue/issue")),
		navigation: { word: "issue", icon: FilePlus2, scope: "invoices:write" },
	},
	{
		path: "/received",
		component: page(() => import("../pages/received/received")),
		navigation: { word: "received", icon: Inbox, scope: "invoices:read" },
	},
	{
		path: "/received/:id",
		component: page(() => import("../pages/received/document")),
	},
	{
		path: "/prepared",
		component: page(() => import("../pages/prepared/prepared")),
		navigation: { word: "prepared", icon: ClipboardCheck, scope: "invoices:read" },
	},
	{
		path: "/prepared/:id",
		component: page(() => import("../pages/prepared/decision")),
	},
	{
		path: "/reports",
		component: page(() => import("../pages/reports/reports")),
		navigation: { word: "reports", icon: ChartColumn, scope: "reports:read" },
	},
	{
		path: "/registry",
		component: page(() => import("../pages/registry/registry")),
		navigation: { word: "registry", icon: BookUser, scope: "registry:read" },
	},
	{
		path: "/registry/:document",
		component: page(() => import("../pages/registry/taxpayer")),
	},
	{
		path: "/watchlists",
		component: page(() => import("../pages/watchlists/watchlists")),
		navigation: { word: "watchlists", icon: Eye, scope: "watchlists:read" },
	},
	{
		path: "/watchlists/:id",
		component: page(() => import("../pages/watchlists/watchlist")),
	},
	{
		path: "/sequences",
		component: page(() => import("../pages/sequences/sequences")),
		navigation: { word: "sequences", icon: Hash, scope: "sequences:read" },
	},
	{
		path: "/company",
		component: page(() => import("../pages/company/company")),
		navigation: { word: "company", icon: Building2, scope: "company:read" },
	},
	{
		path: "/certification",
		component: page(() => import("../pages/certification/certification")),
		navigation: { word: "certification", icon: FlaskConical, scope: "certification:read" },
	},
	{
		path: "/certification/:id",
		component: page(() => import("../pages/certification/test-set")),
	},
	{
		path: "/audit",
		component: page(() => import("../pages/audit/audit")),
		navigation: { word: "audit", icon: ScrollText, scope: "audit:read" },
	},
	{
		path: "/webhooks",
		component: page(() => import("../pages/webhooks/webhooks")),
		navigation: { word: "webhooks", icon: Webhook, scope: "webhooks:read" },
	},
	{
		path: "/keys",
		component: page(() => import("../pages/keys/keys")),
		navigation: { word: "keys", icon: KeyRound, scope: "keys:read" },
	},
	{
		path: "/usage",
		component: page(() => import("../pages/usage/usage")),
		navigation: { word: "usage", icon: Gauge, scope: "usage:read" },
	},
	{
		path: "/team",
		component: page(() => import("../pages/team/team")),
		navigation: { word: "team", icon: UsersRound, scope: "team:read" },
	},
];

/** Of the people who operate the service, below `/console/operator`. Those who may see one may see all. */
export const OPERATOR_PAGES: readonly ConsolePage[] = [
	{
		path: "/",
		component: page(() => import("../pages/operator/tenants")),
		navigation: { word: "tenants", icon: Building2 },
	},
	{
		path: "/outbox",
		component: page(() => import("../pages/operator/outbox")),
		navigation: { word: "pendingWork", icon: ListTodo },
	},
	{
		path: "/dead-letters",
		component: page(() => import("../pages/operator/dead-letters")),
		navigation: { word: "deadLetters", icon: MailWarning },
	},
	{
		path: "/registry",
		component: page(() => import("../pages/operator/runs")),
		navigation: { word: "registry", icon: BookUser },
	},
	{
		path: "/authority",
		component: page(() => import("../pages/operator/authority")),
		navigation: { word: "authority", icon: Landmark },
	},
	{
		path: "/archive",
		component: page(() => import("../pages/operator/archive")),
		navigation: { word: "archive", icon: Archive },
	},
	{
		path: "/limits",
		component: page(() => import("../pages/operator/limits")),
		navigation: { word: "limits", icon: Gauge },
	},
];
