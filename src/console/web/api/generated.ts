/** Written by scripts/generate-sdk.ts from the OpenAPI document. Do not edit. */

import type {
	Acknowledgement,
	ActivateCertificateAnswer,
	AddWatchlistDocumentsRequest,
	Approval,
	ApprovalRule,
	ApprovePreparedInvoiceRequest,
	AttestRequest,
	Attestation,
	AttestationCheck,
	AttestationCheckRequest,
	AuthorityCode,
	AuthorityServiceStatus,
	AuthorityStatus,
	CheckSetTests,
	Company,
	ConvertLegacyInvoiceAnswer,
	CreateApiKeyAnswer,
	CreateApiKeyRequest,
	CreateArchiveExportAnswer,
	CreateArchiveExportRequest,
	CreateCompanyRequest,
	CreateSequenceRequest,
	CreateWatchlistRequest,
	CreateWebhookRequest,
	CreatedReconcileLink,
	DecideApprovalRequest,
	Delivery,
	DocumentBatch,
	DocumentBatchResult,
	DocumentEntry,
	DocumentHistory,
	DocumentProof,
	EmailRequest,
	FiscalInvoice,
	GetApiKeyAnswer,
	GetArchiveConsistencyProofAnswer,
	GetRequestSchemaAnswer,
	Invoice,
	InvoiceBatch,
	InvoiceBatchResult,
	InvoiceDelivery,
	InvoiceDraft,
	InvoiceRequest,
	InvoiceStatus,
	LatestArchiveCheckpoint,
	LeaseNumbersRequest,
	LegacyInvoice,
	Link,
	LinkRequest,
	ListApiKeysAnswer,
	ListApprovalsAnswer,
	ListArchiveAnswer,
	ListArchiveCheckpointsAnswer,
	ListArchiveExportsAnswer,
	ListAuditAnswer,
	ListAuthorityCodesAnswer,
	ListCertificatesAnswer,
	ListCheckSetTestsAnswer,
	ListCompaniesAnswer,
	ListDeliveriesAnswer,
	ListEmailsAnswer,
	ListEventsAnswer,
	ListInvoiceEventsAnswer,
	ListInvoicesAnswer,
	ListLeasesAnswer,
	ListPlacesAnswer,
	ListPreparedInvoicesAnswer,
	ListPurchaseOrdersAnswer,
	ListReceivedDocumentsAnswer,
	ListReconcileLinksAnswer,
	ListSequencesAnswer,
	ListVoidsAnswer,
	ListWatchlistsAnswer,
	ListWebhooksAnswer,
	NameMatchRequest,
	NameMatchResult,
	Overview,
	PatchApiKeyRequest,
	PatchCompany,
	PatchWatchlistRequest,
	PatchWebhookRequest,
	PortalLink,
	PortalLinkRequest,
	PortalSettings,
	PostInvoiceAnswer200,
	PostRevokeAnswer,
	PostRevokeRequest,
	PostTokenAnswer,
	PostTokenRequest,
	PrepareInvoiceAnswer200,
	PreparedInvoice,
	ProviderInfo,
	PurchaseOrder,
	PurgeAnswer,
	PurgeRecord,
	PurgeRequest,
	PutApprovalRuleRequest,
	PutCertificateAnswer,
	PutCertificateRequest,
	PutPortalSettingsRequest,
	PutPurchaseOrderRequest,
	QueuedEmail,
	ReceivedDocument,
	ReconcileLinkRequest,
	RecoverWebhookAnswer,
	RecoverWebhookRequest,
	RegistryChanges,
	RegistryCheck,
	RegistryCreateWebhookRequest,
	RegistryDownloads,
	RegistryPatchWebhookRequest,
	RegistryRuns,
	RegistrySearchResult,
	RegistryStatus,
	RegistrySuggestResult,
	RejectPreparedInvoiceRequest,
	ReleaseList,
	RenewCredentialsAnswer,
	RenewCredentialsRequest,
	ReportTotals,
	RotateApiKeyAnswer,
	RotateApiKeyRequest,
	RotateWebhookSecretRequest,
	Sequence,
	SequenceLease,
	SequenceVoid,
	StatusAnswers,
	StatusQuestion,
	TestSetRequest,
	TestWebhookRequest,
	UsageReport,
	VoidNumbersRequest,
	Watchlist,
	WatchlistChanges,
	WatchlistDocuments,
	Webhook,
	WebhookStats,
	WebhookTest,
} from "../../../sdk/typescript";

export type * from "../../../sdk/typescript";

export type AcceptTeamInvitationAnswer = {
	/** The team; null for the operators. */
	ownerId: string | null;
	role: string;
	/** Whether the answer signs the person in. */
	isNewSession: boolean;
};

export type AcceptTeamInvitationRequest = {
	/** The last part of the mailed link. */
	token: string;
	/** Of the person, for a new account. */
	name?: string;
};

export type ClockAnswer = {
	advancedSeconds: number;
	/** How far the clock is ahead in total. */
	aheadSeconds: number;
	/** The time on the tenant's test clock. */
	now: string;
};

export type ClockRequest = {
	/** How far to advance: a whole number of seconds, minutes, hours or days. The clock only moves forward. */
	advance: string;
};

export type ConfirmSessionRequest = {
	/** The factor. */
	method: "passkey" | "password";
	/** For `password`. */
	password?: string;
	/** Code of the authenticator app, where one is set up. */
	totp?: string;
	credential?: PasskeyAssertion;
};

export type CreateMyViewRequest = {
	/** The page whose list it is: `invoices`. */
	page: string;
	/** As the person calls it. */
	name: string;
	/** The query of the page's address, without `?`. */
	query: string;
};

export type CreatePasskeyAnswer = {
	id: string;
	label: string;
	/** Whether copies exist, as in a password manager. */
	isBackedUp: boolean;
	createdAt: string;
	lastUsedAt: string | null;
};

export type CreatePasskeyOptionsAnswer = {
	challenge: string;
};

export type CreatePasskeyRequest = {
	/** How the person calls it, such as the device. */
	label: string;
	/** The result of `navigator.credentials.create()` as JSON. */
	credential: {
		/** Bytes in base64url. */
		id: string;
		/** Bytes in base64url. */
		rawId: string;
		/** As WebAuthn defines it. */
		type: "public-key";
		/** As WebAuthn defines it. */
		authenticatorAttachment?: string | null;
		/** As WebAuthn defines it. */
		clientExtensionResults?: Record<string, unknown>;
		/** As WebAuthn defines it. */
		response: {
			/** Bytes in base64url. */
			clientDataJSON: string;
			/** Bytes in base64url. */
			attestationObject: string;
			/** As WebAuthn defines it. */
			transports?: string[];
		};
	};
};

export type CreatePortalSessionRequest = {
	/** Of the address. */
	portalId: string;
	/** The part of the link after `#`. */
	token: string;
};

export type CreateRecoveryCodesAnswer = {
	codes: string[];
};

export type CreateSessionRequest = {
	/** `link` is a printed or mailed link, `local` the person of a local sandbox on this machine, `try` a new company in the public sandbox. */
	method: "passkey" | "password" | "link" | "recovery" | "local" | "try";
	/** For `password`. */
	email?: string;
	/** For `password`. */
	password?: string;
	/** Code of the authenticator app, where one is set up. */
	totp?: string;
	credential?: PasskeyAssertion;
	/** For `link` and `recovery`: the part of the link after `#`. */
	token?: string;
	/** For `recovery`. */
	recoveryCode?: string;
};

