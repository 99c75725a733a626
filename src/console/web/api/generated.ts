/** Written by scripts/generate-sdk.ts from the OpenAPI document. Do not edit. */

export type AcceptTeamInvitationAnswer = {
	ownerId: string | null;
	role: string;
	isNewSession: boolean;
};

export type AcceptTeamInvitationRequest = {
	token: string;
	name?: string;
};

export type Acknowledgement = {
	docId: string;
	trackId: string;
	status: string;
	encf: string;
	receivedAt: string;
	print: {
		securityCode: string;
		signedAt: string;
		qrUrl: string;
		contingency: {
			active: boolean;
			since: string;
			sendBy: string;
		} | null;
		legend: string[];
		escpos?: string;
	};
	warnings: {
		code: string;
		pointer: string;
		detail: string;
		detailEs?: string;
		authorityCode?: string;
		expected?: string | string[];
		registryName?: string;
		verdict?: "rejected" | "conditional";
	}[];
	totalsDop?: {
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	_links: {
		self: string;
		status: string;
		xml: string;
		pdf: string;
	};
	authority?: {
		approvedAt?: string;
		trackId?: string;
		code?: string;
		title?: string;
		warnings?: {
			code: string;
			text: string;
		}[];
		messages?: {
			code: string;
			text: string;
		}[];
		sequenceConsumed?: boolean;
	};
	failure?: {
		code: string;
		detail: string;
		failedAt: string;
		retryable: boolean;
	};
};

export type ActivateCertificateAnswer = {
	id: string;
	status: string;
	subject: string;
	issuer: string;
	serialNumber: string;
	thumbprint: string;
	notBefore: string;
	notAfter: string;
	daysLeft: number;
	ephemeral: boolean;
	activateAt: string;
};

export type AddWatchlistDocumentsRequest = {
	documents: {
		document: string;
		reference?: string;
	}[];
};

export type Approval = {
	approvalId: string;
	receivedDocumentId: string | null;
	encf: string;
	decision: "approved" | "rejected";
	reason: string | null;
	status: "sending" | "sent" | "partly-sent" | "failed" | "received";
	delivery: {
		issuer: "pending" | "sent" | "refused" | "unconfirmed" | "failed";
		authority: "pending" | "sent" | "refused" | "unconfirmed" | "failed";
	} | null;
	decidedAt: string;
	direction: "in" | "out";
	docId: string | null;
	issuerRnc: string;
	buyerRnc: string;
	purchaseOrder: string | null;
	signer: string | null;
	createdAt: string;
	deliveries: {
		to: "issuer" | "authority";
		status: "pending" | "sent" | "refused" | "unconfirmed" | "failed";
		attempts: number;
		messages: {
			code: string;
			text: string;
		}[];
		endedAt: string | null;
	}[];
	_links: {
		self: string;
		xml: string;
	};
};

export type ApprovalReceivedEvent = {
	event: "approval.received";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	approval: {
		id: string;
		decision: "approved" | "rejected";
		reason: string | null;
	};
};

export type ApprovalRule = {
	enabled: boolean;
	tolerance: string;
	updatedAt: string | null;
};

export type ApprovePreparedInvoiceRequest = {
	sha256: string;
};

export type ArchiveCheckpoint = {
	number: number;
	size: number;
	root: string;
	previous: string;
	sha256: string;
	madeAt: string;
	keyName: string;
	note: string;
};

export type ArchiveKey = {
	name: string;
	key: string;
	since: string;
};

export type AttestRequest = {
	requester?: {
		rnc: string;
	};
	as_of?: string;
	name?: string;
};

export type Attestation = {
	consultation_number: string;
	outcome: "found" | "inactive" | "not_found";
	name_matches?: boolean;
	entry?: RegistryEntry;
	as_of: string;
	run_id: string;
	attestation: string;
};

export type AttestationCheck = {
	valid: boolean;
	outcome?: "found" | "inactive" | "not_found";
	date?: string;
};

export type AttestationCheckRequest = {
	attestation?: string;
	consultation_number?: string;
	document?: string;
	requester?: string;
};

export type AuditEntry = {
	id: string;
	at: string;
	action: string;
	target: string;
	tenantId: string | null;
	actor: {
		kind: "key" | "client" | "bearer" | "operator" | "person";
		keyId: string | null;
		clientId: string | null;
		userId: string | null;
		address: string | null;
	};
	requestId: string | null;
	changed: string[];
	details: Record<string, string | number | boolean | null>;
};

export type AuthorityCode = {
	code: string;
	known: boolean;
	title?: string;
	title_es?: string;
	category?: string;
	sequenceConsumed?: boolean | null;
	retryable?: boolean;
	cause?: string;
	fix?: string;
	fields?: string[];
	source?: string;
	docs?: string;
};

export type AuthorityServiceStatus = {
	name: string;
	status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
	since: string;
	p50Ms?: number;
	p99Ms?: number;
	errorRate?: number;
	declared?: string;
};

export type AuthorityStatus = {
	environment: string;
	authorityEnvironment: string;
	status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
	since: string;
	breaker: string;
	services: AuthorityServiceStatus[];
	declared: {
		status: string;
		checkedAt: string | null;
	};
	maintenanceWindows: {
		from: string;
		to: string;
		source: "authority";
	}[];
	queue: {
		pending: number;
		oldestSeconds: number;
	};
	verdictLatency: {
		p50Seconds: number | null;
		p99Seconds: number | null;
	};
	contingency: boolean;
	updatedAt: string | null;
};

export type AuthorityStatusChangedEvent = {
	event: "authority.status_changed";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
	authorityStatus: {
		authorityEnvironment: "test" | "certification" | "production";
		from: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
		contingency: boolean;
	};
};

export type BatchEntry = {
	rnc: string;
	name: string;
	trade_name: string;
	economic_activity: string;
	status: string;
	payment_regime: string;
	as_of?: string;
	run_id?: string;
	seen_from?: string;
	seen_to?: string | null;
};

export type CertificateExpiredEvent = {
	event: "certificate.expired";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	certificate: {
		thumbprint: string;
		notAfter: string;
		daysLeft: number;
	};
};

export type CertificateExpiringEvent = {
	event: "certificate.expiring";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	certificate: {
		thumbprint: string;
		notAfter: string;
		daysLeft: number;
	};
};

export type CertificationCompletedEvent = {
	event: "certification.completed";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	status: "passed" | "failed" | "expired" | "cancelled";
	certification: {
		mode: "simulate" | "authority";
		run: number;
	};
};

export type ChangelogEntry = {
	id?: string;
	category: "Added" | "Changed" | "Deprecated" | "Removed" | "Fixed" | "Security";
	text: string;
	breaking: boolean;
	endpoint?: string;
	operation?: string;
	deprecatedAt?: string;
	sunsetAt?: string;
	replacement?: string;
};

export type CheckSetTests = {
	id: string;
	idCompany: string;
	environment: string;
	authorityEnvironment: string;
	mode: string;
	status: "pending" | "generating" | "submitting" | "validating" | "passed" | "failed" | "expired" | "cancelled";
	types: string[];
	niche: string;
	progress: {
		total: number;
		generated: number;
		submitted: number;
		accepted: number;
		rejected: number;
		pending: number;
	};
	cases: {
		case: string;
		type: string;
		title: string;
		encf: string;
		docId: string | null;
		dependsOn: string | null;
		status: string;
		authority?: Record<string, unknown>;
	}[];
	run: number;
	maxRuns: number;
	failure: {
		case: string | null;
		code: string;
		detail: string;
		fix: {
			op: string;
			path: string;
			value: string;
		}[];
		advice: {
			pointer: string;
			detail: string;
			detailEs: string;
		}[];
	} | null;
	createdAt: string;
	startedAt: string | null;
	completedAt: string | null;
	expiresAt: string;
	_links: {
		self: string;
		evidence: string;
	};
};

export type ClockAnswer = {
	advancedSeconds: number;
	aheadSeconds: number;
	now: string;
};

export type ClockRequest = {
	advance: string;
};

export type Company = {
	tenantId: string;
	rnc: string;
	name: string;
	tradeName: string | null;
	email: string | null;
	phone: string | null;
	address: {
		street?: string;
		municipalityCode?: string;
		provinceCode?: string;
	} | null;
	economicActivity: string | null;
	status: string;
	plan: string;
	environment: string;
	authorityEnvironment: string;
	registry: {
		status: string;
		payment_regime: string;
		checkedAt: string;
		runId: string;
	};
	webhooks: {
		id: string;
		url: string;
		events: string[];
		description: string | null;
		status: string;
		secret?: string | null;
		secretHint: string;
	}[];
	pdfLogo: {
		present: boolean;
		contentType?: string;
		bytes?: number;
		sha256?: string;
	};
	certificate: {
		id: string;
		status: string;
		subject: string;
		issuer: string;
		serialNumber: string;
		thumbprint: string;
		notBefore: string;
		notAfter: string;
		daysLeft: number;
		ephemeral: boolean;
		activateAt: string;
	} | null;
	settings: {
		locale: "es-DO" | "en-US";
		timezone: "America/Santo_Domingo";
		printFormat: "a4" | "letter" | "thermal_80" | "thermal_58";
		strictValidation: boolean;
		knownRejections: "refuse" | "send";
		outagePolicy: "queue" | "reject";
		sequenceMode: "client" | "service";
		signatureProfile: "xades-bes" | "xmldsig";
		sequenceExpiresOn: string | null;
		deferredSending: {
			authorisedOn: string;
			reference: string;
		} | null;
	};
	credentials?: {
		clientId: string;
		clientSecret: string | null;
	};
	contactEmails: string[];
	metadata: Record<string, string>;
	warnings: {
		code: string;
		detail: string;
	}[];
	version: number;
	createdAt: string;
	updatedAt: string;
	_links: {
		self: string;
	};
};

export type ConfirmSessionRequest = {
	method: "passkey" | "password";
	password?: string;
	totp?: string;
	credential?: PasskeyAssertion;
};

export type ConvertLegacyInvoiceAnswer = {
	invoice: InvoiceRequest;
};

export type CreateApiKeyAnswer = {
	id: string;
	prefix: string;
	label: string;
	plan: string;
	scopes: string[];
	environment: string;
	ipAllowList: string[];
	tenantIds: string[];
	contactEmails: string[];
	createdBy: string | null;
	createdAt: string;
	lastUsedAt: string | null;
	expiresAt: string | null;
	_links: {
		self: string;
	};
	key: string | null;
};

export type CreateApiKeyRequest = {
	label: string;
	scopes?: ("invoices:write" | "invoices:read" | "invoices:prepare" | "company:read" | "company:write" | "keys:read" | "keys:write" | "certification:read" | "certification:write" | "webhooks:read" | "webhooks:write" | "webhooks:test" | "events:read" | "sequences:read" | "sequences:write" | "documents:receive" | "approvals:write" | "reports:read" | "usage:read" | "audit:read" | "registry:read" | "registry:purge" | "watchlists:read" | "watchlists:write" | "archive:read" | "portal:write" | "sandbox:write" | "admin")[];
	expiresAt?: string | null;
	ipAllowList?: string[];
	tenantIds?: string[];
	contactEmails?: string[];
};

export type CreateArchiveExportAnswer = {
	exportId: string;
	status: "queued" | "running" | "ready" | "failed" | "expired";
	chosen: boolean;
	from: string;
	to: string;
	format: "zip" | "tar.zst" | "xml" | "pdf" | "csv";
	documents: number;
	bytes: number | null;
	sha256: string | null;
	url: string | null;
	expiresAt: string | null;
	chain: {
		from: string;
		to: string;
	} | null;
	merkleRoot: string | null;
	treeSize: number | null;
	failure: {
		code: "object-missing" | "object-changed" | "object-unreadable" | "internal";
		detail: string;
		docId: string | null;
	} | null;
	damaged: {
		code: "object-missing" | "object-changed" | "object-unreadable" | "internal";
		detail: string;
		docId: string;
		path: string;
	}[];
	damagedCount: number;
	createdAt: string;
	completedAt: string | null;
	_links: {
		self: string;
	};
};

export type CreateArchiveExportRequest = {
	from?: string;
	to?: string;
	docIds?: string[];
	filter?: {
		encf?: string;
		client_request_id?: string;
		type?: "31" | "32" | "33" | "34" | "41" | "44";
		status?: "pending" | "accepted" | "rejected" | "failed";
		code?: string;
		date?: "received" | "issued";
		from?: string;
		to?: string;
		customer_rnc?: string;
		modifies?: string;
		amount_from?: string;
		amount_to?: string;
		q?: string;
		test_sets?: "include" | "exclude";
	};
	format: "zip" | "tar.zst" | "xml" | "pdf" | "csv";
};

export type CreateCompanyRequest = {
	rnc: string;
	name?: string;
	tradeName?: string;
	email?: string;
	phone?: string;
	address?: {
		street?: string;
		municipalityCode?: string;
		provinceCode?: string;
	};
	economicActivity?: string;
	environment?: "production" | "staging" | "sandbox" | "public-sandbox";
	authorityEnvironment?: "test" | "certification" | "production";
	webhooks?: ({
		url: string;
		events?: ("invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test" | "invoice.*" | "document.*" | "approval.*" | "email.*" | "certificate.*" | "sequence.*" | "certification.*" | "registry.*" | "authority.*" | "webhook.*" | "*")[];
		description?: string;
		rateLimitPerSecond?: number;
		ordering?: "per_document" | "none";
		recovery?: "automatic" | "manual";
	} | string)[];
	webhookUrl?: string;
	webhookUrls?: string[];
	pdfLogo?: string;
	certificate?: {
		pkcs12: string;
		password: string;
	};
	settings?: {
		locale?: "es-DO" | "en-US";
		timezone?: "America/Santo_Domingo";
		printFormat?: "a4" | "letter" | "thermal_80" | "thermal_58";
		strictValidation?: boolean;
		knownRejections?: "refuse" | "send";
		outagePolicy?: "queue" | "reject";
		sequenceMode?: "client" | "service";
		signatureProfile?: "xades-bes" | "xmldsig";
		sequenceExpiresOn?: string | null;
		deferredSending?: {
			authorisedOn: string;
			reference: string;
		} | null;
	};
	contactEmails?: string[];
	metadata?: Record<string, string>;
};

export type CreateMyViewRequest = {
	page: string;
	name: string;
	query: string;
};

export type CreatePasskeyAnswer = {
	id: string;
	label: string;
	isBackedUp: boolean;
	createdAt: string;
	lastUsedAt: string | null;
};

export type CreatePasskeyOptionsAnswer = {
	challenge: string;
};

export type CreatePasskeyRequest = {
	label: string;
	credential: {
		id: string;
		rawId: string;
		type: "public-key";
		authenticatorAttachment?: string | null;
		clientExtensionResults?: Record<string, unknown>;
		response: {
			clientDataJSON: string;
			attestationObject: string;
			transports?: string[];
		};
	};
};

export type CreatePortalSessionRequest = {
	portalId: string;
	token: string;
};

export type CreateRecoveryCodesAnswer = {
	codes: string[];
};

export type CreateSequenceRequest = {
	type: "31" | "32" | "33" | "34" | "41" | "44";
	from: string;
	to: string;
	expiresAt?: string | null;
};

export type CreateSessionRequest = {
	method: "passkey" | "password" | "link" | "recovery" | "local" | "try";
	email?: string;
	password?: string;
	totp?: string;
	credential?: PasskeyAssertion;
	token?: string;
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
	email: string;
	role: "viewer" | "accountant" | "developer" | "owner";
	tenantIds?: string[] | null;
	language?: "en" | "es";
};

export type CreateTotpAnswer = {
	secret: string;
	uri: string;
};

export type CreateWatchlistRequest = {
	name: string;
	fields?: ("status" | "name" | "trade_name" | "economic_activity" | "payment_regime")[];
	emails?: string[];
	digest?: "daily" | "weekly" | null;
	locale?: "es" | "en";
	source?: "customers" | "suppliers";
};

export type CreateWebhookRequest = {
	url: string;
	events?: ("invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test" | "invoice.*" | "document.*" | "approval.*" | "email.*" | "certificate.*" | "sequence.*" | "certification.*" | "registry.*" | "authority.*" | "webhook.*" | "*")[];
	description?: string;
	rateLimitPerSecond?: number;
	ordering?: "per_document" | "none";
	recovery?: "automatic" | "manual";
};

export type CreatedReconcileLink = {
	id: string;
	key_id: string;
	created_at: string;
	expires_at: string;
	url: string;
};

export type DeadLetter = {
	deliveryId: string;
	tenantId: string;
	company: string | null;
	webhookId: string;
	event: string;
	docId: string;
	createdAt: string;
	deadAt: string;
	reason: string;
	attempts: number;
	responseStatus: number | null;
	error: string | null;
};

export type DecideApprovalRequest = {
	decision: "approved" | "rejected";
	reason?: string | null;
};

export type Delivery = {
	deliveryId: string;
	webhookId: string;
	event: string;
	docId: string;
	sequence: number;
	status: "pending" | "failed" | "delivered" | "dead";
	reason: string | null;
	createdAt: string;
	deliveredAt: string | null;
	deadAt: string | null;
	_links: {
		self: string;
		redeliver: string;
	};
	body: string;
	attempts: {
		n: number;
		at: string;
		durationMs: number;
		responseStatus: number | null;
		error: string | null;
		responseBody: string;
	}[];
};

export type DeliverySummary = {
	deliveryId: string;
	webhookId: string;
	event: string;
	docId: string;
	sequence: number;
	status: "pending" | "failed" | "delivered" | "dead";
	reason: string | null;
	createdAt: string;
	deliveredAt: string | null;
	deadAt: string | null;
	_links: {
		self: string;
		redeliver: string;
	};
	attemptCount: number;
	lastAttempt: {
		n: number;
		at: string;
		durationMs: number;
		responseStatus: number | null;
		error: string | null;
	} | null;
};

export type DocumentBatch = {
	documents: string[];
	as_of?: string;
};

export type DocumentBatchResult = {
	results: ({
		document: string;
		outcome: "found";
		entry: BatchEntry;
	} | {
		document: string;
		outcome: "not_found" | "invalid";
	})[];
	run_id: string;
};

export type DocumentEntry = {
	rnc: string;
	name: string;
	trade_name: string;
	economic_activity: string;
	status: string;
	payment_regime: string;
	started_on?: string | null;
	as_of?: string;
	run_id?: string;
	seen_from?: string;
	seen_to?: string | null;
};

export type DocumentHistory = {
	rnc: string;
	history_begins: string;
	periods: {
		from: string;
		to: string | null;
		name: string;
		trade_name: string;
		economic_activity: string;
		status: string;
		payment_regime: string;
		changed: ("name" | "trade_name" | "economic_activity" | "status" | "payment_regime")[];
		run_id: string;
	}[];
	count: number;
	partial: boolean;
};

export type DocumentProof = {
	format: "sello-proof/2";
	docId: string;
	tenantId: string;
	sha256: string;
	decidedAt: string;
	log: number;
	leafIndex: number;
	leafHash: string;
	chain: {
		index: number;
		previous: string;
		hash: string;
	};
	inclusion: {
		treeSize: number;
		root: string;
		hashes: string[];
	};
	logs: {
		root: string;
		hashes: string[];
	};
	checkpoint: string;
	key: string;
};

export type DocumentReceivedEvent = {
	event: "document.received";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	proof: "proven" | "unproven" | "contested" | "superseded";
};

export type DryRun = {
	dryRun: true;
	type: string;
	encf: string;
	duplicateOf: string | null;
	road: string;
	issueDate: string;
	sequenceExpiresOn: string | null;
	totals: {
		taxedBase?: string;
		exemptBase?: string;
		itbis?: string;
		additionalTaxes?: string;
		withheldItbis?: string;
		withheldIsr?: string;
		total: string;
	};
	registry: {
		issuer: string | null;
		buyer: string | null;
		runId: string | null;
	};
	warnings: {
		code: string;
		pointer: string;
		detail: string;
		detailEs?: string;
		authorityCode?: string;
		expected?: string | string[];
		registryName?: string;
		verdict?: "rejected" | "conditional";
	}[];
	document: {
		xml: string;
		signedBytes: number;
		signatureProfile: string;
		certificate: string;
	};
};

export type Email = {
	emailId: string;
	docId: string;
	status: "queued" | "skipped" | "failed" | "sent" | "delivered" | "bounced" | "complained";
	to: string[];
	cc: string[];
	subject: string;
	message: string;
	attach: ("pdf" | "xml")[];
	locale: "es" | "en";
	recipients: {
		address: string;
		kind: "to" | "cc";
		status: "queued" | "skipped" | "failed" | "sent" | "delivered" | "bounced" | "complained";
		reason: string | null;
		attempts: number;
		messageId: string;
		sentAt: string | null;
		updatedAt: string;
	}[];
	createdAt: string;
};

export type EmailBouncedEvent = {
	event: "email.bounced";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	email: {
		emailId: string;
		recipient: string;
		status: "bounced" | "complained";
		reason: string | null;
	};
};

export type EmailFailedEvent = {
	event: "email.failed";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	email: {
		emailId: string;
		recipient: string;
		status: "failed";
		reason: string | null;
	};
};

export type EmailRequest = {
	to: string[];
	cc?: string[];
	subject?: string | null;
	message?: string;
	attach?: ("pdf" | "xml")[];
	locale?: "es" | "en";
};

export type Fault = {
	pointer: string;
	code: string;
	detail: string;
};

export type FiscalInvoice = {
	id: string;
	docId: string;
	trackId: string;
	type: string;
	encf: string;
	status: string;
	validation: {
		schema: string;
		signature: string;
		arithmetic: string;
		registry: {
			issuer: string | null;
			buyer: string | null;
			runId: string | null;
		};
		authority: string;
	};
	company: {
		rnc: string;
		name: string;
	};
	customer: {
		rnc?: string;
		foreign_id?: string;
		name?: string;
		contact?: string;
		email?: string;
		address?: {
			street?: string;
			municipality_code?: string;
			province_code?: string;
		};
		code?: string;
	} | null;
	totals: {
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	securityCode: string;
	signedAt: string;
	qrUrl: string;
	authority: {
		approvedAt?: string;
		trackId?: string;
		code?: string;
		title?: string;
		warnings?: {
			code: string;
			text: string;
		}[];
		messages?: {
			code: string;
			text: string;
		}[];
		sequenceConsumed?: boolean;
	};
	createdAt: string;
	updatedAt: string;
	_links: {
		self: string;
		invoice: string;
		xml: string;
		pdf: string;
	};
};

export type GetApiKeyAnswer = {
	id: string;
	prefix: string;
	label: string;
	plan: string;
	scopes: string[];
	environment: string;
	ipAllowList: string[];
	tenantIds: string[];
	contactEmails: string[];
	createdBy: string | null;
	createdAt: string;
	lastUsedAt: string | null;
	expiresAt: string | null;
	_links: {
		self: string;
	};
};

export type GetArchiveConsistencyProofAnswer = {
	from: number;
	to: number;
	fromRoot: string;
	toRoot: string;
	logs: {
		log: number;
		from: number;
		to: number;
		fromRoot: string;
		toRoot: string;
		hashes: string[];
	}[];
};

export type GetOutboxAnswer = {
	items: {
		kind: string;
		waiting: number;
		due: number;
		oldestSeconds: number;
		dead: number;
	}[];
};

export type GetRequestSchemaAnswer = {
	$schema: string;
	$id: string;
	title: string;
};

export type Invoice = {
	docId: string;
	trackId: string;
	tenantId: string;
	environment: string;
	type: string;
	encf: string;
	status: string;
	issueDate: string;
	request: InvoiceRequest;
	print: {
		securityCode: string;
		signedAt: string;
		qrUrl: string;
		contingency: {
			active: boolean;
			since: string;
			sendBy: string;
		} | null;
		legend: string[];
	};
	warnings: {
		code: string;
		pointer: string;
		detail: string;
		detailEs?: string;
		authorityCode?: string;
		expected?: string | string[];
		registryName?: string;
		verdict?: "rejected" | "conditional";
	}[];
	authority: {
		approvedAt?: string;
		trackId?: string;
		code?: string;
		title?: string;
		warnings?: {
			code: string;
			text: string;
		}[];
		messages?: {
			code: string;
			text: string;
		}[];
		sequenceConsumed?: boolean;
	};
	archive: {
		sha256: string;
		bytes: number;
		retainUntil: string;
		leafIndex: number;
		chainHash: string;
	} | null;
	approval: {
		approvalId: string;
		decision: "approved" | "rejected";
		reason: string | null;
		decidedAt: string;
		receivedAt: string;
	} | null;
	createdAt: string;
	updatedAt: string;
	version: number;
	_links: {
		self: string;
		status: string;
		events: string;
		xml: string;
		pdf: string;
		evidence: string;
		proof: string;
		draft: string;
	};
};

export type InvoiceAcceptedEvent = {
	event: "invoice.accepted";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	docVersion: number;
	client_request_id?: string;
	status: "accepted";
	authority?: {
		code: string;
	};
};

export type InvoiceBatch = {
	invoices: InvoiceRequest[];
};

export type InvoiceBatchResult = {
	results: ({
		index: number;
		status: number;
		docId: string;
		trackId: string;
		encf: string;
		print: {
			securityCode: string;
			signedAt: string;
			qrUrl: string;
			contingency: {
				active: boolean;
				since: string;
				sendBy: string;
			} | null;
			legend: string[];
			escpos?: string;
		};
		warnings: {
			code: string;
			pointer: string;
			detail: string;
			detailEs?: string;
			authorityCode?: string;
			expected?: string | string[];
			registryName?: string;
			verdict?: "rejected" | "conditional";
		}[];
		totalsDop?: {
			subtotal: string;
			tax: string;
			grand_total: string;
		};
		replayed?: boolean;
	} | {
		index: number;
		status: number;
		problem: Problem;
	})[];
	accepted: number;
	replayed: number;
	failed: number;
};

export type InvoiceDeliveredEvent = {
	event: "invoice.delivered";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	docVersion: number;
	client_request_id?: string;
	status: "accepted";
	delivery: {
		state: "delivered";
		buyerRnc: string;
		motive?: number;
	};
};

export type InvoiceDelivery = {
	docId: string;
	encf: string;
	buyerRnc: string;
	state: string;
	motive: {
		code: number;
		text: string;
	} | null;
	detail: string | null;
	attempts: {
		n: number;
		at: string;
		host: string;
		result: string | null;
		httpStatus: number | null;
		detail: string | null;
	}[];
	acknowledgement: {
		state: string;
		motive: {
			code: number;
			text: string;
		} | null;
		signer: string;
		sha256: string;
		receivedAt: string;
	} | null;
	createdAt: string;
	updatedAt: string;
	_links: {
		self: string;
		invoice: string;
		acknowledgement?: string;
		retry?: string;
	};
};

export type InvoiceDraft = {
	as: "reissue" | "credit" | "debit" | "copy";
	docId: string;
	encf: string;
	request: {
		type?: "31" | "32" | "33" | "34" | "41" | "44";
		encf?: string;
		client_request_id?: string;
		company?: {
			rnc: string;
			name: string;
		};
		customer?: {
			rnc?: string;
			foreign_id?: string;
			name?: string;
			contact?: string;
			email?: string;
			address?: {
				street?: string;
				municipality_code?: string;
				province_code?: string;
			};
			code?: string;
		};
		lines?: ({
			line_number: number;
			description: string;
			quantity: string;
			unit_price: string;
			subtotal: string;
			gross_unit_price?: string;
			gross_subtotal?: string;
			tax_rate?: "18" | "16" | "0" | "exempt";
			kind?: "good" | "service";
			unit?: string;
			item_code?: {
				type: string;
				code: string;
			} | {
				type: string;
				code: string;
			}[];
			discount?: string;
			surcharge?: string;
			withholding?: {
				itbis: string;
				isr: string;
			};
			additional_taxes?: {
				code: string;
				rate?: string;
				amount: string;
			}[];
			production_date?: string;
			expiry_date?: string;
			excise?: {
				reference_quantity?: string;
				reference_unit?: string;
				sub_quantities?: {
					quantity: string;
					unit: string;
				}[];
				alcohol_degrees?: string;
				retail_price?: string;
			};
		})[];
		totals?: {
			subtotal: string;
			tax: string;
			grand_total: string;
		};
		issue_date?: string;
		due_date?: string;
		currency?: "DOP" | "BRL" | "CAD" | "CHF" | "CNY" | "CHY" | "XDR" | "DKK" | "EUR" | "GBP" | "JPY" | "NOK" | "SCP" | "SEK" | "USD" | "VEF" | "HTG" | "MXN" | "COP";
		exchange_rate?: string;
		amounts_in?: "DOP" | "document";
		legal_tip?: string;
		income_type?: "01" | "02" | "03" | "04" | "05" | "06";
		payment?: {
			terms: "cash" | "credit" | "free";
			forms?: {
				method: number;
				amount: string;
			}[];
			account?: {
				type?: "CT" | "AH" | "OT";
				number: string;
				bank?: string;
			};
			terms_text?: string;
		};
		reference?: {
			encf: string;
			issue_date: string;
			code: number;
			reason?: string;
			customer_rnc?: string;
		};
		adjustments?: {
			kind: "discount" | "surcharge";
			description: string;
			amount?: string;
			percent?: string;
			tax_rate?: "18" | "16" | "0" | "exempt";
		}[];
		branch?: string;
		pos?: string;
		seller?: string;
		order_number?: string;
		order_date?: string;
		internal_number?: string;
		sales_zone?: string;
		sales_route?: string;
		delivery?: {
			date?: string;
			contact?: string;
			address?: string;
			phone?: string;
		};
		period?: {
			from: string;
			to: string;
		};
		all_inclusive?: true;
		deferred?: true;
		non_billable_lines?: {
			description: string;
			quantity: string;
			unit_price: string;
			amount: string;
			unit?: string;
		}[];
		advance?: string;
		prior_balance?: string;
		notes?: string;
		emails?: string[];
		metadata?: Record<string, string>;
	};
	changes: {
		pointer: string;
		before: unknown;
		after: unknown;
		detail: string;
		detailEs: string;
	}[];
	open: {
		pointer: string;
		detail: string;
		detailEs: string;
	}[];
};

export type InvoiceFailedEvent = {
	event: "invoice.failed";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	docVersion: number;
	client_request_id?: string;
	status: "failed";
	authority?: {
		code: string;
	};
};

export type InvoiceListItem = {
	docId: string;
	trackId: string;
	status: string;
	encf: string;
	client_request_id: string | null;
	phase: string;
	holdReason: string | null;
	attempts: number;
	nextAttemptAt: string | null;
	contingency?: {
		active: boolean;
		since: string;
		legend: string;
	};
	authority: {
		approvedAt?: string;
		trackId?: string;
		code?: string;
		title?: string;
		warnings?: {
			code: string;
			text: string;
		}[];
		messages?: {
			code: string;
			text: string;
		}[];
		sequenceConsumed?: boolean;
	};
	reissue?: {
		allowed: boolean;
		encf: string;
	};
	fix?: {
		op: string;
		path: string;
		value: string;
	}[];
	advice?: {
		pointer: string;
		detail: string;
		detailEs: string;
	}[];
	failure?: {
		code: string;
		detail: string;
		failedAt: string;
		retryable: boolean;
	};
	delivery?: {
		state: string;
		at: string;
		motive: {
			code: number;
			text: string;
		} | null;
	};
	testSetId?: string;
	version: number;
	updatedAt: string;
	_links: {
		self: string;
		delivery?: string;
		retry?: string;
	};
	type: string;
	code: string | null;
	issueDate: string;
	customer: {
		rnc: string | null;
		name: string | null;
	} | null;
	totals: {
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	currency: string;
	receivedAt: string;
};

export type InvoicePendingContingencyEvent = {
	event: "invoice.pending_contingency";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	docVersion: number;
	client_request_id?: string;
	status: "pending";
};

export type InvoicePreparedEvent = {
	event: "invoice.prepared";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	prepared: {
		sha256: string;
		type: string;
		customerRnc: string | null;
		currency: string;
		total: string;
		expiresAt: string;
	};
};

export type InvoiceRejectedEvent = {
	event: "invoice.rejected";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	docVersion: number;
	client_request_id?: string;
	status: "rejected";
	authority?: {
		code: string;
	};
	fix?: {
		op: string;
		path: string;
		value: string | number;
	}[];
	advice?: {
		pointer: string;
		detail: string;
		detailEs: string;
	}[];
};

export type InvoiceRequest = {
	type: "31" | "32" | "33" | "34" | "41" | "44";
	encf: string;
	client_request_id?: string;
	company: {
		rnc: string;
		name: string;
	};
	customer?: {
		rnc?: string;
		foreign_id?: string;
		name?: string;
		contact?: string;
		email?: string;
		address?: {
			street?: string;
			municipality_code?: string;
			province_code?: string;
		};
		code?: string;
	};
	lines: ({
		line_number: number;
		description: string;
		quantity: string;
		unit_price: string;
		subtotal: string;
		gross_unit_price?: string;
		gross_subtotal?: string;
		tax_rate?: "18" | "16" | "0" | "exempt";
		kind?: "good" | "service";
		unit?: string;
		item_code?: {
			type: string;
			code: string;
		} | {
			type: string;
			code: string;
		}[];
		discount?: string;
		surcharge?: string;
		withholding?: {
			itbis: string;
			isr: string;
		};
		additional_taxes?: {
			code: string;
			rate?: string;
			amount: string;
		}[];
		production_date?: string;
		expiry_date?: string;
		excise?: {
			reference_quantity?: string;
			reference_unit?: string;
			sub_quantities?: {
				quantity: string;
				unit: string;
			}[];
			alcohol_degrees?: string;
			retail_price?: string;
		};
	})[];
	totals: {
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	issue_date?: string;
	due_date?: string;
	currency?: "DOP" | "BRL" | "CAD" | "CHF" | "CNY" | "CHY" | "XDR" | "DKK" | "EUR" | "GBP" | "JPY" | "NOK" | "SCP" | "SEK" | "USD" | "VEF" | "HTG" | "MXN" | "COP";
	exchange_rate?: string;
	amounts_in?: "DOP" | "document";
	legal_tip?: string;
	income_type?: "01" | "02" | "03" | "04" | "05" | "06";
	payment?: {
		terms: "cash" | "credit" | "free";
		forms?: {
			method: number;
			amount: string;
		}[];
		account?: {
			type?: "CT" | "AH" | "OT";
			number: string;
			bank?: string;
		};
		terms_text?: string;
	};
	reference?: {
		encf: string;
		issue_date: string;
		code: number;
		reason?: string;
		customer_rnc?: string;
	};
	adjustments?: {
		kind: "discount" | "surcharge";
		description: string;
		amount?: string;
		percent?: string;
		tax_rate?: "18" | "16" | "0" | "exempt";
	}[];
	branch?: string;
	pos?: string;
	seller?: string;
	order_number?: string;
	order_date?: string;
	internal_number?: string;
	sales_zone?: string;
	sales_route?: string;
	delivery?: {
		date?: string;
		contact?: string;
		address?: string;
		phone?: string;
	};
	period?: {
		from: string;
		to: string;
	};
	all_inclusive?: true;
	deferred?: true;
	non_billable_lines?: {
		description: string;
		quantity: string;
		unit_price: string;
		amount: string;
		unit?: string;
	}[];
	advance?: string;
	prior_balance?: string;
	notes?: string;
	emails?: string[];
	metadata?: Record<string, string>;
};

export type InvoiceStatus = {
	docId: string;
	trackId: string;
	status: string;
	encf: string;
	client_request_id: string | null;
	phase: string;
	holdReason: string | null;
	attempts: number;
	nextAttemptAt: string | null;
	contingency?: {
		active: boolean;
		since: string;
		legend: string;
	};
	authority: {
		approvedAt?: string;
		trackId?: string;
		code?: string;
		title?: string;
		warnings?: {
			code: string;
			text: string;
		}[];
		messages?: {
			code: string;
			text: string;
		}[];
		sequenceConsumed?: boolean;
	};
	reissue?: {
		allowed: boolean;
		encf: string;
	};
	fix?: {
		op: string;
		path: string;
		value: string;
	}[];
	advice?: {
		pointer: string;
		detail: string;
		detailEs: string;
	}[];
	failure?: {
		code: string;
		detail: string;
		failedAt: string;
		retryable: boolean;
	};
	delivery?: {
		state: string;
		at: string;
		motive: {
			code: number;
			text: string;
		} | null;
	};
	testSetId?: string;
	version: number;
	updatedAt: string;
	_links: {
		self: string;
		delivery?: string;
		retry?: string;
	};
};

export type InvoiceUndeliveredEvent = {
	event: "invoice.undelivered";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	encf: string;
	docVersion: number;
	client_request_id?: string;
	status: "accepted";
	delivery: {
		state: "refused" | "undelivered";
		buyerRnc: string;
		motive?: number;
	};
};

export type LatestArchiveCheckpoint = {
	number: number;
	size: number;
	root: string;
	previous: string;
	sha256: string;
	madeAt: string;
	keyName: string;
	note: string;
	key: ArchiveKey;
};

export type LeaseNumbersRequest = {
	type: "31" | "32" | "33" | "34" | "41" | "44";
	count: number;
	ttl: number;
};

export type LegacyInvoice = {
	tenantId?: string;
	ecfType: number | string;
	encf: string;
	issueDate?: string;
	buyer?: {
		rnc?: string;
		name?: string;
	};
	lines: {
		description: string;
		qty: number | string;
		unitPrice: number | string;
		taxRate?: number | string;
	}[];
	subtotal: number | string;
	tax: number | string;
	grandTotal: number | string;
};

export type LimitedReport = {
	day: string;
	items: {
		tenantId: string | null;
		name: string | null;
		ownerId: string | null;
		keyId: string | null;
		operation: string;
		limited: number;
		requests: number;
	}[];
};

export type Link = {
	url: string;
	expiresAt: string;
	_links: {
		self: string;
	};
};

export type LinkRequest = {
	operation: string;
	params?: Record<string, string>;
	expiresIn?: number;
};

export type ListApiKeysAnswer = {
	items: {
		id: string;
		prefix: string;
		label: string;
		plan: string;
		scopes: string[];
		environment: string;
		ipAllowList: string[];
		tenantIds: string[];
		contactEmails: string[];
		createdBy: string | null;
		createdAt: string;
		lastUsedAt: string | null;
		expiresAt: string | null;
		_links: {
			self: string;
		};
	}[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListApprovalsAnswer = {
	items: Approval[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListArchiveAnswer = {
	items: {
		docId: string;
		encf: string | null;
		type: string | null;
		status: string | null;
		sha256: string;
		bytes: number;
		decidedAt: string;
		archivedAt: string;
		retainUntil: string;
		log: number;
		leafIndex: number;
		chainIndex: number;
		chainHash: string;
		_links: {
			invoice?: string;
			evidence?: string;
			receivedDocument?: string;
			approval?: string;
		};
	}[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListArchiveCheckpointsAnswer = {
	items: ArchiveCheckpoint[];
	count: number;
	partial: boolean;
	next: string | null;
	keys: ArchiveKey[];
};

export type ListArchiveExportsAnswer = {
	items: ({
		exportId: string;
		status: "queued" | "running" | "ready" | "failed" | "expired";
		chosen: boolean;
		from: string;
		to: string;
		format: "zip" | "tar.zst" | "xml" | "pdf" | "csv";
		documents: number;
		bytes: number | null;
		sha256: string | null;
		url: string | null;
		expiresAt: string | null;
		chain: {
			from: string;
			to: string;
		} | null;
		merkleRoot: string | null;
		treeSize: number | null;
		failure: {
			code: "object-missing" | "object-changed" | "object-unreadable" | "internal";
			detail: string;
			docId: string | null;
		} | null;
		damaged: {
			code: "object-missing" | "object-changed" | "object-unreadable" | "internal";
			detail: string;
			docId: string;
			path: string;
		}[];
		damagedCount: number;
		createdAt: string;
		completedAt: string | null;
		_links: {
			self: string;
		};
	})[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListAuditAnswer = {
	items: AuditEntry[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListAuthorityCodesAnswer = {
	items: AuthorityCode[];
	count: number;
	partial: boolean;
	next: null;
};

export type ListCertificatesAnswer = {
	items: {
		id: string;
		status: string;
		subject: string;
		issuer: string;
		serialNumber: string;
		thumbprint: string;
		notBefore: string;
		notAfter: string;
		daysLeft: number;
		ephemeral: boolean;
		activateAt: string;
	}[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListCheckSetTestsAnswer = {
	items: CheckSetTests[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListCompaniesAnswer = {
	items: Company[];
	count: number;
	partial: boolean;
	next: string | null;
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

export type ListDeliveriesAnswer = {
	items: DeliverySummary[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListEmailsAnswer = {
	items: Email[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListEventsAnswer = {
	events: ({
		id: string;
		sequence: number;
	} & WebhookEvent)[];
	count: number;
	partial: boolean;
	next: string;
};

export type ListInvoiceEventsAnswer = {
	items: {
		version: number;
		at: string;
		status: string;
		phase: string;
		summary: string;
		event: string | null;
	}[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListInvoicesAnswer = {
	items: InvoiceListItem[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListLeasesAnswer = {
	items: SequenceLease[];
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
		isBackedUp: boolean;
		createdAt: string;
		lastUsedAt: string | null;
	}[];
	count: number;
};

export type ListPlacesAnswer = {
	items: Place[];
	count: number;
	partial: boolean;
	next: null;
};

export type ListPreparedInvoicesAnswer = {
	items: PreparedInvoiceItem[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListPurchaseOrdersAnswer = {
	items: PurchaseOrder[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListReceivedDocumentsAnswer = {
	items: ReceivedDocument[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListReconcileLinksAnswer = {
	items: ReconcileLink[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListSequencesAnswer = {
	items: Sequence[];
	count: number;
	partial: boolean;
	next: string | null;
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

export type ListVoidsAnswer = {
	items: SequenceVoid[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListWatchlistsAnswer = {
	items: Watchlist[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type ListWebhooksAnswer = {
	items: Webhook[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type MailNotice = {
	messageId: string;
	status: "delivered" | "bounced" | "complained";
	reason?: string;
};

export type Me = {
	user: {
		id: string;
		email: string | null;
		name: string;
		language: "en" | "es";
		settings: Record<string, unknown>;
	};
	factors: {
		password: boolean;
		totp: boolean;
		passkeys: number;
		recoveryCodes: number;
		sso: string | null;
	};
	teams: {
		ownerId: string | null;
		role: "viewer" | "accountant" | "developer" | "owner" | "operator" | "operator-readonly";
		tenantIds: string[] | null;
		scopes: string[];
	}[];
	memberships: {
		tenantId: string;
		ownerId: string | null;
		rnc: string;
		name: string;
		status: string;
		role: "viewer" | "accountant" | "developer" | "owner" | "operator" | "operator-readonly";
		scopes: string[];
	}[];
	environment: "production" | "staging" | "sandbox" | "public-sandbox";
};

export type NameMatchRequest = {
	names: string[];
	min_score?: number;
	limit?: number;
};

export type NameMatchResult = {
	results: {
		name: string;
		matches: {
			score: number;
			field: "name" | "trade_name";
			entry: RegistryEntry;
		}[];
	}[];
	run_id: string;
};

export type OpenTenantRequest = {
	reason: string;
	minutes: number;
	userId?: string;
};

export type OperatorAccess = {
	id: string;
	userId: string;
	reason: string;
	createdAt: string;
	expiresAt: string;
};

export type OperatorRun = {
	runId: string;
	result: string;
	reason: string | null;
	source: string;
	startedAt: string;
	finishedAt: string;
	recordCount: number;
	added: number | null;
	changed: number | null;
	removed: number | null;
	current: boolean;
	restorable: boolean;
};

export type Overview = {
	from: string;
	to: string;
	authorityEnvironment: string;
	asOf: string;
	tasks: {
		rejected: {
			count: number;
			items: RefusedInvoice[];
		};
		failed: {
			count: number;
			items: RefusedInvoice[];
		};
		pending: {
			count: number;
			since: string | null;
		};
		prepared: {
			count: number;
			expiresAt: string | null;
		};
		certificate: {
			certificateId: string;
			subject: string;
			expiresAt: string;
		} | null;
	};
	cards: {
		issuedToday: number;
		acceptanceRate: number | null;
		sales: {
			count: number;
			subtotal: string;
			tax: string;
			grand_total: string;
		};
		purchases: {
			count: number;
			subtotal: string;
			tax: string;
			grand_total: string;
		};
		pending: {
			count: number;
			oldestSeconds: number;
		};
	};
	days: {
		day: string;
		accepted: number;
		rejected: number;
		failed: number;
		sales: string;
	}[];
	authority: {
		status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
		since: string;
		contingency: boolean;
		historyFrom: string;
		stepSeconds: number;
		states: ("operational" | "degraded" | "maintenance" | "outage" | "unknown")[];
	};
	webhooks: WebhookHealth[] | null;
	sequences: SequenceForecast[] | null;
};

export type PasskeyAssertion = {
	id: string;
	rawId: string;
	type: "public-key";
	authenticatorAttachment?: string | null;
	clientExtensionResults?: Record<string, unknown>;
	response: {
		clientDataJSON: string;
		authenticatorData: string;
		signature: string;
		userHandle?: string | null;
	};
};

export type PatchApiKeyRequest = {
	label?: string;
	expiresAt?: string | null;
	ipAllowList?: string[] | null;
	tenantIds?: string[] | null;
	contactEmails?: string[] | null;
};

export type PatchCompany = {
	name?: string;
	tradeName?: string | null;
	email?: string | null;
	phone?: string | null;
	address?: {
		street?: string | null;
		municipalityCode?: string | null;
		provinceCode?: string | null;
	} | null;
	economicActivity?: string | null;
	authorityEnvironment?: "test" | "certification" | "production";
	webhooks?: ({
		url: string;
		events?: ("invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test" | "invoice.*" | "document.*" | "approval.*" | "email.*" | "certificate.*" | "sequence.*" | "certification.*" | "registry.*" | "authority.*" | "webhook.*" | "*")[];
		description?: string;
		rateLimitPerSecond?: number;
		ordering?: "per_document" | "none";
		recovery?: "automatic" | "manual";
	} | string)[] | null;
	webhookUrl?: string | null;
	webhookUrls?: string[] | null;
	pdfLogo?: string | null;
	certificate?: {
		pkcs12: string;
		password: string;
	};
	settings?: {
		locale?: "es-DO" | "en-US" | null;
		timezone?: "America/Santo_Domingo" | null;
		printFormat?: "a4" | "letter" | "thermal_80" | "thermal_58" | null;
		strictValidation?: boolean | null;
		knownRejections?: "refuse" | "send" | null;
		outagePolicy?: "queue" | "reject" | null;
		sequenceMode?: "client" | "service" | null;
		signatureProfile?: "xades-bes" | "xmldsig" | null;
		sequenceExpiresOn?: string | null;
		deferredSending?: {
			authorisedOn: string;
			reference: string;
		} | null;
	} | null;
	contactEmails?: string[] | null;
	metadata?: Record<string, string | null> | null;
};

export type PatchMeRequest = {
	name?: string;
	language?: "en" | "es";
	settings?: Record<string, unknown>;
};

export type PatchMyViewRequest = {
	name?: string;
	query?: string;
};

export type PatchTeamMemberAnswer = {
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
	disabled: boolean;
	createdAt: string;
};

export type PatchTeamMemberRequest = {
	role?: "viewer" | "accountant" | "developer" | "owner";
	tenantIds?: string[] | null;
};

export type PatchTenantRequest = {
	status?: "active" | "suspended" | "closed";
	plan?: "demo" | "free" | "starter" | "business" | "enterprise" | "unlimited";
};

export type PatchWatchlistRequest = {
	name?: string;
	fields?: ("status" | "name" | "trade_name" | "economic_activity" | "payment_regime")[];
	emails?: string[];
	digest?: "daily" | "weekly" | null;
	locale?: "es" | "en";
};

export type PatchWebhookRequest = {
	url?: string;
	events?: ("invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test" | "invoice.*" | "document.*" | "approval.*" | "email.*" | "certificate.*" | "sequence.*" | "certification.*" | "registry.*" | "authority.*" | "webhook.*" | "*")[];
	description?: string | null;
	status?: "enabled" | "disabled";
	rateLimitPerSecond?: number | null;
	ordering?: "per_document" | "none";
	recovery?: "automatic" | "manual";
};

export type Place = {
	code: string;
	name: string;
	level: "province" | "municipality" | "district";
	provinceCode: string;
};

export type PortalLink = {
	url: string;
	expiresAt: string;
};

export type PortalLinkRequest = {
	pages: ("invoices" | "deliveries")[];
	redeliver?: boolean;
	expiresIn?: number;
};

export type PortalSession = {
	accessToken: string;
	expiresAt: string;
	company: {
		tenantId: string;
		rnc: string;
		name: string;
	};
	environment: string;
	pages: ("invoices" | "deliveries")[];
	scopes: string[];
};

export type PortalSettings = {
	portalId: string | null;
	origins: string[];
	updatedAt: string | null;
};

export type PostInvoiceAnswer200 = Acknowledgement | DryRun;

export type PostRevokeAnswer = Record<string, unknown>;

export type PostRevokeRequest = {
	token: string;
	token_type_hint?: string;
	client_id?: string;
	client_secret?: string;
};

export type PostSessionOptionsRequest = {
	purpose: "sign-in" | "confirm";
};

export type PostTokenAnswer = {
	access_token: string;
	token_type: "Bearer";
	expires_in: number;
	refresh_token: string;
	refresh_expires_in: number;
	scope: string;
	tenant_id: string;
	environment: string;
	issued_token_type?: "urn:ietf:params:oauth:token-type:access_token";
};

export type PostTokenRequest = {
	grant_type: "client_credentials" | "refresh_token" | "urn:ietf:params:oauth:grant-type:token-exchange";
	client_id?: string;
	client_secret?: string;
	audience?: string;
	refresh_token?: string;
	scope?: string;
	expires_in?: number;
};

export type PrepareInvoiceAnswer200 = PreparedInvoice | DryRun;

export type PreparedInvoice = {
	id: string;
	sha256: string;
	status: "waiting" | "issued" | "rejected" | "expired";
	summary: {
		type: string;
		encf: string;
		issueDate: string;
		customer: {
			rnc: string | null;
			name: string | null;
		} | null;
		lines: number;
		currency: string;
		totals: {
			subtotal: string;
			tax: string;
			grand_total: string;
		};
	};
	docId: string | null;
	reason: string | null;
	createdAt: string;
	expiresAt: string;
	decidedAt: string | null;
	_links: {
		self: string;
		approve: string;
		reject: string;
	};
	validation: {
		duplicateOf: string | null;
		road: string;
		sequenceExpiresOn: string | null;
		totals: {
			taxedBase?: string;
			exemptBase?: string;
			itbis?: string;
			additionalTaxes?: string;
			withheldItbis?: string;
			withheldIsr?: string;
			total: string;
		};
		registry: {
			issuer: string | null;
			buyer: string | null;
			runId: string | null;
		};
		warnings: {
			code: string;
			pointer: string;
			detail: string;
			detailEs?: string;
			authorityCode?: string;
			expected?: string | string[];
			registryName?: string;
			verdict?: "rejected" | "conditional";
		}[];
	};
	invoice: InvoiceRequest;
};

export type PreparedInvoiceItem = {
	id: string;
	sha256: string;
	status: "waiting" | "issued" | "rejected" | "expired";
	summary: {
		type: string;
		encf: string;
		issueDate: string;
		customer: {
			rnc: string | null;
			name: string | null;
		} | null;
		lines: number;
		currency: string;
		totals: {
			subtotal: string;
			tax: string;
			grand_total: string;
		};
	};
	docId: string | null;
	reason: string | null;
	createdAt: string;
	expiresAt: string;
	decidedAt: string | null;
	_links: {
		self: string;
		approve: string;
		reject: string;
	};
};

export type Problem = {
	type: string;
	title: string;
	status: number;
	detail: string;
	instance: string;
	requestId: string;
	traceId?: string;
	errors?: Fault[];
};

export type ProviderInfo = {
	rnc: string | null;
	name: string | null;
	certificationNumber: string | null;
	certifiedAt: string | null;
	status: "certified" | "not-certified";
	software: {
		name: string;
		version: string;
		commit: string | null;
	};
	apiVersions: {
		invoicing: string;
		identity: string;
	};
	supportedTypes: string[];
	environments: {
		name: string;
		baseUrl: string;
	}[];
	serviceUrls: {
		reception: string;
		commercialApproval: string;
		authentication: string;
	};
	egressIps: string[];
	support: {
		email: string | null;
		statusPage: string | null;
	};
	archive: {
		retentionYears: number;
		mode: "write-once";
	};
};

export type PublicAuthorityStatus = {
	environment: string;
	authorityEnvironment: string;
	status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
	since: string;
	breaker: string;
	services: AuthorityServiceStatus[];
	declared: {
		status: string;
		checkedAt: string | null;
	};
	maintenanceWindows: {
		from: string;
		to: string;
		source: "authority";
	}[];
	contingency: boolean;
	updatedAt: string | null;
	history: {
		from: string;
		stepSeconds: number;
		services: {
			name: string;
			states: ("operational" | "degraded" | "maintenance" | "outage" | "unknown")[];
		}[];
	};
};

export type PurchaseOrder = {
	number: string;
	issuer_rnc: string;
	amount: string | null;
	reusable: boolean;
	status: "open" | "used" | "closed";
	approvalId: string | null;
	createdAt: string;
	updatedAt: string;
	_links: {
		self: string;
	};
};

export type PurgeAnswer = {
	purge_id: string;
	purged_at: string;
	legal_basis: string;
	request_reference: string;
	effects: {
		memory_index: boolean;
		database: boolean;
		history: boolean;
		change_feed: boolean;
		snapshots: "next-run" | "cleared";
	};
	tombstone: boolean;
	cached_copies_expire_at: string;
	status: "purged";
	document: string;
	receipt: string;
	_links: {
		self: string;
	};
};

export type PurgeRecord = {
	purge_id: string;
	purged_at: string;
	legal_basis: string;
	request_reference: string;
	effects: {
		memory_index: boolean;
		database: boolean;
		history: boolean;
		change_feed: boolean;
		snapshots: "next-run" | "cleared";
	};
	tombstone: boolean;
	cached_copies_expire_at: string;
	status: "purged" | "reversal-proposed" | "reversed";
	reversal?: {
		proposed_at: string;
		expires_at?: string;
		reversed_at?: string;
	};
	retained: {
		issued_invoices: string;
	};
	_links: {
		self: string;
	};
};

export type PurgeRequest = {
	legal_basis: "arco-cancellation" | "arco-opposition" | "court-order" | "data-error";
	request_reference: string;
	requested_by: string;
	reason: string;
};

export type PutApprovalRuleRequest = {
	enabled: boolean;
	tolerance?: string;
};

export type PutCertificateAnswer = {
	id: string;
	status: string;
	subject: string;
	issuer: string;
	serialNumber: string;
	thumbprint: string;
	notBefore: string;
	notAfter: string;
	daysLeft: number;
	ephemeral: boolean;
	activateAt: string;
	probe: {
		signed: boolean;
		verified: boolean;
	};
	warnings: {
		code: string;
		pointer: string;
		detail: string;
	}[];
};

export type PutCertificateRequest = {
	pkcs12: string;
	password: string;
	activateAt?: string;
};

export type PutPasswordRequest = {
	password: string;
};

export type PutPortalSettingsRequest = {
	origins: string[];
};

export type PutPurchaseOrderRequest = {
	issuer_rnc: string;
	amount?: string | null;
	reusable?: boolean;
	status?: "open" | "closed";
};

export type PutTotpRequest = {
	secret: string;
	code: string;
};

export type QueuedEmail = {
	emailId: string;
	docId: string;
	status: "queued" | "skipped" | "failed" | "sent" | "delivered" | "bounced" | "complained";
	to: string[];
	createdAt: string;
};

export type ReceivedDocument = {
	id: string;
	tenantId: string;
	issuer: {
		rnc: string;
		name: string;
	};
	type: string;
	encf: string;
	issueDate: string;
	totals: {
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	signature: {
		valid: boolean;
		signer: string;
	};
	authorityStatus: "unknown" | "accepted" | "rejected" | "not_found";
	proof: "proven" | "unproven" | "contested" | "superseded";
	acknowledgement: "received" | null;
	approval: {
		approvalId: string;
		decision: string;
		status: string;
	} | null;
	receivedAt: string;
	sha256: string;
};

export type ReconcileBatchResult = ReconcileResults | ReconcileExtended;

export type ReconcileExtended = {
	meta: {
		id: string;
		name: string;
	}[];
	rows: Record<string, Record<string, {
		str: string;
	}[]>>;
};

export type ReconcileLink = {
	id: string;
	key_id: string;
	created_at: string;
	expires_at: string;
};

export type ReconcileLinkRequest = {
	expires_in_days?: number;
};

export type ReconcileManifest = {
	versions: string[];
	name: string;
	identifierSpace: string;
	schemaSpace: string;
	defaultTypes: {
		id: string;
		name: string;
	}[];
	documentation: string;
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
	result: {
		id: string;
		name: string;
		type: {
			id: string;
			name: string;
		}[];
		score: number;
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
	email: string;
};

export type RecoverWebhookAnswer = {
	queued: number;
};

export type RecoverWebhookRequest = {
	since: string;
};

export type RedispatchDeadLettersAnswer = {
	redispatched: number;
};

export type RedispatchDeadLettersRequest = {
	deliveryIds?: string[];
};

export type RefusedInvoice = {
	docId: string;
	encf: string;
	type: string;
	code: string | null;
	title: string | null;
	cause: string | null;
	fix: string | null;
	retryable: boolean;
	customer: {
		rnc: string | null;
		name: string | null;
	} | null;
	grand_total: string;
	currency: string;
	at: string;
};

export type RegistryChanges = {
	changes: {
		document: string;
		change: "added" | "changed" | "removed";
		run_id: string;
		at: string;
		entry?: RegistryEntry;
	}[];
	count: number;
	partial: boolean;
	next: string;
	run_id: string;
};

export type RegistryCheck = {
	check_id: string;
	status: "running" | "done" | "failed";
	rows: number;
	done: number;
	counts: {
		found: number;
		inactive: number;
		name_differs: number;
		ambiguous: number;
		not_found: number;
		invalid: number;
		duplicate: number;
	};
	format: "csv" | "xlsx";
	encoding: string | null;
	delimiter: string | null;
	number_column: string | null;
	name_column: string | null;
	as_of: string | null;
	run_id: string | null;
	created_at: string;
	finished_at: null | string;
	expires_at: string;
};

export type RegistryCreateWebhookRequest = {
	url: string;
	events?: ("registry.record_changed" | "registry.watchlist_changed" | "webhook.disabled" | "webhook.test" | "registry.*" | "webhook.*")[];
	description?: string;
	rateLimitPerSecond?: number;
	ordering?: "per_document" | "none";
	recovery?: "automatic" | "manual";
};

export type RegistryDownloads = {
	run_id: string | null;
	valid_until: string | null;
	files: {
		name: string;
		kind: "numbers" | "numbers-delta" | "delta" | "taxpayers";
		bytes: number;
		sha256: string;
		from_run_id?: string;
		from_at?: string;
		to_run_id?: string;
		persons: boolean;
	}[];
	count: number;
	manifest: string | null;
};

export type RegistryEntry = {
	rnc: string;
	name: string;
	trade_name: string;
	economic_activity: string;
	status: string;
	payment_regime: string;
};

export type RegistryPatchWebhookRequest = {
	url?: string;
	events?: ("registry.record_changed" | "registry.watchlist_changed" | "webhook.disabled" | "webhook.test" | "registry.*" | "webhook.*")[];
	description?: string | null;
	status?: "enabled" | "disabled";
	rateLimitPerSecond?: number | null;
	ordering?: "per_document" | "none";
	recovery?: "automatic" | "manual";
};

export type RegistryRecordChangedEvent = {
	event: "registry.record_changed";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	registry: {
		document: string;
		change: "added" | "changed" | "removed";
		risk: boolean;
		fields: {
			field: string;
			was: string;
			is: string;
		}[];
		run_id: string;
		watchlists: {
			id: string;
			reference?: string;
		}[];
		watchlistsOmitted: number;
	};
};

export type RegistryRuns = {
	runs: {
		run_id: string;
		result: "ok" | "refused" | "failed";
		started_at: string;
		finished_at: string;
		confirmed_at: string;
		record_count: number;
		source_sha256: string | null;
		added: number | null;
		changed: number | null;
		removed: number | null;
		refused: number;
		suppressed: number;
		healed: number;
		guessed: number;
		columns_ignored?: string[];
		fields_kept?: string[];
		fields_from_run?: string;
		duration_ms: number;
	}[];
	count: number;
	partial: boolean;
	next?: string;
};

export type RegistrySearchResult = {
	items: {
		rnc: string;
		name: string;
		trade_name: string;
		economic_activity: string;
		status: string;
		matched?: "joined" | "similar";
		score?: number;
		highlight?: {
			start: number;
			end: number;
		}[];
	}[];
	count: number;
	partial: boolean;
	next?: string;
	didYouMean?: string;
};

export type RegistryStatus = {
	last_ingest: string | null;
	record_count: number;
	source_etag: string | null;
	source_sha256: string | null;
	age_seconds: number | null;
	stale: boolean;
	run_id: string | null;
	added: number | null;
	changed: number | null;
	removed: number | null;
	suppressed: number;
	fields_kept?: string[];
	fields_from_run?: string;
	next_scheduled: string | null;
	last_attempt: {
		at: string;
		result: "ok" | "unchanged" | "refused" | "failed";
	} | null;
};

export type RegistrySuggestResult = {
	suggestions: {
		rnc: string;
		name: string;
		trade_name: string;
		status: string;
		field: "name" | "trade_name" | "document";
		highlight: number[][];
	}[];
	count: number;
	partial: boolean;
	run_id: string;
};

export type RegistryWatchlistChangedEvent = {
	event: "registry.watchlist_changed";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	registry: {
		run_id: string;
		counts: {
			added: number;
			changed: number;
			removed: number;
			risk: number;
		};
		watchlists: {
			id: string;
			changes: number;
			link: string;
		}[];
		watchlistsOmitted: number;
	};
};

export type RejectPreparedInvoiceRequest = {
	reason?: string;
};

export type Release = {
	version: string;
	area: "invoicing" | "identity";
	date: string;
	entries: ChangelogEntry[];
};

export type ReleaseList = {
	items: Release[];
	count: number;
	partial: false;
	next: null;
};

export type RenewCredentialsAnswer = {
	clientId: string;
	clientSecret: string | null;
	previousExpiresAt: string;
};

export type RenewCredentialsRequest = {
	graceSeconds?: number;
};

export type ReportTotals = {
	from: string;
	to: string;
	currency: "DOP";
	authorityEnvironment: "test" | "certification" | "production";
	asOf: string;
	groups: {
		day?: string;
		month?: string;
		type?: string;
		status?: string;
		branch?: string | null;
		customer_rnc?: string | null;
		count: number;
		subtotal: string;
		tax: string;
		grand_total: string;
	}[];
	partial: boolean;
	next: string | null;
	totals: {
		count: number;
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	sales: {
		count: number;
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	purchases: {
		count: number;
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	net: {
		count: number;
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	excluded: {
		rejected: {
			count: number;
			subtotal: string;
			tax: string;
			grand_total: string;
		};
		failed: {
			count: number;
			subtotal: string;
			tax: string;
			grand_total: string;
		};
	};
	digest: string;
};

export type RotateApiKeyAnswer = {
	id: string;
	prefix: string;
	label: string;
	plan: string;
	scopes: string[];
	environment: string;
	ipAllowList: string[];
	tenantIds: string[];
	contactEmails: string[];
	createdBy: string | null;
	createdAt: string;
	lastUsedAt: string | null;
	expiresAt: string | null;
	_links: {
		self: string;
	};
	key: string | null;
	previousExpiresAt: string;
};

export type RotateApiKeyRequest = {
	graceSeconds?: number;
};

export type RotateWebhookSecretRequest = {
	overlapSeconds?: number;
};

export type SavedView = {
	id: string;
	page: string;
	name: string;
	query: string;
	createdAt: string;
};

export type SeedAnswer = {
	issued: number;
	from: string;
	to: string;
};

export type SeedRequest = {
	documents: number;
};

export type Sequence = {
	id: string;
	type: string;
	from: string;
	to: string;
	next: string | null;
	available: number;
	expiresAt: string | null;
	status: "active" | "exhausted" | "expired";
	forecast: {
		perDay: number;
		exhaustedOn: string | null;
	};
};

export type SequenceForecast = {
	type: string;
	available: number;
	perDay: number;
	exhaustedOn: string | null;
	expiresAt: string | null;
	ending: boolean;
};

export type SequenceLease = {
	id: string;
	type: string;
	count: number;
	ranges: {
		from: string;
		to: string;
		sequenceExpiresAt: string | null;
	}[];
	status: "active" | "returned" | "expired";
	expiresAt: string;
	createdAt: string;
	_links: {
		self: string;
	};
};

export type SequenceLowEvent = {
	event: "sequence.low";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	low: {
		type: string;
		available: number;
		percent: number;
	};
};

export type SequenceVoid = {
	id: string;
	type: string;
	from: string;
	to: string;
	count: number;
	reason: string;
	status: string;
	messages: {
		code: string;
		text: string;
	}[];
	attempts: number;
	createdAt: string;
	decidedAt: string | null;
	_links: {
		self: string;
	};
};

export type Session = {
	id: string;
	method: string;
	current: boolean;
	operator: boolean;
	address: string;
	agent: string;
	createdAt: string;
	lastSeenAt: string;
	expiresAt: string;
	idleSeconds: number;
	confirmedUntil: string;
};

export type SignInOptions = {
	methods: string[];
	totp: boolean;
	sso: string | null;
	passkey: Record<string, unknown> | null;
};

export type SignedIn = {
	session: Session;
	me: Me;
};

export type StatusAnswers = {
	results: {
		docId?: string;
		encf?: string;
		client_request_id?: string;
		outcome: "found" | "not_found";
		invoice?: InvoiceStatus;
	}[];
	found: number;
	pending: number;
};

export type StatusQuestion = {
	docIds?: string[];
	encfs?: string[];
	client_request_ids?: string[];
};

export type TakeMailNoticeAnswer = {
	matched: boolean;
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

export type TestSetRequest = {
	idCompany?: string;
	types?: string[];
	startNumber?: string;
	mode?: "simulate" | "authority";
	niche?: "retail" | "construction" | "restaurant" | "pharmacy" | "services";
};

export type TestWebhookRequest = {
	event?: "invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test";
	webhookId?: string;
};

export type UsageReport = {
	from: string;
	to: string;
	items: {
		date: string;
		keyId: string | null;
		operation: string;
		requests: number;
		billed: number;
		answers: {
			"304": number;
			"429": number;
			"2xx": number;
			"4xx": number;
			"5xx": number;
		};
		items: number;
		unit: "request" | "number" | "name" | "row";
		billableUnits: number;
	}[];
	count: number;
	partial: boolean;
	next: string | null;
	totals: {
		requests: number;
		billed: number;
		answers: {
			"304": number;
			"429": number;
			"2xx": number;
			"4xx": number;
			"5xx": number;
		};
		items: number;
		billableUnits: {
			request: number;
			number: number;
			name: number;
			row: number;
		};
	};
};

export type VerifyCheckpointsAnswer = {
	items: {
		number: number;
		size: number;
		root: string;
		madeAt: string;
		keyName: string;
		defects: string[];
	}[];
};

export type VoidNumbersRequest = {
	type: "31" | "32" | "33" | "34" | "41" | "44";
	from: string;
	to: string;
	reason: string;
};

export type Watchlist = {
	id: string;
	name: string;
	fields: string[];
	emails: string[];
	emails_stopped: string[];
	digest: "daily" | "weekly" | null;
	locale: "es" | "en";
	source: "customers" | "suppliers" | null;
	source_filled_at: string | null;
	source_omitted: number;
	count: number;
	created_at: string;
	updated_at: string;
	_links: {
		self: string;
		documents: string;
		changes: string;
	};
};

export type WatchlistChanges = {
	changes: {
		document: string;
		reference?: string;
		change: "added" | "changed" | "removed";
		risk: boolean;
		fields: {
			field: string;
			was: string;
			is: string;
		}[];
		run_id: string;
		at: string;
	}[];
	count: number;
	partial: boolean;
	next: string;
};

export type WatchlistDocuments = {
	items: {
		document: string;
		reference?: string;
	}[];
	count: number;
	partial: boolean;
	next: string | null;
};

export type Webhook = {
	id: string;
	url: string;
	events: string[];
	description: string | null;
	status: "enabled" | "disabled";
	secret?: string | null;
	secretHint: string;
	nextSecretHint?: string;
	previousSecretExpiresAt?: string;
	rateLimitPerSecond: number | null;
	ordering: "per_document" | "none";
	recovery: "automatic" | "manual";
	probe: {
		status: "waiting" | "draining";
		attempts: number;
		nextAt: string;
	} | null;
	version: number;
	createdAt: string;
	updatedAt: string;
	_links: {
		self: string;
	};
};

export type WebhookDisabledEvent = {
	event: "webhook.disabled";
	docId: string;
	trackId: string;
	tenantId: string;
	occurredAt: string;
	sequence: number;
	webhook: {
		id: string;
		url: string;
		reason: string;
	};
};

export type WebhookEvent = InvoiceAcceptedEvent | InvoiceRejectedEvent | InvoiceFailedEvent | InvoicePendingContingencyEvent | InvoiceDeliveredEvent | InvoiceUndeliveredEvent | InvoicePreparedEvent | DocumentReceivedEvent | ApprovalReceivedEvent | EmailBouncedEvent | EmailFailedEvent | CertificateExpiringEvent | CertificateExpiredEvent | SequenceLowEvent | CertificationCompletedEvent | RegistryRecordChangedEvent | RegistryWatchlistChangedEvent | AuthorityStatusChangedEvent | WebhookDisabledEvent;

export type WebhookHealth = {
	webhookId: string;
	url: string;
	description: string | null;
	status: string;
	dead: number;
	failed: number;
	failing: boolean;
};

export type WebhookStats = {
	webhookId: string;
	window: string;
	from: string;
	to: string;
	counts: {
		delivered: number;
		failed: number;
		dead: number;
		pending: number;
	};
	success: number | null;
	p50Ms: number | null;
	p95Ms: number | null;
	stepSeconds: number;
	steps: {
		delivered: number;
		undelivered: number;
	}[];
	partial: boolean;
};

export type WebhookTest = {
	deliveries: {
		deliveryId: string;
		webhookId: string;
		url: string;
		event: string;
		delivered: boolean;
		responseStatus: number | null;
		durationMs: number;
		attemptedAt: string;
		error: string | null;
		request: {
			headers: Record<string, string>;
			body: string;
		};
		responseBody: string;
	}[];
	delivered: number;
	failed: number;
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