export type CreateTeamInvitationAnswer = {
	id: string;
	email: string;
	role: string;
	tenantIds: string[] | null;
	createdAt: string;
	expiresAt: string;
};

export type CreateTeamInvitationRequest = {
	/** Of the person: the invitation is for this address alone. */
	email: string;
	/** `viewer` reads; `accountant` also issues and approves; `developer` manages keys and webhooks; `owner` does everything, and manages the team if bound to no companies. */
	role: "viewer" | "accountant" | "developer" | "owner";
	/** The companies that the person sees; null for all of the owner, also later ones. */
	tenantIds?: string[] | null;
	/** Of the mail. Default: `es`. */
	language?: "en" | "es";
};

export type CreateTotpAnswer = {
	secret: string;
	uri: string;
};

export type DeadLetter = {
	deliveryId: string;
	tenantId: string;
	/** Its name. */
	company: string | null;
	webhookId: string;
	event: string;
	docId: string;
	/** Null if the event names no document. */
	encf: string | null;
	createdAt: string;
	deadAt: string;
	reason: string;
	attempts: number;
	responseStatus: number | null;
	error: string | null;
};

export type GetOutboxAnswer = {
	items: {
		kind: string;
		/** Those that are due later included. */
		waiting: number;
		due: number;
		/** How long the oldest due one has waited. */
		oldestSeconds: number;
		/** Given up. */
		dead: number;
	}[];
};

export type LimitedReport = {
	day: string;
	items: {
		tenantId: string | null;
		name: string | null;
		ownerId: string | null;
		keyId: string | null;
		operation: string;
		/** Answered with 429. Not billed. */
		limited: number;
		/** All answered requests. */
		requests: number;
	}[];
};

export type ListCompanyAccessesAnswer = {
	items: OperatorAccess[];
};

export type ListDeadLettersAnswer = {
	items: DeadLetter[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListMySessionsAnswer = {
	items: Session[];
};

export type ListMyViewsAnswer = {
	items: SavedView[];
};

export type ListOperatorRunsAnswer = {
	items: OperatorRun[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListPasskeysAnswer = {
	items: {
		id: string;
		label: string;
		/** Whether copies exist, as in a password manager. */
		isBackedUp: boolean;
		createdAt: string;
		lastUsedAt: string | null;
	}[];
	count: number;
};

export type ListTeamInvitationsAnswer = {
	items: {
		id: string;
		email: string;
		role: string;
		tenantIds: string[] | null;
		createdAt: string;
		expiresAt: string;
	}[];
	count: number;
};

export type ListTeamMembersAnswer = {
	items: {
		/** Of the membership. */
		id: string;
		userId: string;
		email: string;
		name: string;
		role: string;
		tenantIds: string[] | null;
		factors: {
			password: boolean;
			totp: boolean;
			passkeys: number;
		};
		/** The operator has closed the account. */
		disabled: boolean;
		createdAt: string;
	}[];
	count: number;
};

export type ListTenantsAnswer = {
	items: Tenant[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type MailNotice = {
	/** Message-ID of the e-mail, with or without brackets. */
	messageId: string;
	/** What became of the e-mail: `delivered`, `bounced`, or reported as unwanted (`complained`). */
	status: "delivered" | "bounced" | "complained";
	/** The mail server's words. */
	reason?: string;
};

export type Me = {
	user: {
		id: string;
		/** Null for the person of a local sandbox. */
		email: string | null;
		name: string;
		language: "en" | "es";
		/** As the console stored them. */
		settings: Record<string, unknown>;
	};
	factors: {
		password: boolean;
		/** Whether an authenticator app is set up. */
		totp: boolean;
		passkeys: number;
		/** Codes that are left. */
		recoveryCodes: number;
		/** Name of the identity provider that can confirm the person; null without one. */
		sso: string | null;
	};
	teams: {
		/** The customer; null for operators, and in a local sandbox for the companies of the demo key. */
		ownerId: string | null;
		role: "viewer" | "accountant" | "developer" | "owner" | "operator" | "operator-readonly";
		/** The companies that the person sees; null for all of the customer. */
		tenantIds: string[] | null;
		/** What the role may do. */
		scopes: string[];
	}[];
	/** Companies by name, the first 500. */
	memberships: {
		/** Send it in `X-Company`. */
		tenantId: string;
		/** The customer; null for the demo key's companies. */
		ownerId: string | null;
		rnc: string;
		name: string;
		/** As of the company. */
		status: string;
		role: "viewer" | "accountant" | "developer" | "owner" | "operator" | "operator-readonly";
		/** What the role may do. */
		scopes: string[];
	}[];
	environment: "production" | "staging" | "sandbox" | "public-sandbox";
};

export type OpenTenantRequest = {
	/** Shown to the company. */
	reason: string;
	/** How long. */
	minutes: number;
	/** The operator who reads. Default: the session's person. */
	userId?: string;
};

export type OperatorAccess = {
	id: string;
	/** The operator. */
	userId: string;
	reason: string;
	createdAt: string;
	expiresAt: string;
};

export type OperatorRun = {
	runId: string;
	/** `ok`, `refused` or `failed`. */
	result: string;
	reason: string | null;
	source: string;
	startedAt: string;
	finishedAt: string;
	recordCount: number;
	added: number | null;
	changed: number | null;
	removed: number | null;
	/** Whether it is served. */
	current: boolean;
	/** Whether the service can go back to it. */
	restorable: boolean;
};

export type PasskeyAssertion = {
	/** Bytes in base64url. */
	id: string;
	/** Bytes in base64url. */
	rawId: string;
	/** As WebAuthn defines it. */
	type: "public-key";
	/** As WebAuthn defines it. */
	authenticatorAttachment?: string | null;
	/** As WebAuthn defines it. */
	clientExtensionResults?: Record<string, unknown>;
	/** As WebAuthn defines it. */
	response: {
		/** Bytes in base64url. */
		clientDataJSON: string;
		/** Bytes in base64url. */
		authenticatorData: string;
		/** Bytes in base64url. */
		signature: string;
		userHandle?: string | null;
	};
};

export type PatchMeRequest = {
	/** As the team sees it. */
	name?: string;
	/** Of the console and of mails. */
	language?: "en" | "es";
	/** Settings of the console, which replace the former ones: at most 8192 bytes of JSON. */
	settings?: Record<string, unknown>;
};

export type PatchMyViewRequest = {
	/** As the person calls it. */
	name?: string;
	/** The query of the page's address, without `?`. */
	query?: string;
};

export type PatchTeamMemberAnswer = {
	/** Of the membership. */
	id: string;
	userId: string;
	email: string;
	name: string;
	role: string;
	tenantIds: string[] | null;
	factors: {
		password: boolean;
		totp: boolean;
		passkeys: number;
	};
	/** The operator has closed the account. */
	disabled: boolean;
	createdAt: string;
};

export type PatchTeamMemberRequest = {
	/** `viewer` reads; `accountant` also issues and approves; `developer` manages keys and webhooks; `owner` does everything, and manages the team if bound to no companies. */
	role?: "viewer" | "accountant" | "developer" | "owner";
	/** The companies that the person sees; null for all of the owner, also later ones. */
	tenantIds?: string[] | null;
};

export type PatchTenantRequest = {
	/** The new state. */
	status?: "active" | "suspended" | "closed";
	/** The new plan. */
	plan?: "demo" | "free" | "starter" | "business" | "enterprise" | "unlimited";
};

export type PortalSession = {
	/** A bearer token, which stands for key and token. */
	accessToken: string;
	expiresAt: string;
	company: {
		tenantId: string;
		rnc: string;
		name: string;
	};
	environment: string;
	/** The pages that it shows. */
	pages: ("invoices" | "deliveries")[];
	scopes: string[];
};

export type PostSessionOptionsRequest = {
	/** `confirm` needs a session. */
	purpose: "sign-in" | "confirm";
};

export type PublicAuthorityStatus = {
	/** This service's environment. */
	environment: string;
	/** The authority's environment: `test`, `certification` or `production`. */
	authorityEnvironment: string;
	/** `maintenance`: unavailable as announced by the authority. `unknown`: there were no calls, or no answers. */
	status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
	/** RFC 3339, UTC. */
	since: string;
	/** `open`: several submissions in a row failed. Companies whose `outagePolicy` is `reject` are refused. */
	breaker: string;
	services: AuthorityServiceStatus[];
	declared: {
		/** `Disponible`, `No Disponible`, or `unknown` if the authority declares nothing. */
		status: string;
		checkedAt: string | null;
	};
	/** Current and future maintenance windows, as announced. */
	maintenanceWindows: {
		from: string;
		to: string;
		source: "authority";
	}[];
	/** True while documents issued now cannot be expected to reach the authority. They are printed with the contingency legend. */
	contingency: boolean;
	updatedAt: string | null;
	/** The last 24 hours in equal steps, each with its worst state; `overall` covers all services together. */
	history: {
		from: string;
		stepSeconds: number;
		services: {
			name: string;
			states: ("operational" | "degraded" | "maintenance" | "outage" | "unknown")[];
		}[];
	};
};

export type PutPasswordRequest = {
	/** 12 to 256 characters, without the e-mail address and the names of companies. */
	password: string;
};

export type PutTotpRequest = {
	/** As `POST /v1/me/totp` gave it. */
	secret: string;
	/** The code that the app shows now. */
	code: string;
};

export type ReconcileBatchResult = ReconcileResults | ReconcileExtended;

export type ReconcileExtended = {
	meta: {
		id: string;
		name: string;
	}[];
	/** By number, then by property; an empty list for what the registry does not have. */
	rows: Record<string, Record<string, {
		str: string;
	}[]>>;
};

export type ReconcileManifest = {
	versions: string[];
	name: string;
	/** The same for all links: ids are taxpayers' numbers. */
	identifierSpace: string;
	schemaSpace: string;
	defaultTypes: {
		id: string;
		name: string;
	}[];
	documentation: string;
	/** A taxpayer's public page; absent where the service has none. */
	view?: {
		url: string;
	};
	preview: {
		url: string;
		width: number;
		height: number;
	};
	suggest: {
		entity: {
			service_url: string;
			service_path: string;
		};
		property: {
			service_url: string;
			service_path: string;
		};
	};
	extend: {
		propose_properties: {
			service_url: string;
			service_path: string;
		};
		property_settings: unknown[];
	};
	batchSize: number;
};

export type ReconcileProperties = {
	type: string;
	properties: {
		id: string;
		name: string;
	}[];
};

export type ReconcileResults = Record<string, {
	/** Best first. */
	result: {
		/** The number. */
		id: string;
		/** The legal name. */
		name: string;
		type: {
			id: string;
			name: string;
		}[];
		/** As in matches of names; 1 for a number. */
		score: number;
		/** True for an exact number, and for a score of 0.95 or more that leads by 0.02 or more. */
		match: boolean;
	}[];
}>;

export type ReconcileService = ReconcileManifest | ReconcileResults | ReconcileExtended;

export type ReconcileSuggestions = {
	result: {
		id: string;
		name: string;
		description?: string;
	}[];
};

export type RecoverSessionRequest = {
	/** The account's address. */
	email: string;
};

export type RedispatchDeadLettersAnswer = {
	redispatched: number;
};

export type RedispatchDeadLettersRequest = {
	/** Default: the 500 oldest. */
	deliveryIds?: string[];
};

export type SavedView = {
	id: string;
	/** The page whose list it is: `invoices`. */
	page: string;
	/** As the person calls it. */
	name: string;
	/** The query of the page's address, without `?`. */
	query: string;
	createdAt: string;
};

export type SeedAnswer = {
	/** Documents that were issued now. */
	issued: number;
	/** First issue date. */
	from: string;
	/** Last issue date. */
	to: string;
};

export type SeedRequest = {
	/** How many. */
	documents: number;
};

export type Session = {
	id: string;
	/** How it began: `passkey`, `password`, `link`, `recovery` or `sso`. */
	method: string;
	/** Whether the request came with it. */
	current: boolean;
	/** Whether it has its person's rights as an operator. */
	operator: boolean;
	address: string;
	/** As the browser named itself. */
	agent: string;
	createdAt: string;
	/** To the minute. */
	lastSeenAt: string;
	expiresAt: string;
	/** It also ends after this long without a request. */
	idleSeconds: number;
	/** Until when the shown factor counts. */
	confirmedUntil: string;
};

export type SignInOptions = {
	/** Methods that are offered here. */
	methods: string[];
	/** Whether each password needs the code of an authenticator app. */
	totp: boolean;
	/** Name of the identity provider behind `GET /v1/session/sso`; null without one. */
	sso: string | null;
	/** Options of `navigator.credentials.get()` as JSON; null where passkeys do not work. */
	passkey: Record<string, unknown> | null;
};

export type SignedIn = {
	session: Session;
	me: Me;
};

export type TakeMailNoticeAnswer = {
	/** The notice concerns an e-mail of this service. */
	matched: boolean;
	/** The notice changed its status. */
	changed: boolean;
};

export type Tenant = {
	tenantId: string;
	ownerId: string | null;
	rnc: string;
	name: string;
	status: "active" | "suspended" | "closed";
	plan: "demo" | "free" | "starter" | "business" | "enterprise" | "unlimited";
	authorityEnvironment: string;
	createdAt: string;
};

export type VerifyCheckpointsAnswer = {
	items: {
		number: number;
		/** Leaves of all logs: archived decisions. */
		size: number;
		root: string;
		madeAt: string;
		keyName: string;
		/** Empty where all holds. */
		defects: string[];
	}[];
};

export interface Operations {
	postToken: { input: { body: PostTokenRequest; }; answer: PostTokenAnswer };
	postRevoke: { input: { body: PostRevokeRequest; }; answer: PostRevokeAnswer };
	listApiKeys: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListApiKeysAnswer };
	createApiKey: { input: { body: CreateApiKeyRequest; idempotencyKey: string; }; answer: CreateApiKeyAnswer };
	getApiKey: { input: { path: { id: string }; }; answer: GetApiKeyAnswer };
	patchApiKey: { input: { path: { id: string }; body: PatchApiKeyRequest; idempotencyKey: string; }; answer: GetApiKeyAnswer };
	deleteApiKey: { input: { path: { id: string }; }; answer: null };
	rotateApiKey: { input: { path: { id: string }; body?: RotateApiKeyRequest; idempotencyKey: string; }; answer: RotateApiKeyAnswer };
	postSessionOptions: { input: { body: PostSessionOptionsRequest; }; answer: SignInOptions };
	createSession: { input: { body: CreateSessionRequest; }; answer: SignedIn };
	getSession: { input: Record<string, never>; answer: SignedIn };
	deleteSession: { input: Record<string, never>; answer: null };
	confirmSession: { input: { body: ConfirmSessionRequest; }; answer: SignedIn };
	recoverSession: { input: { body: RecoverSessionRequest; }; answer: null };
	getMe: { input: Record<string, never>; answer: Me };
	patchMe: { input: { body: PatchMeRequest; }; answer: Me };
	listMySessions: { input: Record<string, never>; answer: ListMySessionsAnswer };
	deleteMySession: { input: { path: { id: string }; }; answer: null };
	listMyViews: { input: Record<string, never>; answer: ListMyViewsAnswer };
	createMyView: { input: { body: CreateMyViewRequest; }; answer: SavedView };
	patchMyView: { input: { path: { id: string }; body: PatchMyViewRequest; }; answer: SavedView };
	deleteMyView: { input: { path: { id: string }; }; answer: null };
	listPasskeys: { input: Record<string, never>; answer: ListPasskeysAnswer };
	createPasskey: { input: { body: CreatePasskeyRequest; }; answer: CreatePasskeyAnswer };
	createPasskeyOptions: { input: Record<string, never>; answer: CreatePasskeyOptionsAnswer };
	deletePasskey: { input: { path: { id: string }; }; answer: null };
	putPassword: { input: { body: PutPasswordRequest; }; answer: null };
	createTotp: { input: Record<string, never>; answer: CreateTotpAnswer };
	putTotp: { input: { body: PutTotpRequest; }; answer: null };
	deleteTotp: { input: Record<string, never>; answer: null };
	createRecoveryCodes: { input: Record<string, never>; answer: CreateRecoveryCodesAnswer };
	listTeamMembers: { input: { query?: { owner?: string }; }; answer: ListTeamMembersAnswer };
	patchTeamMember: { input: { path: { id: string }; body: PatchTeamMemberRequest; }; answer: PatchTeamMemberAnswer };
	deleteTeamMember: { input: { path: { id: string }; }; answer: null };
	resetTeamMember: { input: { path: { id: string }; }; answer: null };
	listTeamInvitations: { input: { query?: { owner?: string }; }; answer: ListTeamInvitationsAnswer };
	createTeamInvitation: { input: { query?: { owner?: string }; body: CreateTeamInvitationRequest; }; answer: CreateTeamInvitationAnswer };
	deleteTeamInvitation: { input: { path: { id: string }; }; answer: null };
	acceptTeamInvitation: { input: { body: AcceptTeamInvitationRequest; }; answer: AcceptTeamInvitationAnswer };
	startSso: { input: { query?: { purpose?: string; page?: string }; }; answer: null };
	finishSso: { input: Record<string, never>; answer: null };
	createLink: { input: { body: LinkRequest; }; answer: Link };
	openLink: { input: { path: { token: string }; }; answer: Blob };
	createCompany: { input: { body: CreateCompanyRequest; idempotencyKey: string; }; answer: Company };
	listCompanies: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListCompaniesAnswer };
	getCompany: { input: { path: { id: string }; }; answer: Company };
	patchCompany: { input: { path: { id: string }; body: PatchCompany; ifMatch?: string; idempotencyKey: string; }; answer: Company };
	renewCredentials: { input: { path: { id: string }; body?: RenewCredentialsRequest; idempotencyKey: string; }; answer: RenewCredentialsAnswer };
	putCertificate: { input: { path: { id: string }; body: PutCertificateRequest; }; answer: PutCertificateAnswer };
	listCertificates: { input: { path: { id: string }; query?: { after?: string; limit?: string | number }; }; answer: ListCertificatesAnswer };
	activateCertificate: { input: { path: { id: string; cid: string }; idempotencyKey: string; }; answer: ActivateCertificateAnswer };
	removeCertificate: { input: { path: { id: string; cid: string }; }; answer: ActivateCertificateAnswer };
	listTenants: { input: { query?: { q?: string; status?: "active" | "suspended" | "closed"; after?: string; limit?: string | number }; }; answer: ListTenantsAnswer };
	patchTenant: { input: { path: { id: string }; body: PatchTenantRequest; }; answer: Tenant };
	openTenant: { input: { path: { id: string }; body: OpenTenantRequest; }; answer: OperatorAccess };
	listCompanyAccesses: { input: { path: { id: string }; }; answer: ListCompanyAccessesAnswer };
	getOutbox: { input: Record<string, never>; answer: GetOutboxAnswer };
	listDeadLetters: { input: { query?: { tenantId?: string; after?: string; limit?: string | number }; }; answer: ListDeadLettersAnswer };
	redispatchDeadLetters: { input: { body: RedispatchDeadLettersRequest; }; answer: RedispatchDeadLettersAnswer };
	postInvoice: { input: { query?: { dry_run?: boolean; print?: "escpos"; width?: "80" | "58" }; body: InvoiceRequest; idempotencyKey: string; wait?: number; scenario?: string; }; answer: PostInvoiceAnswer200 | Acknowledgement };
	listInvoices: { input: { query?: { encf?: string; client_request_id?: string; type?: "31" | "32" | "33" | "34" | "41" | "44"; status?: "pending" | "accepted" | "rejected" | "failed"; code?: string; date?: "received" | "issued"; from?: string; to?: string; customer_rnc?: string; modifies?: string; amount_from?: string | number; amount_to?: string | number; q?: string; test_sets?: "include" | "exclude"; after?: string; limit?: string | number }; }; answer: ListInvoicesAnswer };
	batchInvoices: { input: { query?: { print?: "escpos"; width?: "80" | "58" }; body: InvoiceBatch; idempotencyKey: string; wait?: number; scenario?: string; }; answer: InvoiceBatchResult };
	getInvoice: { input: { path: { docId: string }; }; answer: Invoice };
	getInvoiceByCompany: { input: { path: { id: string; idCompany: string }; }; answer: Invoice };
	getInvoiceStatus: { input: { path: { docId: string }; }; answer: InvoiceStatus };
	getInvoiceStatuses: { input: { body: StatusQuestion; }; answer: StatusAnswers };
	listInvoiceEvents: { input: { path: { docId: string }; query?: { after?: string | number; limit?: string | number }; }; answer: ListInvoiceEventsAnswer };
	getInvoiceDraft: { input: { path: { docId: string }; query: { as: "reissue" | "credit" | "debit" | "copy" }; }; answer: InvoiceDraft };
	getInvoiceXml: { input: { path: { docId: string }; }; answer: Blob };
	getInvoicePdf: { input: { path: { docId: string }; query?: { format?: "a4" | "letter" | "thermal_80" | "thermal_58" | "escpos" }; }; answer: Blob };
	getInvoiceDelivery: { input: { path: { docId: string }; }; answer: InvoiceDelivery };
	getInvoiceAcknowledgement: { input: { path: { docId: string }; }; answer: Blob };
	retryInvoiceDelivery: { input: { path: { docId: string }; idempotencyKey: string; }; answer: InvoiceDelivery };
	getInvoiceProof: { input: { path: { docId: string }; }; answer: DocumentProof };
	getInvoiceEvidence: { input: { path: { docId: string }; }; answer: Blob };
	retryInvoice: { input: { path: { docId: string }; idempotencyKey: string; }; answer: InvoiceStatus };
	getFiscalInvoice: { input: { path: { id: string }; }; answer: FiscalInvoice };
	convertLegacyInvoice: { input: { body: LegacyInvoice; }; answer: ConvertLegacyInvoiceAnswer };
	prepareInvoice: { input: { query?: { dry_run?: boolean }; body: InvoiceRequest; idempotencyKey: string; wait?: number; }; answer: PrepareInvoiceAnswer200 | PreparedInvoice };
	listPreparedInvoices: { input: { query?: { status?: "waiting" | "issued" | "rejected" | "expired"; after?: string; limit?: string | number }; }; answer: ListPreparedInvoicesAnswer };
	getPreparedInvoice: { input: { path: { id: string }; }; answer: PreparedInvoice };
	approvePreparedInvoice: { input: { path: { id: string }; body: ApprovePreparedInvoiceRequest; wait?: number; }; answer: Acknowledgement };
	rejectPreparedInvoice: { input: { path: { id: string }; body?: RejectPreparedInvoiceRequest; }; answer: PreparedInvoice };
	emailInvoice: { input: { path: { docId: string }; body: EmailRequest; idempotencyKey: string; }; answer: QueuedEmail };
	listEmails: { input: { path: { docId: string }; query?: { after?: string; limit?: string | number }; }; answer: ListEmailsAnswer };
	takeMailNotice: { input: { body: MailNotice; }; answer: TakeMailNoticeAnswer };
	listReceivedDocuments: { input: { query?: { from?: string; to?: string; issuer_rnc?: string; status?: "unknown" | "accepted" | "rejected" | "not_found"; after?: string; limit?: string | number }; }; answer: ListReceivedDocumentsAnswer };
	importReceivedDocument: { input: { body: string | Blob; }; answer: ReceivedDocument };
	getReceivedDocument: { input: { path: { id: string }; }; answer: ReceivedDocument };
	getReceivedDocumentXml: { input: { path: { id: string }; }; answer: Blob };
	getReceivedDocumentPdf: { input: { path: { id: string }; query?: { format?: "a4" | "letter" | "thermal_80" | "thermal_58" | "escpos" }; }; answer: Blob };
	listArchiveCheckpoints: { input: { query?: { after?: string | number; limit?: string | number }; }; answer: ListArchiveCheckpointsAnswer };
	getLatestArchiveCheckpoint: { input: Record<string, never>; answer: LatestArchiveCheckpoint };
	getArchiveConsistencyProof: { input: { query: { from: string | number; to: string | number }; }; answer: GetArchiveConsistencyProofAnswer };
	verifyCheckpoints: { input: Record<string, never>; answer: VerifyCheckpointsAnswer };
	listArchive: { input: { query?: { from?: string; to?: string; type?: string | number; status?: "accepted" | "rejected" | "failed" | "received" | "approval"; after?: string; limit?: string | number }; }; answer: ListArchiveAnswer };
	createArchiveExport: { input: { body: CreateArchiveExportRequest; idempotencyKey: string; }; answer: CreateArchiveExportAnswer };
	listArchiveExports: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListArchiveExportsAnswer };
	getArchiveExport: { input: { path: { exportId: string }; }; answer: CreateArchiveExportAnswer };
	downloadArchiveExport: { input: { path: { exportId: string }; query: { expires: string | number; signature: string }; }; answer: Blob };
	createSequence: { input: { body: CreateSequenceRequest; idempotencyKey: string; }; answer: Sequence };
	listSequences: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListSequencesAnswer };
	withdrawSequence: { input: { path: { id: string }; }; answer: null };
	leaseNumbers: { input: { body: LeaseNumbersRequest; idempotencyKey: string; }; answer: SequenceLease };
	listLeases: { input: { query?: { status?: "active" | "returned" | "expired"; after?: string; limit?: string | number }; }; answer: ListLeasesAnswer };
	getLease: { input: { path: { id: string }; }; answer: SequenceLease };
	returnLease: { input: { path: { id: string }; }; answer: SequenceLease };
	voidNumbers: { input: { body: VoidNumbersRequest; idempotencyKey: string; }; answer: SequenceVoid };
	listVoids: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListVoidsAnswer };
	getVoid: { input: { path: { id: string }; }; answer: SequenceVoid };
	getApprovalRule: { input: Record<string, never>; answer: ApprovalRule };
	putApprovalRule: { input: { body: PutApprovalRuleRequest; }; answer: ApprovalRule };
	listPurchaseOrders: { input: { query?: { status?: "open" | "used" | "closed"; after?: string; limit?: string | number }; }; answer: ListPurchaseOrdersAnswer };
	getPurchaseOrder: { input: { path: { number: string }; }; answer: PurchaseOrder };
	putPurchaseOrder: { input: { path: { number: string }; body: PutPurchaseOrderRequest; }; answer: PurchaseOrder };
	decideApproval: { input: { path: { id: string }; body: DecideApprovalRequest; idempotencyKey: string; }; answer: Approval };
	listApprovals: { input: { query?: { direction?: "in" | "out"; docId?: string; decision?: "approved" | "rejected"; delivery?: "undelivered"; from?: string; to?: string; after?: string; limit?: string | number }; }; answer: ListApprovalsAnswer };
	getApproval: { input: { path: { id: string }; }; answer: Approval };
	getApprovalXml: { input: { path: { id: string }; }; answer: Blob };
	retryApproval: { input: { path: { id: string }; idempotencyKey: string; }; answer: Approval };
	listWebhooks: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListWebhooksAnswer };
	createWebhook: { input: { body: CreateWebhookRequest; idempotencyKey: string; }; answer: Webhook };
	getWebhook: { input: { path: { id: string }; }; answer: Webhook };
	patchWebhook: { input: { path: { id: string }; body: PatchWebhookRequest; ifMatch?: string; idempotencyKey: string; }; answer: Webhook };
	deleteWebhook: { input: { path: { id: string }; ifMatch?: string; }; answer: null };
	rotateWebhookSecret: { input: { path: { id: string }; body?: RotateWebhookSecretRequest; idempotencyKey: string; }; answer: Webhook };
	promoteWebhookSecret: { input: { path: { id: string }; idempotencyKey: string; }; answer: Webhook };
	listDeliveries: { input: { query?: { status?: "pending" | "failed" | "delivered" | "dead"; webhookId?: string; event?: string; docId?: string; after?: string; limit?: string | number }; }; answer: ListDeliveriesAnswer };
	getDelivery: { input: { path: { id: string }; }; answer: Delivery };
	getWebhookStats: { input: { path: { id: string }; query?: { window?: "1h" | "24h" | "7d" }; }; answer: WebhookStats };
	redeliver: { input: { path: { id: string }; idempotencyKey: string; }; answer: Delivery };
	recoverWebhook: { input: { path: { id: string }; body: RecoverWebhookRequest; idempotencyKey: string; }; answer: RecoverWebhookAnswer };
	testWebhook: { input: { body?: TestWebhookRequest; }; answer: WebhookTest };
	listEvents: { input: { query?: { after?: string; limit?: string | number; wait?: string | number; types?: string }; }; answer: ListEventsAnswer };
	registryListWebhooks: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListWebhooksAnswer };
	registryCreateWebhook: { input: { body: RegistryCreateWebhookRequest; idempotencyKey: string; }; answer: Webhook };
	registryGetWebhook: { input: { path: { id: string }; }; answer: Webhook };
	registryPatchWebhook: { input: { path: { id: string }; body: RegistryPatchWebhookRequest; ifMatch?: string; idempotencyKey: string; }; answer: Webhook };
	registryDeleteWebhook: { input: { path: { id: string }; ifMatch?: string; }; answer: null };
	registryRotateWebhookSecret: { input: { path: { id: string }; body?: RotateWebhookSecretRequest; idempotencyKey: string; }; answer: Webhook };
	registryPromoteWebhookSecret: { input: { path: { id: string }; idempotencyKey: string; }; answer: Webhook };
	registryListDeliveries: { input: { query?: { status?: "pending" | "failed" | "delivered" | "dead"; webhookId?: string; event?: string; docId?: string; after?: string; limit?: string | number }; }; answer: ListDeliveriesAnswer };
	registryGetDelivery: { input: { path: { id: string }; }; answer: Delivery };
	registryGetWebhookStats: { input: { path: { id: string }; query?: { window?: "1h" | "24h" | "7d" }; }; answer: WebhookStats };
	registryRedeliver: { input: { path: { id: string }; idempotencyKey: string; }; answer: Delivery };
	registryRecoverWebhook: { input: { path: { id: string }; body: RecoverWebhookRequest; idempotencyKey: string; }; answer: RecoverWebhookAnswer };
	registryTestWebhook: { input: { body?: TestWebhookRequest; }; answer: WebhookTest };
	registryListEvents: { input: { query?: { after?: string; limit?: string | number; wait?: string | number; types?: string }; }; answer: ListEventsAnswer };
	listAudit: { input: { query?: { action?: string; actor?: string; target?: string; from?: string; to?: string; after?: string; limit?: string | number }; }; answer: ListAuditAnswer };
	createCheckSetTests: { input: { body?: TestSetRequest; idempotencyKey: string; }; answer: CheckSetTests };
	listCheckSetTests: { input: { query?: { status?: "pending" | "generating" | "submitting" | "validating" | "passed" | "failed" | "expired" | "cancelled"; after?: string; limit?: string | number }; }; answer: ListCheckSetTestsAnswer };
	getCheckSetTests: { input: { path: { id: string; idCompany: string }; }; answer: CheckSetTests };
	cancelCheckSetTests: { input: { path: { id: string; idCompany: string }; idempotencyKey: string; }; answer: CheckSetTests };
	retryCheckSetTests: { input: { path: { id: string; idCompany: string }; idempotencyKey: string; }; answer: CheckSetTests };
	getCheckSetTestsEvidence: { input: { path: { id: string; idCompany: string }; }; answer: Blob };
	getProviderInfo: { input: Record<string, never>; answer: ProviderInfo };
	getReportTotals: { input: { query?: { from?: string; to?: string; authority_environment?: "test" | "certification" | "production"; group_by?: string; status?: "accepted" | "rejected" | "failed" | "all"; format?: "json" | "csv"; after?: string; limit?: string | number }; }; answer: ReportTotals };
	getReportDocuments: { input: { query?: { from?: string; to?: string; authority_environment?: "test" | "certification" | "production" }; }; answer: Blob };
	getOverview: { input: { query?: { from?: string; to?: string }; }; answer: Overview };
	getPortalSettings: { input: Record<string, never>; answer: PortalSettings };
	putPortalSettings: { input: { body: PutPortalSettingsRequest; }; answer: PortalSettings };
	createPortalLink: { input: { body: PortalLinkRequest; }; answer: PortalLink };
	createPortalSession: { input: { body: CreatePortalSessionRequest; }; answer: PortalSession };
	getDocument: { input: { path: { document: string }; query?: { as_of?: string; expand?: "started_on" }; }; answer: DocumentEntry };
	searchDocuments: { input: { query: { q: string; field: "name" | "trade_name" | "economic_activity" | "any" | "document"; type?: "rnc" | "cedula"; status?: string; limit?: string | number; mode?: "exact" | "smart" | "fuzzy"; highlight?: boolean; after?: string }; }; answer: RegistrySearchResult };
	suggestDocuments: { input: { query: { q: string; limit?: string; type?: "rnc" | "cedula"; status?: string }; }; answer: RegistrySuggestResult };
	batchDocuments: { input: { body: DocumentBatch; }; answer: DocumentBatchResult };
	getDocumentHistory: { input: { path: { document: string }; }; answer: DocumentHistory };
	matchDocuments: { input: { body: NameMatchRequest; }; answer: NameMatchResult };
	getRegistryStatus: { input: Record<string, never>; answer: RegistryStatus };
	listRegistryRuns: { input: { query?: { after?: string; limit?: string | number }; }; answer: RegistryRuns };
	listOperatorRuns: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListOperatorRunsAnswer };
	rollBackRegistry: { input: { path: { id: string }; }; answer: null };
	listRegistryChanges: { input: { query?: { after?: string; limit?: string | number }; }; answer: RegistryChanges };
	listRegistryDownloads: { input: Record<string, never>; answer: RegistryDownloads };
	getRegistryDownload: { input: { path: { name: string }; }; answer: Blob };
	purgeDocument: { input: { path: { document: string }; body: PurgeRequest; idempotencyKey: string; }; answer: PurgeAnswer };
	getPurge: { input: { path: { id: string }; }; answer: PurgeRecord };
	deletePurge: { input: { path: { id: string }; }; answer: PurgeRecord };
	attestDocument: { input: { path: { document: string }; body?: AttestRequest; }; answer: Attestation };
	verifyAttestation: { input: { body: AttestationCheckRequest; }; answer: AttestationCheck };
	createRegistryCheck: { input: { query?: { number_column?: string; name_column?: string; as_of?: string }; body: string | Blob; idempotencyKey: string; }; answer: RegistryCheck };
	getRegistryCheck: { input: { path: { checkId: string }; }; answer: RegistryCheck };
	deleteRegistryCheck: { input: { path: { checkId: string }; }; answer: null };
	downloadRegistryCheck: { input: { path: { checkId: string }; query?: { format?: "csv" | "xlsx" | "ndjson" }; }; answer: Blob };
	createReconcileLink: { input: { body?: ReconcileLinkRequest; }; answer: CreatedReconcileLink };
	listReconcileLinks: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListReconcileLinksAnswer };
	revokeReconcileLink: { input: { path: { id: string }; }; answer: null };
	getReconcileService: { input: { path: { capability: string }; query?: { queries?: string; extend?: string }; }; answer: ReconcileService };
	postReconcileQueries: { input: { path: { capability: string }; body: string | Blob; }; answer: ReconcileBatchResult };
	suggestReconcileEntities: { input: { path: { capability: string }; query?: { prefix?: string }; }; answer: ReconcileSuggestions };
	suggestReconcileProperties: { input: { path: { capability: string }; query?: { prefix?: string }; }; answer: ReconcileSuggestions };
	listReconcileProperties: { input: { path: { capability: string }; query?: { type?: string }; }; answer: ReconcileProperties };
	listWatchlists: { input: { query?: { after?: string; limit?: string | number }; }; answer: ListWatchlistsAnswer };
	createWatchlist: { input: { body: CreateWatchlistRequest; idempotencyKey: string; }; answer: Watchlist };
	getWatchlist: { input: { path: { id: string }; }; answer: Watchlist };
	patchWatchlist: { input: { path: { id: string }; body: PatchWatchlistRequest; }; answer: Watchlist };
	deleteWatchlist: { input: { path: { id: string }; }; answer: null };
	listWatchlistDocuments: { input: { path: { id: string }; query?: { after?: string; limit?: string | number }; }; answer: WatchlistDocuments };
	putWatchlistDocuments: { input: { path: { id: string }; body: string | Blob; }; answer: Watchlist };
	addWatchlistDocuments: { input: { path: { id: string }; body: AddWatchlistDocumentsRequest; }; answer: Watchlist };
	removeWatchlistDocuments: { input: { path: { id: string }; body: AddWatchlistDocumentsRequest; }; answer: Watchlist };
	listWatchlistChanges: { input: { path: { id: string }; query?: { after?: string; run_id?: string; limit?: string | number }; }; answer: WatchlistChanges };
	getUsage: { input: { query?: { from?: string; to?: string; key?: string; operation?: string; after?: string; limit?: string | number }; }; answer: UsageReport };
	listLimited: { input: { query?: { day?: string }; }; answer: LimitedReport };
	getAuthorityStatus: { input: Record<string, never>; answer: AuthorityStatus };
	getOperatorAuthority: { input: Record<string, never>; answer: PublicAuthorityStatus };
	listAuthorityCodes: { input: Record<string, never>; answer: ListAuthorityCodesAnswer };
	getAuthorityCode: { input: { path: { code: string }; }; answer: AuthorityCode };
	listPlaces: { input: Record<string, never>; answer: ListPlacesAnswer };
	getRequestSchema: { input: { path: { type: "31" | "32" | "33" | "34" | "41" | "44" }; }; answer: GetRequestSchemaAnswer };
	getChangelog: { input: Record<string, never>; answer: ReleaseList };
	advanceClock: { input: { body: ClockRequest; idempotencyKey: string; }; answer: ClockAnswer };
	seedSandbox: { input: { body: SeedRequest; idempotencyKey: string; }; answer: SeedAnswer };
}

export const OPERATIONS: { readonly [Id in keyof Operations]: string } = {
	postToken: "POST /v1/auth/token",
	postRevoke: "POST /v1/auth/revoke",
	listApiKeys: "GET /v1/api-keys",
	createApiKey: "POST /v1/api-keys",
	getApiKey: "GET /v1/api-keys/{id}",
	patchApiKey: "PATCH /v1/api-keys/{id}",
	deleteApiKey: "DELETE /v1/api-keys/{id}",
	rotateApiKey: "POST /v1/api-keys/{id}/rotate",
	postSessionOptions: "POST /v1/session/options",
	createSession: "POST /v1/session",
	getSession: "GET /v1/session",
	deleteSession: "DELETE /v1/session",
	confirmSession: "POST /v1/session/confirm",
	recoverSession: "POST /v1/session/recovery",
	getMe: "GET /v1/me",
	patchMe: "PATCH /v1/me",
	listMySessions: "GET /v1/me/sessions",
	deleteMySession: "DELETE /v1/me/sessions/{id}",
	listMyViews: "GET /v1/me/views",
	createMyView: "POST /v1/me/views",
	patchMyView: "PATCH /v1/me/views/{id}",
	deleteMyView: "DELETE /v1/me/views/{id}",
	listPasskeys: "GET /v1/me/passkeys",
	createPasskey: "POST /v1/me/passkeys",
	createPasskeyOptions: "POST /v1/me/passkeys/options",
	deletePasskey: "DELETE /v1/me/passkeys/{id}",
	putPassword: "PUT /v1/me/password",
	createTotp: "POST /v1/me/totp",
	putTotp: "PUT /v1/me/totp",
	deleteTotp: "DELETE /v1/me/totp",
	createRecoveryCodes: "POST /v1/me/recovery-codes",
	listTeamMembers: "GET /v1/team/members",
	patchTeamMember: "PATCH /v1/team/members/{id}",
	deleteTeamMember: "DELETE /v1/team/members/{id}",
	resetTeamMember: "POST /v1/team/members/{id}/reset",
	listTeamInvitations: "GET /v1/team/invitations",
	createTeamInvitation: "POST /v1/team/invitations",
	deleteTeamInvitation: "DELETE /v1/team/invitations/{id}",
	acceptTeamInvitation: "POST /v1/team/invitations:accept",
	startSso: "GET /v1/session/sso",
	finishSso: "GET /v1/session/sso/callback",
	createLink: "POST /v1/links",
	openLink: "GET /v1/links/{token}",
	createCompany: "POST /v1/company",
	listCompanies: "GET /v1/company",
	getCompany: "GET /v1/company/{id}",
	patchCompany: "PATCH /v1/company/{id}",
	renewCredentials: "POST /v1/company/{id}/credentials",
	putCertificate: "PUT /v1/company/{id}/certificate",
	listCertificates: "GET /v1/company/{id}/certificates",
	activateCertificate: "POST /v1/company/{id}/certificates/{cid}/activate",
	removeCertificate: "DELETE /v1/company/{id}/certificates/{cid}",
	listTenants: "GET /v1/operator/tenants",
	patchTenant: "PATCH /v1/operator/tenants/{id}",
	openTenant: "POST /v1/operator/tenants/{id}/access",
	listCompanyAccesses: "GET /v1/company/{id}/accesses",
	getOutbox: "GET /v1/operator/outbox",
	listDeadLetters: "GET /v1/operator/dead-letters",
	redispatchDeadLetters: "POST /v1/operator/dead-letters:redispatch",
	postInvoice: "POST /v1/invoices",
	listInvoices: "GET /v1/invoices",
	batchInvoices: "POST /v1/invoices:batch",
	getInvoice: "GET /v1/invoices/{docId}",
	getInvoiceByCompany: "GET /v1/invoices/{id}/idCompany/{idCompany}",
	getInvoiceStatus: "GET /v1/invoices/{docId}/status",
	getInvoiceStatuses: "POST /v1/invoices:status",
	listInvoiceEvents: "GET /v1/invoices/{docId}/events",
	getInvoiceDraft: "GET /v1/invoices/{docId}/draft",
	getInvoiceXml: "GET /v1/invoices/{docId}/xml",
	getInvoicePdf: "GET /v1/invoices/{docId}/pdf",
	getInvoiceDelivery: "GET /v1/invoices/{docId}/delivery",
	getInvoiceAcknowledgement: "GET /v1/invoices/{docId}/delivery/arecf",
	retryInvoiceDelivery: "POST /v1/invoices/{docId}/delivery/retry",
	getInvoiceProof: "GET /v1/invoices/{docId}/proof",
	getInvoiceEvidence: "GET /v1/invoices/{docId}/evidence",
	retryInvoice: "POST /v1/invoices/{docId}/retry",
	getFiscalInvoice: "GET /v1/fiscal-invoices/{id}",
	convertLegacyInvoice: "POST /v1/tools/convert-legacy",
	prepareInvoice: "POST /v1/prepared-invoices",
	listPreparedInvoices: "GET /v1/prepared-invoices",
	getPreparedInvoice: "GET /v1/prepared-invoices/{id}",
	approvePreparedInvoice: "POST /v1/prepared-invoices/{id}:approve",
	rejectPreparedInvoice: "POST /v1/prepared-invoices/{id}:reject",
	emailInvoice: "POST /v1/invoices/{docId}/email",
	listEmails: "GET /v1/invoices/{docId}/emails",
	takeMailNotice: "POST /v1/mail/bounces",
	listReceivedDocuments: "GET /v1/received-documents",
	importReceivedDocument: "POST /v1/received-documents",
	getReceivedDocument: "GET /v1/received-documents/{id}",
	getReceivedDocumentXml: "GET /v1/received-documents/{id}/xml",
	getReceivedDocumentPdf: "GET /v1/received-documents/{id}/pdf",
	listArchiveCheckpoints: "GET /v1/archive/checkpoints",
	getLatestArchiveCheckpoint: "GET /v1/archive/checkpoints/latest",
	getArchiveConsistencyProof: "GET /v1/archive/proofs/consistency",
	verifyCheckpoints: "GET /v1/operator/archive/verifications",
	listArchive: "GET /v1/archive",
	createArchiveExport: "POST /v1/archive/exports",
	listArchiveExports: "GET /v1/archive/exports",
	getArchiveExport: "GET /v1/archive/exports/{exportId}",
	downloadArchiveExport: "GET /v1/archive/exports/{exportId}/file",
	createSequence: "POST /v1/sequences",
	listSequences: "GET /v1/sequences",
	withdrawSequence: "DELETE /v1/sequences/{id}",
	leaseNumbers: "POST /v1/sequences/leases",
	listLeases: "GET /v1/sequences/leases",
	getLease: "GET /v1/sequences/leases/{id}",
	returnLease: "DELETE /v1/sequences/leases/{id}",
	voidNumbers: "POST /v1/sequences/void",
	listVoids: "GET /v1/sequences/voids",
	getVoid: "GET /v1/sequences/voids/{id}",
	getApprovalRule: "GET /v1/approval-rule",
	putApprovalRule: "PUT /v1/approval-rule",
	listPurchaseOrders: "GET /v1/purchase-orders",
	getPurchaseOrder: "GET /v1/purchase-orders/{number}",
	putPurchaseOrder: "PUT /v1/purchase-orders/{number}",
	decideApproval: "POST /v1/received-documents/{id}/approval",
	listApprovals: "GET /v1/approvals",
	getApproval: "GET /v1/approvals/{id}",
	getApprovalXml: "GET /v1/approvals/{id}/xml",
	retryApproval: "POST /v1/approvals/{id}/retry",
	listWebhooks: "GET /v1/webhooks",
	createWebhook: "POST /v1/webhooks",
	getWebhook: "GET /v1/webhooks/{id}",
	patchWebhook: "PATCH /v1/webhooks/{id}",
	deleteWebhook: "DELETE /v1/webhooks/{id}",
	rotateWebhookSecret: "POST /v1/webhooks/{id}/rotate-secret",
	promoteWebhookSecret: "POST /v1/webhooks/{id}/promote-secret",
	listDeliveries: "GET /v1/webhooks/deliveries",
	getDelivery: "GET /v1/webhooks/deliveries/{id}",
	getWebhookStats: "GET /v1/webhooks/{id}/stats",
	redeliver: "POST /v1/webhooks/deliveries/{id}/redeliver",
	recoverWebhook: "POST /v1/webhooks/{id}/recover",
	testWebhook: "POST /v1/webhooks/test",
	listEvents: "GET /v1/events",
	registryListWebhooks: "GET /v1/authority/webhooks",
	registryCreateWebhook: "POST /v1/authority/webhooks",
	registryGetWebhook: "GET /v1/authority/webhooks/{id}",
	registryPatchWebhook: "PATCH /v1/authority/webhooks/{id}",
	registryDeleteWebhook: "DELETE /v1/authority/webhooks/{id}",
	registryRotateWebhookSecret: "POST /v1/authority/webhooks/{id}/rotate-secret",
	registryPromoteWebhookSecret: "POST /v1/authority/webhooks/{id}/promote-secret",
	registryListDeliveries: "GET /v1/authority/webhooks/deliveries",
	registryGetDelivery: "GET /v1/authority/webhooks/deliveries/{id}",
	registryGetWebhookStats: "GET /v1/authority/webhooks/{id}/stats",
	registryRedeliver: "POST /v1/authority/webhooks/deliveries/{id}/redeliver",
	registryRecoverWebhook: "POST /v1/authority/webhooks/{id}/recover",
	registryTestWebhook: "POST /v1/authority/webhooks/test",
	registryListEvents: "GET /v1/authority/events",
	listAudit: "GET /v1/audit",
	createCheckSetTests: "POST /v1/check-set-tests",
	listCheckSetTests: "GET /v1/check-set-tests",
	getCheckSetTests: "GET /v1/check-set-tests/{id}/idCompany/{idCompany}",
	cancelCheckSetTests: "POST /v1/check-set-tests/{id}/idCompany/{idCompany}/cancel",
	retryCheckSetTests: "POST /v1/check-set-tests/{id}/idCompany/{idCompany}/retry",
	getCheckSetTestsEvidence: "GET /v1/check-set-tests/{id}/idCompany/{idCompany}/evidence",
	getProviderInfo: "GET /v1/provider-info",
	getReportTotals: "GET /v1/reports/totals",
	getReportDocuments: "GET /v1/reports/documents.csv",
	getOverview: "GET /v1/overview",
	getPortalSettings: "GET /v1/portal-settings",
	putPortalSettings: "PUT /v1/portal-settings",
	createPortalLink: "POST /v1/portal-links",
	createPortalSession: "POST /v1/portal-sessions",
	getDocument: "GET /v1/authority/document/{document}",
	searchDocuments: "GET /v1/authority/document:search",
	suggestDocuments: "GET /v1/authority/document:suggest",
	batchDocuments: "POST /v1/authority/document:batch",
	getDocumentHistory: "GET /v1/authority/document/{document}/history",
	matchDocuments: "POST /v1/authority/document:match",
	getRegistryStatus: "GET /v1/authority/registry/status",
	listRegistryRuns: "GET /v1/authority/registry/runs",
	listOperatorRuns: "GET /v1/operator/registry/runs",
	rollBackRegistry: "POST /v1/operator/registry/runs/{id}:rollback",
	listRegistryChanges: "GET /v1/authority/registry/changes",
	listRegistryDownloads: "GET /v1/authority/registry/downloads",
	getRegistryDownload: "GET /v1/authority/registry/downloads/{name}",
	purgeDocument: "POST /v1/authority/document/{document}:purge",
	getPurge: "GET /v1/authority/purges/{id}",
	deletePurge: "DELETE /v1/authority/purges/{id}",
	attestDocument: "POST /v1/authority/document/{document}:attest",
	verifyAttestation: "POST /v1/authority/attestations:verify",
	createRegistryCheck: "POST /v1/authority/checks",
	getRegistryCheck: "GET /v1/authority/checks/{checkId}",
	deleteRegistryCheck: "DELETE /v1/authority/checks/{checkId}",
	downloadRegistryCheck: "GET /v1/authority/checks/{checkId}/result",
	createReconcileLink: "POST /v1/authority/reconcile-links",
	listReconcileLinks: "GET /v1/authority/reconcile-links",
	revokeReconcileLink: "DELETE /v1/authority/reconcile-links/{id}",
	getReconcileService: "GET /v1/reconcile/{capability}",
	postReconcileQueries: "POST /v1/reconcile/{capability}",
	suggestReconcileEntities: "GET /v1/reconcile/{capability}/suggest/entity",
	suggestReconcileProperties: "GET /v1/reconcile/{capability}/suggest/property",
	listReconcileProperties: "GET /v1/reconcile/{capability}/properties",
	listWatchlists: "GET /v1/watchlists",
	createWatchlist: "POST /v1/watchlists",
	getWatchlist: "GET /v1/watchlists/{id}",
	patchWatchlist: "PATCH /v1/watchlists/{id}",
	deleteWatchlist: "DELETE /v1/watchlists/{id}",
	listWatchlistDocuments: "GET /v1/watchlists/{id}/documents",
	putWatchlistDocuments: "PUT /v1/watchlists/{id}/documents",
	addWatchlistDocuments: "POST /v1/watchlists/{id}/documents:add",
	removeWatchlistDocuments: "POST /v1/watchlists/{id}/documents:remove",
	listWatchlistChanges: "GET /v1/watchlists/{id}/changes",
	getUsage: "GET /v1/usage",
	listLimited: "GET /v1/operator/limits",
	getAuthorityStatus: "GET /v1/authority/status",
	getOperatorAuthority: "GET /v1/operator/authority",
	listAuthorityCodes: "GET /v1/authority/codes",
	getAuthorityCode: "GET /v1/authority/codes/{code}",
	listPlaces: "GET /v1/places",
	getRequestSchema: "GET /v1/schemas/{type}",
	getChangelog: "GET /v1/changelog",
	advanceClock: "POST /v1/sandbox/clock",
	seedSandbox: "POST /v1/sandbox/seed",
};
