/** Written by scripts/generate-sdk.ts from the OpenAPI document. Do not edit. */
import type { CallOptions } from "./client";
import type { FileResult, PageResult } from "./results";

export type Acknowledgement = {
	docId: string;
	/** This service's own id, which never changes. The authority's id is `authority.trackId` of the status. */
	trackId: string;
	/** `pending`; after `Prefer: wait`, the status reached by then. */
	status: string;
	encf: string;
	receivedAt: string;
	print: {
		/** First six characters of the signature's value. */
		securityCode: string;
		/** RFC 3339, UTC. */
		signedAt: string;
		/** The address in the receipt's QR code. */
		qrUrl: string;
		/** Of a document that waits for an authority out of reach; otherwise null. An acknowledgement has the state at its issue. */
		contingency: {
			active: boolean;
			/** When the document was signed, RFC 3339, UTC. */
			since: string;
			/** Until then the document must reach the authority, RFC 3339, UTC. */
			sendBy: string;
		} | null;
		/** Lines in Spanish that the receipt must show, as the PDF does. Empty if there are none. */
		legend: string[];
		/** With `print=escpos`: the receipt for an ESC/POS printer, base64, as `…/pdf?format=escpos` gives it. Absent while too many documents wait for printing. */
		escpos?: string;
	};
	warnings: {
		/** Stable name of the rule. */
		code: string;
		/** JSON pointer into the request. */
		pointer: string;
		/** A sentence in English. */
		detail: string;
		/** The sentence in Spanish, for rules of the authority. */
		detailEs?: string;
		/** Number of the authority's message for this rule, if there is a `verdict`. See `/v1/authority/codes`. */
		authorityCode?: string;
		/** The value that would pass, or the amounts that would follow, ascending, where the rule knows them. */
		expected?: string | string[];
		/** The registry's name of the customer, if it differs. */
		registryName?: string;
		/** What the authority does with a document that breaks this rule. Absent if the authority does not see the relevant members: for a consumer invoice below 250,000.00 it gets a summary without lines, adjustments and reference. */
		verdict?: "rejected" | "conditional";
	}[];
	/** The totals in pesos of a request with `amounts_in: "document"`. */
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
	/** As in the status, if the wait ended with a decision. */
	authority?: {
		/** Present on acceptance. */
		approvedAt?: string;
		/** The authority's own id; absent for documents that are sent as a summary. */
		trackId?: string;
		/** The authority's code; explains a rejection. */
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
		/** `internal-failure`, `authority-timeout-72h` (`authority-timeout-24h` with `deferred`), `certificate-missing` (none in force for 72 hours), and for notes `reference-undecided` or `reference-rejected`. More codes may be added. */
		code: string;
		detail: string;
		failedAt: string;
		retryable: boolean;
	};
};

export type ActivateCertificateAnswer = {
	id: string;
	/** `active` signs. `scheduled` signs from `activateAt` on. `retired` can be activated again. `expired` is past its `notAfter` and no longer signs. `removed` has no key. */
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
	/** RNC or Cédula numbers, each with your own reference. */
	documents: {
		/** RNC or Cédula; hyphens are optional. */
		document: string;
		/** Your own id of it; events carry it. */
		reference?: string;
	}[];
};

export type Approval = {
	approvalId: string;
	receivedDocumentId: string | null;
	encf: string;
	/** The buyer's decision on the document. */
	decision: "approved" | "rejected";
	reason: string | null;
	/** Out: `sending` while a delivery is pending, then `sent`, `partly-sent` or `failed`, depending on how many of the two arrived. In: `received`. */
	status: "sending" | "sent" | "partly-sent" | "failed" | "received";
	delivery: {
		/** `refused`: the receiver does not take it. `unconfirmed`: refused after an attempt whose answer was lost. `failed`: given up after 72 hours, or at once if the authority's directory does not list the issuer. `messages` gives the reason. */
		issuer: "pending" | "sent" | "refused" | "unconfirmed" | "failed";
		/** `refused`: the receiver does not take it. `unconfirmed`: refused after an attempt whose answer was lost. `failed`: given up after 72 hours, or at once if the authority's directory does not list the issuer. `messages` gives the reason. */
		authority: "pending" | "sent" | "refused" | "unconfirmed" | "failed";
	} | null;
	/** In: the time that the buyer states. */
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
		/** `refused`: the receiver does not take it. `unconfirmed`: refused after an attempt whose answer was lost. `failed`: given up after 72 hours, or at once if the authority's directory does not list the issuer. `messages` gives the reason. */
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
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
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
	/** `sha256` of the prepared invoice that was looked at. */
	sha256: string;
};

export type ArchiveCheckpoint = {
	/** From 1, without gaps. */
	number: number;
	/** Leaves of all logs: archived decisions. */
	size: number;
	/** Over the sizes and roots of the logs. Hex. */
	root: string;
	/** SHA-256 of the previous note, hex. Zeros in the first. */
	previous: string;
	/** SHA-256 of this note, hex: `previous` of the next one. */
	sha256: string;
	madeAt: string;
	keyName: string;
	/** The whole signed note. Source: c2sp.org/tlog-checkpoint. */
	note: string;
};

export type ArchiveKey = {
	name: string;
	/** Verifier key. Source: c2sp.org/signed-note. */
	key: string;
	since: string;
};

export type AttestRequest = {
	/** For whom you ask. The attestation and its number name it. */
	requester?: {
		/** Number of one of your companies; hyphens are optional. */
		rnc: string;
	};
	/** A day as `YYYY-MM-DD`: what our copy held at its end (UTC-4). Default: today, and what it holds now. */
	as_of?: string;
	/** A name to compare with the entry's legal and commercial name. */
	name?: string;
};

export type Attestation = {
	/** Proves the consultation to anyone who knows document and requester. The same question of a day has the same number. */
	consultation_number: string;
	/** `found`: an entry with the status ACTIVO. `inactive`: an entry with another status. `not_found`: no entry, or an erased one. */
	outcome: "found" | "inactive" | "not_found";
	/** Whether the name is the entry's; false without an entry. Present if you sent one. */
	name_matches?: boolean;
	entry?: RegistryEntry;
	/** The day that it is about. */
	as_of: string;
	/** The ingest run that all entries of the answer come from. */
	run_id: string;
	/** Compact JWS with all of it, except the comparison of names. Its key is in `/.well-known/registry-keys.json`. */
	attestation: string;
};

export type AttestationCheck = {
	/** Whether this service has given it, and nothing was changed. */
	valid: boolean;
	/** `found`: an entry with the status ACTIVO. `inactive`: an entry with another status. `not_found`: no entry, or an erased one. */
	outcome?: "found" | "inactive" | "not_found";
	/** The day that it is about; absent like `outcome` if it is not valid. */
	date?: string;
};

/** Either `attestation`, or `consultation_number` with `document` and `requester`. */
export type AttestationCheckRequest = {
	/** The compact JWS. Send it alone. */
	attestation?: string;
	/** In capitals or not, with or without hyphens. */
	consultation_number?: string;
	/** The number that was asked about; needed with a consultation number. */
	document?: string;
	/** For whom; leave it out if the consultation named none. */
	requester?: string;
};

export type AuditEntry = {
	id: string;
	at: string;
	/** Action as `noun.verb`: `company.patch`, `webhook.delete`, `registry.purge`. */
	action: string;
	/** Id of the subject. */
	target: string;
	tenantId: string | null;
	actor: {
		/** `client`: a company's token, with or without a key. `bearer`: a caller of the token operations who showed nothing but a token. `operator`: the operator of the service. `person`: a person in the console. */
		kind: "key" | "client" | "bearer" | "operator" | "person";
		keyId: string | null;
		clientId: string | null;
		userId: string | null;
		address: string | null;
	};
	requestId: string | null;
	/** Names of the changed members, never their values. */
	changed: string[];
	/** Further details, which depend on the action. Never a secret. */
	details: Record<string, string | number | boolean | null>;
};

export type AuthorityCode = {
	/** As the authority writes it. */
	code: string;
	/** False for an unknown code; then `code` stands alone. */
	known: boolean;
	title?: string;
	title_es?: string;
	/** What the code is about: result, sequence, reference, amount … */
	category?: string;
	/** Whether the number is usually used up; null if this does not follow from the code. A flag in the answer takes precedence. */
	sequenceConsumed?: boolean | null;
	/** The same document may be sent again. */
	retryable?: boolean;
	cause?: string;
	fix?: string;
	/** Members of the invoice request, as JSON pointers. */
	fields?: string[];
	/** `official` or `observed` in live answers. */
	source?: string;
	/** Page of the code. */
	docs?: string;
};

export type AuthorityServiceStatus = {
	/** `authentication`, `reception`, `result`, `summary-reception` and others. */
	name: string;
	/** `maintenance`: unavailable as announced by the authority. `unknown`: there were no calls, or no answers. */
	status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
	/** RFC 3339, UTC. */
	since: string;
	/** Median latency of the answered calls of the last five minutes, in milliseconds. Absent without calls. */
	p50Ms?: number;
	p99Ms?: number;
	/** Share of failed calls in the last five minutes; absent if none failed. */
	errorRate?: number;
	/** The authority's own word for the state, if it declares one. */
	declared?: string;
};

export type AuthorityStatus = {
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
	/** Your documents without a verdict. */
	queue: {
		pending: number;
		oldestSeconds: number;
	};
	/** From acknowledgement to verdict, for at most the newest 1,000 of your documents of the last hour; null if there are none. */
	verdictLatency: {
		p50Seconds: number | null;
		p99Seconds: number | null;
	};
	/** True while documents issued now cannot be expected to reach the authority. They are printed with the contingency legend. */
	contingency: boolean;
	updatedAt: string | null;
};

export type AuthorityStatusChangedEvent = {
	event: "authority.status_changed";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
	authorityStatus: {
		authorityEnvironment: "test" | "certification" | "production";
		/** The previous status. */
		from: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
		/** True if documents are now issued in contingency. */
		contingency: boolean;
	};
};

export type BatchEntry = {
	/** Taxpayer number, digits only: 9 (RNC) or 11 (RNC of a person, or Cédula). */
	rnc: string;
	/** Legal name. */
	name: string;
	/** Commercial name; empty if the source has none. */
	trade_name: string;
	/** Main activity; empty if the source has none. */
	economic_activity: string;
	/** Upper case, as in the source. Known values: ACTIVO, SUSPENDIDO, CESE TEMPORAL, DADO DE BAJA, ANULADO, RECHAZADO, CESADO. Accept others too. */
	status: string;
	/** `NORMAL`, `RST`, `PST` or `N/D`; other values are passed through. Empty if the source has none. */
	payment_regime: string;
	/** The day that was asked for. */
	as_of?: string;
	/** The run, or the operator's import of an older file, that brought these values. */
	run_id?: string;
	/** First day at whose end our copy held these values, as far back as your plan shows. */
	seen_from?: string;
	/** Null while our copy still holds them. */
	seen_to?: string | null;
};

export type CertificateExpiredEvent = {
	event: "certificate.expired";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	certificate: {
		thumbprint: string;
		/** RFC 3339, UTC. */
		notAfter: string;
		daysLeft: number;
	};
};

export type CertificateExpiringEvent = {
	event: "certificate.expiring";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	certificate: {
		thumbprint: string;
		/** RFC 3339, UTC. */
		notAfter: string;
		daysLeft: number;
	};
};

export type CertificationCompletedEvent = {
	event: "certification.completed";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	status: "passed" | "failed" | "expired" | "cancelled";
	certification: {
		/** Who judged the set. */
		mode: "simulate" | "authority";
		run: number;
	};
};

export type ChangelogEntry = {
	/** Anchor on the page, of an entry that is announced separately. */
	id?: string;
	category: "Added" | "Changed" | "Deprecated" | "Removed" | "Fixed" | "Security";
	/** Text with code in `backticks`. */
	text: string;
	/** Whether callers have to change something. */
	breaking: boolean;
	/** Method and path of the deprecated endpoint. */
	endpoint?: string;
	/** `operationId` of the endpoint. */
	operation?: string;
	/** Day (UTC) from which the endpoint is deprecated. */
	deprecatedAt?: string;
	/** Last day (UTC) of the endpoint; then it returns 410 `endpoint-retired`. */
	sunsetAt?: string;
	/** Path to use instead. */
	replacement?: string;
};

export type CheckSetTests = {
	id: string;
	idCompany: string;
	environment: string;
	/** Sets always run in the authority's certification environment. */
	authorityEnvironment: string;
	mode: string;
	/** `passed`, `failed`, `expired` and `cancelled` are final. */
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
	/** Cases of the last run, in the order of sending. Empty until signed. */
	cases: {
		/** Name: type and position in the full set. */
		case: string;
		type: string;
		title: string;
		encf: string;
		docId: string | null;
		dependsOn: string | null;
		/** `generated` (signed, not sent), `pending`, `accepted`, `rejected`, `failed` (internally), or `withdrawn` (never sent, because the set ended). */
		status: string;
		/** The authority's answer. */
		authority?: Record<string, unknown>;
	}[];
	run: number;
	maxRuns: number;
	failure: {
		case: string | null;
		code: string;
		detail: string;
		/** A JSON patch (RFC 6902) of the case's request. */
		fix: {
			/** `replace`. */
			op: string;
			/** A member of the request, as a JSON pointer. */
			path: string;
			/** The new value. */
			value: string;
		}[];
		/** Places of the case's request that need a decision. */
		advice: {
			/** A member of the request, as a JSON pointer. */
			pointer: string;
			/** What is expected there. */
			detail: string;
			/** The same in Spanish. */
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

export type Company = {
	tenantId: string;
	rnc: string;
	name: string;
	tradeName: string | null;
	email: string | null;
	phone: string | null;
	address: {
		/** Street and number, as printed on documents. */
		street?: string;
		/** The authority's code of the municipality. */
		municipalityCode?: string;
		/** The authority's code of the province. */
		provinceCode?: string;
	} | null;
	economicActivity: string | null;
	/** `active`; `suspended`: cannot issue; `closed`: can only be read. */
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
		/** `active` signs. `scheduled` signs from `activateAt` on. `retired` can be activated again. `expired` is past its `notAfter` and no longer signs. `removed` has no key. */
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
		/** Language of e-mails to buyers unless the request names another. Default: `es-DO`. */
		locale: "es-DO" | "en-US";
		/** Time zone of all days of documents (UTC-4). */
		timezone: "America/Santo_Domingo";
		/** Paper of printed documents; the numbers are widths in mm. Default: `a4`. */
		printFormat: "a4" | "letter" | "thermal_80" | "thermal_58";
		/** Treat an invoice's warnings as violations. */
		strictValidation: boolean;
		/** What happens to a document that the authority is certain to reject. `refuse` answers 422 `known-rejection` and stores nothing; `send` issues it with a warning. Default: `refuse` in production and staging, `send` in the sandboxes. */
		knownRejections: "refuse" | "send";
		/** Behaviour while the authority is known to be down. `queue` keeps documents; `reject` answers 504 and stores nothing. */
		outagePolicy: "queue" | "reject";
		/** `client`: the caller numbers its documents. `service`: it may send `encf: "auto"` and get the next number of its sequences. */
		sequenceMode: "client" | "service";
		/** Form of the signature on documents: XAdES-BES, the default, or plain XML Signature. */
		signatureProfile: "xades-bes" | "xmldsig";
		/** Expiry of the authorised sequence, `YYYY-MM-DD`. */
		sequenceExpiresOn: string | null;
		/** The authority's authorisation to issue offline and send later. With it, invoices may be `deferred`; they are due within 24 hours. */
		deferredSending: {
			/** Day of the authorisation, `YYYY-MM-DD`. */
			authorisedOn: string;
			/** Number of the authority's letter. */
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

export type ConvertLegacyInvoiceAnswer = {
	invoice: InvoiceRequest;
};

export type CreateApiKeyAnswer = {
	id: string;
	/** The first characters of the key, to recognise it. */
	prefix: string;
	label: string;
	plan: string;
	scopes: string[];
	environment: string;
	ipAllowList: string[];
	/** The companies that it opens; all of the owner's if empty. */
	tenantIds: string[];
	contactEmails: string[];
	/** Id of the key that created it; null if the operator or a person did. */
	createdBy: string | null;
	createdAt: string;
	/** Accurate to the minute. */
	lastUsedAt: string | null;
	expiresAt: string | null;
	_links: {
		self: string;
	};
	/** Shown only in this answer; null in a repeat of it. */
	key: string | null;
};

export type CreateApiKeyRequest = {
	/** What the key is for. */
	label: string;
	/** Scopes of the key, at most those of your credentials. Default: all of these except `registry:purge` and `admin`. */
	scopes?: ("invoices:write" | "invoices:read" | "invoices:prepare" | "company:read" | "company:write" | "keys:read" | "keys:write" | "certification:read" | "certification:write" | "webhooks:read" | "webhooks:write" | "webhooks:test" | "events:read" | "sequences:read" | "sequences:write" | "documents:receive" | "approvals:write" | "reports:read" | "usage:read" | "audit:read" | "registry:read" | "registry:purge" | "watchlists:read" | "watchlists:write" | "archive:read" | "portal:write" | "sandbox:write" | "admin")[];
	expiresAt?: string | null;
	/** IPv4 and IPv6 addresses or CIDR ranges that may use the key; all if empty. They must be within the list of the key that you send, if it has one. */
	ipAllowList?: string[];
	/** Tenant ids of the companies that the key opens, such as one for a till; all of the owner's if empty. They must be among those that your credentials open. */
	tenantIds?: string[];
	/** Recipients of announcements of interface changes. */
	contactEmails?: string[];
};

export type CreateArchiveExportAnswer = {
	exportId: string;
	status: "queued" | "running" | "ready" | "failed" | "expired";
	/** Whether documents were chosen; `from` and `to` are then days of receipt. */
	chosen: boolean;
	from: string;
	to: string;
	format: "zip" | "tar.zst" | "xml" | "pdf" | "csv";
	/** Sealed objects or documents in the file. */
	documents: number;
	bytes: number | null;
	sha256: string | null;
	url: string | null;
	expiresAt: string | null;
	chain: {
		/** The company's link before the first document, hex. */
		from: string;
		/** The link of the last document, hex. */
		to: string;
	} | null;
	merkleRoot: string | null;
	treeSize: number | null;
	failure: {
		code: "object-missing" | "object-changed" | "object-unreadable" | "internal";
		detail: string;
		docId: string | null;
	} | null;
	/** Objects that the file lacks because they are damaged in the archive. The first 100; `index.csv` names all. */
	damaged: {
		code: "object-missing" | "object-changed" | "object-unreadable" | "internal";
		detail: string;
		docId: string;
		/** Where the object would be in the file. */
		path: string;
	}[];
	/** How many objects the file lacks. */
	damagedCount: number;
	createdAt: string;
	completedAt: string | null;
	_links: {
		self: string;
	};
};

export type CreateArchiveExportRequest = {
	/** First day of decision, YYYY-MM-DD (UTC-4). */
	from?: string;
	/** Last day of decision, YYYY-MM-DD (UTC-4). */
	to?: string;
	/** Documents, in place of days. */
	docIds?: string[];
	/** As the parameters of `GET /v1/invoices`, in place of days. */
	filter?: {
		/** Exact number. */
		encf?: string;
		/** Exact id. */
		client_request_id?: string;
		/** e-CF type. */
		type?: "31" | "32" | "33" | "34" | "41" | "44";
		/** Status. */
		status?: "pending" | "accepted" | "rejected" | "failed";
		/** The authority's code. */
		code?: string;
		/** Whether `from` and `to` are days of receipt or issue dates. `issued` also lists by issue date. Default: received. */
		date?: "received" | "issued";
		/** First day, YYYY-MM-DD (UTC-4). */
		from?: string;
		/** Last day, YYYY-MM-DD (UTC-4). */
		to?: string;
		/** The buyer's RNC. */
		customer_rnc?: string;
		/** Exact number of a document of the company; lists its notes. */
		modifies?: string;
		/** Least total, in pesos. */
		amount_from?: string;
		/** Greatest total, in pesos. */
		amount_to?: string;
		/** The beginning of the number, of `client_request_id`, or of the buyer's RNC or name, at least 3 characters. Names are found in any case and without accents. */
		q?: string;
		/** `include` also lists the documents of certification test sets. Default: they are not listed. */
		test_sets?: "include" | "exclude";
	};
	/** `zip`, `tar.zst`: sealed objects. Of chosen documents also a ZIP of `xml` or `pdf`, or a `csv`. */
	format: "zip" | "tar.zst" | "xml" | "pdf" | "csv";
};

export type CreateCompanyRequest = {
	/** RNC of 9 or 11 digits, hyphens allowed; must be in the registry. */
	rnc: string;
	/** Legal name; the registry's name when absent. */
	name?: string;
	/** Commercial name. */
	tradeName?: string;
	/** An e-mail address. */
	email?: string;
	/** Ten digits; kept and printed in the form 809-555-0101. */
	phone?: string;
	/** Address of the company, as printed on documents. */
	address?: {
		/** Street and number, as printed on documents. */
		street?: string;
		/** The authority's code of the municipality. */
		municipalityCode?: string;
		/** The authority's code of the province. */
		provinceCode?: string;
	};
	/** Economic activity, as printed on documents. */
	economicActivity?: string;
	/** Environment of the service. It must be that of the API key, which is the default. */
	environment?: "production" | "staging" | "sandbox" | "public-sandbox";
	/** The authority's environment; `production` needs a passed certification test set. Each environment has its own numbers. The sequences, used numbers and voids of the environment that the company leaves do not count until it returns. Production documents keep their numbers everywhere. */
	authorityEnvironment?: "test" | "certification" | "production";
	/** Together with `webhookUrl` and `webhookUrls` one list, in which a URL may appear once. */
	webhooks?: ({
		/** An https URL that is reachable from the internet. */
		url: string;
		/** Names, or families such as `certificate.*`. The specification's three events when absent. `*` and `invoice.*` stand for those three. Subscribe to other events by name or by their own family. */
		events?: ("invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test" | "invoice.*" | "document.*" | "approval.*" | "email.*" | "certificate.*" | "sequence.*" | "certification.*" | "registry.*" | "authority.*" | "webhook.*" | "*")[];
		/** What the endpoint is for. */
		description?: string;
		/** Maximum number of new deliveries per second; others wait. Retries are not limited. */
		rateLimitPerSecond?: number;
		/** `per_document`: an event of a document waits until the previous one is delivered or dead. `none`: events do not wait. */
		ordering?: "per_document" | "none";
		/** `automatic`: the oldest dead letter is tried after 1, 5, 15 and 60 minutes, then every hour for five days. After a 2xx answer the others follow, oldest first. `manual`: dead letters wait for `recover` or `redeliver`. */
		recovery?: "automatic" | "manual";
	} | string)[];
	/** Address of an endpoint that gets the default events. */
	webhookUrl?: string;
	/** Addresses of endpoints that get the default events. */
	webhookUrls?: string[];
	/** PNG or JPEG in base64, at most 256 KiB decoded and 2000 by 2000 pixels; a `data:` prefix is accepted. */
	pdfLogo?: string;
	/** The certificate that signs the company's documents. */
	certificate?: {
		/** PKCS#12 container in base64, at most 64 KiB decoded. */
		pkcs12: string;
		/** Password of the container. */
		password: string;
	};
	/** How documents are numbered, checked, signed and printed. Absent members have their defaults. */
	settings?: {
		/** Language of e-mails to buyers unless the request names another. Default: `es-DO`. */
		locale?: "es-DO" | "en-US";
		/** Time zone of all days of documents (UTC-4). */
		timezone?: "America/Santo_Domingo";
		/** Paper of printed documents; the numbers are widths in mm. Default: `a4`. */
		printFormat?: "a4" | "letter" | "thermal_80" | "thermal_58";
		/** Treat an invoice's warnings as violations. */
		strictValidation?: boolean;
		/** What happens to a document that the authority is certain to reject. `refuse` answers 422 `known-rejection` and stores nothing; `send` issues it with a warning. Default: `refuse` in production and staging, `send` in the sandboxes. */
		knownRejections?: "refuse" | "send";
		/** Behaviour while the authority is known to be down. `queue` keeps documents; `reject` answers 504 and stores nothing. */
		outagePolicy?: "queue" | "reject";
		/** `client`: the caller numbers its documents. `service`: it may send `encf: "auto"` and get the next number of its sequences. */
		sequenceMode?: "client" | "service";
		/** Form of the signature on documents: XAdES-BES, the default, or plain XML Signature. */
		signatureProfile?: "xades-bes" | "xmldsig";
		/** Expiry of the authorised sequence, `YYYY-MM-DD`. */
		sequenceExpiresOn?: string | null;
		/** The authority's authorisation to issue offline and send later. With it, invoices may be `deferred`; they are due within 24 hours. */
		deferredSending?: {
			/** Day of the authorisation, `YYYY-MM-DD`. */
			authorisedOn: string;
			/** Number of the authority's letter. */
			reference: string;
		} | null;
	};
	/** Persons to contact about the company. They get no automatic mail. */
	contactEmails?: string[];
	/** Your own names and values. They are stored and returned, and have no effect. */
	metadata?: Record<string, string>;
};

export type CreateSequenceRequest = {
	/** e-CF type. */
	type: "31" | "32" | "33" | "34" | "41" | "44";
	/** First authorised number. */
	from: string;
	/** Last number. */
	to: string;
	expiresAt?: string | null;
};

export type CreateWatchlistRequest = {
	/** What the list is for. */
	name: string;
	/** Values whose changes are reported. Entries that appear or disappear always are. */
	fields?: ("status" | "name" | "trade_name" | "economic_activity" | "payment_regime")[];
	/** Who gets the digests; each mail has a link that stops them. An address gets one mail a day, with the changes of all its lists. */
	emails?: string[];
	/** Mails with the changes: each morning, on Mondays, or null for none. No mail without a change. */
	digest?: "daily" | "weekly" | null;
	/** Language of the digests. Default: the company's, or Spanish. */
	locale?: "es" | "en";
	/** Fills the list now and each night from the documents of the token's company: `customers` are the buyers of accepted invoices, `suppliers` the issuers of received documents and the sellers of purchases (41). It stays for ever. */
	source?: "customers" | "suppliers";
};

export type CreateWebhookRequest = {
	/** An https URL that is reachable from the internet. */
	url: string;
	/** Names, or families such as `certificate.*`. The specification's three events when absent. `*` and `invoice.*` stand for those three. Subscribe to other events by name or by their own family. */
	events?: ("invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test" | "invoice.*" | "document.*" | "approval.*" | "email.*" | "certificate.*" | "sequence.*" | "certification.*" | "registry.*" | "authority.*" | "webhook.*" | "*")[];
	/** What the endpoint is for. */
	description?: string;
	/** Maximum number of new deliveries per second; others wait. Retries are not limited. */
	rateLimitPerSecond?: number;
	/** `per_document`: an event of a document waits until the previous one is delivered or dead. `none`: events do not wait. */
	ordering?: "per_document" | "none";
	/** `automatic`: the oldest dead letter is tried after 1, 5, 15 and 60 minutes, then every hour for five days. After a 2xx answer the others follow, oldest first. `manual`: dead letters wait for `recover` or `redeliver`. */
	recovery?: "automatic" | "manual";
};

export type CreatedReconcileLink = {
	id: string;
	/** The API key that made the link, and with which it ends. */
	key_id: string;
	/** When it was made. */
	created_at: string;
	/** When it ends. */
	expires_at: string;
	/** The address for OpenRefine. It is a secret and is not shown again. */
	url: string;
};

export type DecideApprovalRequest = {
	/** The buyer's decision on the document. */
	decision: "approved" | "rejected";
	reason?: string | null;
};

export type Delivery = {
	/** `X-Service-Delivery` of every attempt. */
	deliveryId: string;
	webhookId: string;
	event: string;
	docId: string;
	/** The event's number among the company's events. */
	sequence: number;
	/** `pending`: no attempt yet. `failed`: the last attempt failed and a retry is due. `dead`: all retries failed. A dead delivery is sent again by its webhook's `recovery`, or on request. */
	status: "pending" | "failed" | "delivered" | "dead";
	reason: string | null;
	createdAt: string;
	deliveredAt: string | null;
	deadAt: string | null;
	_links: {
		self: string;
		redeliver: string;
	};
	/** The exact bytes that every attempt sends. */
	body: string;
	attempts: {
		n: number;
		at: string;
		durationMs: number;
		responseStatus: number | null;
		error: string | null;
		/** The first 4 KiB of the answer. */
		responseBody: string;
	}[];
};

export type DeliverySummary = {
	/** `X-Service-Delivery` of every attempt. */
	deliveryId: string;
	webhookId: string;
	event: string;
	docId: string;
	/** The event's number among the company's events. */
	sequence: number;
	/** `pending`: no attempt yet. `failed`: the last attempt failed and a retry is due. `dead`: all retries failed. A dead delivery is sent again by its webhook's `recovery`, or on request. */
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
	/** At most 1000, or fewer by plan: demo key 10, free 100, starter 500. */
	documents: string[];
	/** A day as `YYYY-MM-DD`, in UTC-4: the answer is what our copy of the registry held at the end of it. The authority publishes no dates of effect. */
	as_of?: string;
};

export type DocumentBatchResult = {
	/** One for each number, in the order of the request. */
	results: ({
		/** As requested. */
		document: string;
		outcome: "found";
		entry: BatchEntry;
	} | {
		/** As requested. */
		document: string;
		/** `invalid` if neither 9 nor 11 digits remain without hyphens. */
		outcome: "not_found" | "invalid";
	})[];
	/** The ingest run that all entries of the answer come from. */
	run_id: string;
};

export type DocumentEntry = {
	/** Taxpayer number, digits only: 9 (RNC) or 11 (RNC of a person, or Cédula). */
	rnc: string;
	/** Legal name. */
	name: string;
	/** Commercial name; empty if the source has none. */
	trade_name: string;
	/** Main activity; empty if the source has none. */
	economic_activity: string;
	/** Upper case, as in the source. Known values: ACTIVO, SUSPENDIDO, CESE TEMPORAL, DADO DE BAJA, ANULADO, RECHAZADO, CESADO. Accept others too. */
	status: string;
	/** `NORMAL`, `RST`, `PST` or `N/D`; other values are passed through. Empty if the source has none. */
	payment_regime: string;
	/** With `expand=started_on`: when the taxpayer started to operate; null if the source has no date. */
	started_on?: string | null;
	/** The day that was asked for. */
	as_of?: string;
	/** The run, or the operator's import of an older file, that brought these values. */
	run_id?: string;
	/** First day at whose end our copy held these values, as far back as your plan shows. */
	seen_from?: string;
	/** Null while our copy still holds them. */
	seen_to?: string | null;
};

export type DocumentHistory = {
	/** Taxpayer number, digits only: 9 (RNC) or 11 (RNC of a person, or Cédula). */
	rnc: string;
	/** The first day that is known, or that your plan shows. A period that starts with it may be older. */
	history_begins: string;
	/** Newest first. Our copy had no entry on days that lie between two periods. */
	periods: {
		/** First day at whose end our copy held these values. */
		from: string;
		/** Null for the values that our copy holds now. */
		to: string | null;
		/** Legal name. */
		name: string;
		/** Commercial name; empty if the source has none. */
		trade_name: string;
		/** Main activity; empty if the source has none. */
		economic_activity: string;
		/** Upper case, as in the source. Known values: ACTIVO, SUSPENDIDO, CESE TEMPORAL, DADO DE BAJA, ANULADO, RECHAZADO, CESADO. Accept others too. */
		status: string;
		/** `NORMAL`, `RST`, `PST` or `N/D`; other values are passed through. Empty if the source has none. */
		payment_regime: string;
		/** Members that differ from the period before. Empty for the first one, and after days without an entry. */
		changed: ("name" | "trade_name" | "economic_activity" | "status" | "payment_regime")[];
		/** The run, or the operator's import of an older file, that brought these values. */
		run_id: string;
	}[];
	/** Periods in this answer. */
	count: number;
	/** True if there are older periods; ask for those days with `as_of`. */
	partial: boolean;
};

export type DocumentProof = {
	format: "sello-proof/2";
	docId: string;
	tenantId: string;
	/** SHA-256 of the sealed object. Hex. */
	sha256: string;
	decidedAt: string;
	/** The archive's log with the company's documents, 0 to 63. */
	log: number;
	/** Index of the leaf in the log, from 0. */
	leafIndex: number;
	/** SHA-256 of 0x00, the docId (16 bytes), `sha256` and `decidedAt` (milliseconds since 1970, 8 bytes). Hex. */
	leafHash: string;
	chain: {
		/** Index of the link in the company's chain, from 0. */
		index: number;
		/** The previous link; zeros before the first. Hex. */
		previous: string;
		/** SHA-256 of `previous`, `sha256`, the docId and `decidedAt`. Hex. */
		hash: string;
	};
	/** The leaf in its log. Source: RFC 6962, 2.1.1. */
	inclusion: {
		treeSize: number;
		/** The log's root at that size. Hex. */
		root: string;
		/** From the leaf's sibling up. Hex. */
		hashes: string[];
	};
	/** The log among the 64 logs. The log's leaf is SHA-256 of 0x00, `log` and `treeSize` (8 bytes each), and the log's `root`. */
	logs: {
		/** The root over all logs, which is the checkpoint's. Hex. */
		root: string;
		/** From the sibling of the log's leaf up. Hex. */
		hashes: string[];
	};
	/** The signed note with the root. Source: c2sp.org/tlog-checkpoint. */
	checkpoint: string;
	/** Verifier key of the note. Source: c2sp.org/signed-note. */
	key: string;
};

export type DocumentReceivedEvent = {
	event: "document.received";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	/** What was known when it arrived. `contested`: another document has the same number. */
	proof: "proven" | "unproven" | "contested" | "superseded";
};

export type DryRun = {
	dryRun: true;
	type: string;
	encf: string;
	/** The document stored for this client_request_id. The request would get its acknowledgement. */
	duplicateOf: string | null;
	/** `document`, or `summary` for a consumer invoice below 250,000.00. */
	road: string;
	issueDate: string;
	/** As stated in the document; null for types that state none. */
	sequenceExpiresOn: string | null;
	/** As in the e-CF. Absent if the e-CF has no such total. */
	totals: {
		/** MontoGravadoTotal. */
		taxedBase?: string;
		/** MontoExento. */
		exemptBase?: string;
		/** TotalITBIS. */
		itbis?: string;
		/** MontoImpuestoAdicional. */
		additionalTaxes?: string;
		/** TotalITBISRetenido. */
		withheldItbis?: string;
		/** TotalISRRetencion. */
		withheldIsr?: string;
		/** MontoTotal. */
		total: string;
	};
	registry: {
		/** Status in the registry. */
		issuer: string | null;
		/** Status in the registry. */
		buyer: string | null;
		/** The ingest run that was looked up. */
		runId: string | null;
	};
	warnings: {
		/** Stable name of the rule. */
		code: string;
		/** JSON pointer into the request. */
		pointer: string;
		/** A sentence in English. */
		detail: string;
		/** The sentence in Spanish, for rules of the authority. */
		detailEs?: string;
		/** Number of the authority's message for this rule, if there is a `verdict`. See `/v1/authority/codes`. */
		authorityCode?: string;
		/** The value that would pass, or the amounts that would follow, ascending, where the rule knows them. */
		expected?: string | string[];
		/** The registry's name of the customer, if it differs. */
		registryName?: string;
		/** What the authority does with a document that breaks this rule. Absent if the authority does not see the relevant members: for a consumer invoice below 250,000.00 it gets a summary without lines, adjustments and reference. */
		verdict?: "rejected" | "conditional";
	}[];
	document: {
		/** The e-CF, unsigned. */
		xml: string;
		/** Length of the signed document, which was verified and discarded. */
		signedBytes: number;
		signatureProfile: string;
		/** Thumbprint of the certificate that would sign. */
		certificate: string;
	};
};

export type Email = {
	emailId: string;
	docId: string;
	/** `queued` while any recipient waits, then the worst status among them: `complained`, `bounced`, `failed`, `skipped`, `sent`, `delivered`. `skipped`: this service sends no mail. */
	status: "queued" | "skipped" | "failed" | "sent" | "delivered" | "bounced" | "complained";
	to: string[];
	cc: string[];
	subject: string;
	message: string;
	/** `pdf` is the printed document on the company's paper, `xml` the signed e-CF. `[]` attaches nothing. Default: both. */
	attach: ("pdf" | "xml")[];
	/** Language of the generated text. Default: the company's. */
	locale: "es" | "en";
	recipients: {
		address: string;
		kind: "to" | "cc";
		status: "queued" | "skipped" | "failed" | "sent" | "delivered" | "bounced" | "complained";
		reason: string | null;
		attempts: number;
		/** The part of the Message-ID before the `@`. */
		messageId: string;
		sentAt: string | null;
		updatedAt: string;
	}[];
	createdAt: string;
};

export type EmailBouncedEvent = {
	event: "email.bounced";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	email: {
		emailId: string;
		/** The recipient's address. */
		recipient: string;
		status: "bounced" | "complained";
		reason: string | null;
	};
};

export type EmailFailedEvent = {
	event: "email.failed";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	email: {
		emailId: string;
		/** The recipient's address. */
		recipient: string;
		status: "failed";
		reason: string | null;
	};
};

export type EmailRequest = {
	/** At most 10 together with `cc`, each once. */
	to: string[];
	/** Recipients of a copy. */
	cc?: string[];
	subject?: string | null;
	/** Plain text above the generated text. */
	message?: string;
	/** `pdf` is the printed document on the company's paper, `xml` the signed e-CF. `[]` attaches nothing. Default: both. */
	attach?: ("pdf" | "xml")[];
	/** Language of the generated text. Default: the company's. */
	locale?: "es" | "en";
};

/** One violated rule; further members depend on the rule. */
export type Fault = {
	/** RFC 6901 pointer into the body; `#/headers/…`, `#/query/…` and `#/path/…` for the rest of the request. */
	pointer: string;
	/** Stable name of the rule. */
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
		/** `passed`, or `failed` if the document violates the authority's schema, for example with a number that does not have 13 characters. The invoice's `warnings` give the details. */
		schema: string;
		/** Always `passed`: a document whose signature does not verify is not stored. */
		signature: string;
		/** `passed`, or `failed` if amounts do not add up within the tolerances of the specification and the authority. The invoice's `warnings` give the details. */
		arithmetic: string;
		registry: {
			issuer: string | null;
			buyer: string | null;
			runId: string | null;
		};
		/** pending, accepted, conditional, rejected or failed. */
		authority: string;
	};
	/** The issuer: the company of the access token. */
	company: {
		/** The issuer's RNC. */
		rnc: string;
		/** The issuer's name. */
		name: string;
	};
	customer: {
		/** The buyer's RNC or Cédula. */
		rnc?: string;
		/** Passport or tax number of a foreign buyer, in place of `rnc`: types 32, 33, 34 and 44. With a name it identifies the buyer of a large consumer invoice. */
		foreign_id?: string;
		/** The buyer's name. */
		name?: string;
		/** Person to contact. */
		contact?: string;
		/** The buyer's address, as the e-CF states it. No mail goes there; see `emails`. */
		email?: string;
		/** The buyer's address. */
		address?: {
			/** Street and number. */
			street?: string;
			/** Municipality or district, a code of `GET /v1/places`. */
			municipality_code?: string;
			/** Province, a code of `GET /v1/places`. */
			province_code?: string;
		};
		/** Your own code of the buyer. */
		code?: string;
	} | null;
	/** Sums of the document. They must agree with the lines. */
	totals: {
		/** Sum of the lines, less discounts and plus surcharges of `adjustments`. May be 0.01 off. */
		subtotal: string;
		/** Total tax: ITBIS, the lines' additional taxes and the legal tip. */
		tax: string;
		/** subtotal + tax, exactly. */
		grand_total: string;
	};
	securityCode: string;
	signedAt: string;
	qrUrl: string;
	authority: {
		/** Present on acceptance. */
		approvedAt?: string;
		/** The authority's own id; absent for documents that are sent as a summary. */
		trackId?: string;
		/** The authority's code; explains a rejection. */
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
	/** The first characters of the key, to recognise it. */
	prefix: string;
	label: string;
	plan: string;
	scopes: string[];
	environment: string;
	ipAllowList: string[];
	/** The companies that it opens; all of the owner's if empty. */
	tenantIds: string[];
	contactEmails: string[];
	/** Id of the key that created it; null if the operator or a person did. */
	createdBy: string | null;
	createdAt: string;
	/** Accurate to the minute. */
	lastUsedAt: string | null;
	expiresAt: string | null;
	_links: {
		self: string;
	};
};

export type GetArchiveConsistencyProofAnswer = {
	from: number;
	to: number;
	/** Hex. */
	fromRoot: string;
	/** Hex. */
	toRoot: string;
	/** All logs, in order. */
	logs: {
		/** 0 to 63. */
		log: number;
		from: number;
		to: number;
		/** Hex. */
		fromRoot: string;
		/** Hex. */
		toRoot: string;
		/** Hex. Source: RFC 6962, 2.1.2. */
		hashes: string[];
	}[];
};

export type GetJwksAnswer = {
	keys: {
		kty: "OKP";
		crv: "Ed25519";
		x: string;
		kid: string;
		alg: "EdDSA";
		use: "sig";
	}[];
};

export type GetOpenApiAnswer = {
	openapi: string;
	info: {
		title: string;
		version: string;
	};
	paths: Record<string, unknown>;
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
	/** YYYY-MM-DD (UTC-4). */
	issueDate: string;
	request: InvoiceRequest;
	print: {
		/** First six characters of the signature's value. */
		securityCode: string;
		/** RFC 3339, UTC. */
		signedAt: string;
		/** The address in the receipt's QR code. */
		qrUrl: string;
		/** Of a document that waits for an authority out of reach; otherwise null. An acknowledgement has the state at its issue. */
		contingency: {
			active: boolean;
			/** When the document was signed, RFC 3339, UTC. */
			since: string;
			/** Until then the document must reach the authority, RFC 3339, UTC. */
			sendBy: string;
		} | null;
		/** Lines in Spanish that the receipt must show, as the PDF does. Empty if there are none. */
		legend: string[];
	};
	warnings: {
		/** Stable name of the rule. */
		code: string;
		/** JSON pointer into the request. */
		pointer: string;
		/** A sentence in English. */
		detail: string;
		/** The sentence in Spanish, for rules of the authority. */
		detailEs?: string;
		/** Number of the authority's message for this rule, if there is a `verdict`. See `/v1/authority/codes`. */
		authorityCode?: string;
		/** The value that would pass, or the amounts that would follow, ascending, where the rule knows them. */
		expected?: string | string[];
		/** The registry's name of the customer, if it differs. */
		registryName?: string;
		/** What the authority does with a document that breaks this rule. Absent if the authority does not see the relevant members: for a consumer invoice below 250,000.00 it gets a summary without lines, adjustments and reference. */
		verdict?: "rejected" | "conditional";
	}[];
	authority: {
		/** Present on acceptance. */
		approvedAt?: string;
		/** The authority's own id; absent for documents that are sent as a summary. */
		trackId?: string;
		/** The authority's code; explains a rejection. */
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
		/** SHA-256 of the sealed object, hex. */
		sha256: string;
		bytes: number;
		retainUntil: string;
		/** Position in the archive's Merkle tree. */
		leafIndex: number;
		/** Hash of the tenant's chain up to and including this document, hex. */
		chainHash: string;
	} | null;
	/** The buyer's decision, once received. */
	approval: {
		approvalId: string;
		decision: "approved" | "rejected";
		reason: string | null;
		/** As stated by the buyer. */
		decidedAt: string;
		receivedAt: string;
	} | null;
	/** The document that was issued again for a rejected or failed one. */
	replacedBy: {
		docId: string;
		encf: string;
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
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	/** The document's version at this event. A higher version is newer. */
	docVersion: number;
	/** As the caller sent it. */
	client_request_id?: string;
	status: "accepted";
	authority?: {
		/** The authority's code. Look it up at `GET /v1/authority/codes/{code}`. */
		code: string;
	};
};

export type InvoiceBatch = {
	/** At most 500; plans may allow fewer: 10 with the demo key, 50 free, 200 starter. Each needs a client_request_id. */
	invoices: InvoiceRequest[];
};

export type InvoiceBatchResult = {
	results: ({
		/** Position in the batch, from 0. */
		index: number;
		/** 202 for a new document, 200 for a repeat. */
		status: number;
		docId: string;
		trackId: string;
		encf: string;
		print: {
			/** First six characters of the signature's value. */
			securityCode: string;
			/** RFC 3339, UTC. */
			signedAt: string;
			/** The address in the receipt's QR code. */
			qrUrl: string;
			/** Of a document that waits for an authority out of reach; otherwise null. An acknowledgement has the state at its issue. */
			contingency: {
				active: boolean;
				/** When the document was signed, RFC 3339, UTC. */
				since: string;
				/** Until then the document must reach the authority, RFC 3339, UTC. */
				sendBy: string;
			} | null;
			/** Lines in Spanish that the receipt must show, as the PDF does. Empty if there are none. */
			legend: string[];
			/** With `print=escpos`: the receipt for an ESC/POS printer, base64, as `…/pdf?format=escpos` gives it. Absent while too many documents wait for printing. */
			escpos?: string;
		};
		warnings: {
			/** Stable name of the rule. */
			code: string;
			/** JSON pointer into the request. */
			pointer: string;
			/** A sentence in English. */
			detail: string;
			/** The sentence in Spanish, for rules of the authority. */
			detailEs?: string;
			/** Number of the authority's message for this rule, if there is a `verdict`. See `/v1/authority/codes`. */
			authorityCode?: string;
			/** The value that would pass, or the amounts that would follow, ascending, where the rule knows them. */
			expected?: string | string[];
			/** The registry's name of the customer, if it differs. */
			registryName?: string;
			/** What the authority does with a document that breaks this rule. Absent if the authority does not see the relevant members: for a consumer invoice below 250,000.00 it gets a summary without lines, adjustments and reference. */
			verdict?: "rejected" | "conditional";
		}[];
		/** The totals in pesos of a request with `amounts_in: "document"`. */
		totalsDop?: {
			subtotal: string;
			tax: string;
			grand_total: string;
		};
		/** true if the document was issued before, under the same client_request_id. */
		replayed?: boolean;
	} | {
		/** Position in the batch, from 0. */
		index: number;
		/** The status that the invoice would get alone. */
		status: number;
		problem: Problem;
	})[];
	/** New documents. */
	accepted: number;
	/** Documents that were issued before. */
	replayed: number;
	/** Refused invoices. Nothing of them is stored. */
	failed: number;
};

export type InvoiceDeliveredEvent = {
	event: "invoice.delivered";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	/** The document's version at this event. A higher version is newer. */
	docVersion: number;
	/** As the caller sent it. */
	client_request_id?: string;
	status: "accepted";
	delivery: {
		state: "delivered";
		buyerRnc: string;
		/** The buyer's motive for a refusal. */
		motive?: number;
	};
};

export type InvoiceDelivery = {
	docId: string;
	encf: string;
	buyerRnc: string;
	/** pending, not-listed, delivered, refused or undelivered. */
	state: string;
	motive: {
		/** 1 specification, 2 signature, 3 duplicate, 4 another buyer. */
		code: number;
		text: string;
	} | null;
	detail: string | null;
	/** The last hundred, oldest first. */
	attempts: {
		n: number;
		at: string;
		/** Host of the buyer's receiver. */
		host: string;
		result: string | null;
		httpStatus: number | null;
		detail: string | null;
	}[];
	acknowledgement: {
		/** received or not-received. */
		state: string;
		motive: {
			/** 1 specification, 2 signature, 3 duplicate, 4 another buyer. */
			code: number;
			text: string;
		} | null;
		/** Subject of the certificate that signed it. */
		signer: string;
		/** SHA-256 of the bytes, hex. */
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
	/** As requested. */
	as: "reissue" | "credit" | "debit" | "copy";
	/** The document that the draft is made from. */
	docId: string;
	/** Its number. */
	encf: string;
	/** A body for `POST /v1/invoices`, without the members that `open` names. */
	request: {
		/** e-CF type. */
		type?: "31" | "32" | "33" | "34" | "41" | "44";
		/** Number of the document, or `auto` for the next number of the registered sequences (company setting `sequenceMode: "service"`). */
		encf?: string;
		/** Your own id of the request. Unlike the Idempotency-Key header, it protects against duplicates forever. */
		client_request_id?: string;
		/** The issuer: the company of the access token. */
		company?: {
			/** The issuer's RNC. */
			rnc: string;
			/** The issuer's name. */
			name: string;
		};
		/** The other party: the buyer, or the seller on type 41. Which members are required depends on the type. */
		customer?: {
			/** The buyer's RNC or Cédula. */
			rnc?: string;
			/** Passport or tax number of a foreign buyer, in place of `rnc`: types 32, 33, 34 and 44. With a name it identifies the buyer of a large consumer invoice. */
			foreign_id?: string;
			/** The buyer's name. */
			name?: string;
			/** Person to contact. */
			contact?: string;
			/** The buyer's address, as the e-CF states it. No mail goes there; see `emails`. */
			email?: string;
			/** The buyer's address. */
			address?: {
				/** Street and number. */
				street?: string;
				/** Municipality or district, a code of `GET /v1/places`. */
				municipality_code?: string;
				/** Province, a code of `GET /v1/places`. */
				province_code?: string;
			};
			/** Your own code of the buyer. */
			code?: string;
		};
		/** Goods and services in the order of print. Each type has a lower limit of its own. */
		lines?: ({
			/** From 1, unique. */
			line_number: number;
			/** Name of the good or service. */
			description: string;
			/** Above 0. */
			quantity: string;
			/** Without tax. */
			unit_price: string;
			/** Line amount without tax, after its discount and surcharge. */
			subtotal: string;
			/** Unit price with ITBIS, as at a till. Send it with `gross_subtotal` on every line or on none (`gross-price-mixed`); types 31, 32, 33, 34 and 41. The document then states these prices, and the tax base is the sum of `gross_subtotal` divided by 1 plus the rate. `unit_price`, `subtotal`, `discount`, `surcharge` and `adjustments` stay without ITBIS. A line without `tax_rate` has the rate that lies between both amounts. */
			gross_unit_price?: string;
			/** Line amount with ITBIS, after discount and surcharge. It goes with `gross_unit_price`. */
			gross_subtotal?: string;
			/** Derived from the totals if no line has one. */
			tax_rate?: "18" | "16" | "0" | "exempt";
			/** Default good. */
			kind?: "good" | "service";
			/** Code of the authority's unit table, 1 to 62. */
			unit?: string;
			item_code?: {
				/** Kind of code. */
				type: string;
				/** The code. */
				code: string;
			} | {
				/** Kind of code. */
				type: string;
				/** The code. */
				code: string;
			}[];
			/** Already deducted from `subtotal`. */
			discount?: string;
			/** Already included in `subtotal`. */
			surcharge?: string;
			/** What the buyer withholds from the seller on this line. */
			withholding?: {
				/** ITBIS withheld. */
				itbis: string;
				/** Income tax withheld. */
				isr: string;
			};
			/** Taxes on the line besides ITBIS, such as excise. */
			additional_taxes?: {
				/** 001 to 039. */
				code: string;
				/** Percentage. */
				rate?: string;
				/** Amount of the tax. */
				amount: string;
			}[];
			/** Day on which the good was made. */
			production_date?: string;
			/** Day on which the good expires. */
			expiry_date?: string;
			/** What excise, taxes 006 to 039, is calculated from. Types 31 to 34. Specific tax on alcohol (006 to 018) needs reference quantity, sub-quantities and degrees; specific tax on tobacco (019 to 022) the reference quantity; ad valorem tax (023 to 039) reference quantity and retail price. Goods in bulk, unit 18, need less. What is missing gives a warning. */
			excise?: {
				/** Reference units in one unit of the line: 24 bottles in a case. */
				reference_quantity?: string;
				/** Code of the authority's unit table, 1 to 62. */
				reference_unit?: string;
				/** Content of one reference unit: 0.355 litres. */
				sub_quantities?: {
					/** At most 3 decimals. */
					quantity: string;
					/** Code of the authority's unit table, 1 to 62. */
					unit: string;
				}[];
				/** Percentage of alcohol by volume. */
				alcohol_degrees?: string;
				/** Retail price of one reference unit. */
				retail_price?: string;
			};
		})[];
		/** Sums of the document. They must agree with the lines. */
		totals?: {
			/** Sum of the lines, less discounts and plus surcharges of `adjustments`. May be 0.01 off. */
			subtotal: string;
			/** Total tax: ITBIS, the lines' additional taxes and the legal tip. */
			tax: string;
			/** subtotal + tax, exactly. */
			grand_total: string;
		};
		/** Default today (UTC-4). Must not be in the future. */
		issue_date?: string;
		/** Required for credit. */
		due_date?: string;
		/** Default DOP. Any other currency is shown beside the pesos, at `exchange_rate`; `amounts_in` names the currency of the amounts. The yuan is `CNY`; the authority's own `CHY` is accepted too. */
		currency?: "DOP" | "BRL" | "CAD" | "CHF" | "CNY" | "CHY" | "XDR" | "DKK" | "EUR" | "GBP" | "JPY" | "NOK" | "SCP" | "SEK" | "USD" | "VEF" | "HTG" | "MXN" | "COP";
		/** Pesos for one unit. Required unless the currency is DOP. */
		exchange_rate?: string;
		/** Currency of all amounts of the request. `DOP`, the default: pesos; the document shows them divided by `exchange_rate` too. `document`: they are in `currency`. The document then states each line at `exchange_rate` in pesos, adds up bases and taxes from these, and shows the amounts as sent beside them; `totalsDop` of the answer has the pesos. The limit of 250,000.00 and reports are always in pesos. Another currency without this member gives the warning `currency-amounts-in-pesos`. */
		amounts_in?: "DOP" | "document";
		/** The legal tip of 10 %, tax 001, on all lines: part of `totals.tax`. Types 31, 32, 33, 34 and 44. More than 1.00 off gives the warning `tip-differs`. */
		legal_tip?: string;
		/** Default 01. */
		income_type?: "01" | "02" | "03" | "04" | "05" | "06";
		/** How and when the document is paid. */
		payment?: {
			/** Payment terms. */
			terms: "cash" | "credit" | "free";
			/** How the document is paid, with the amount of each way. Not on type 34. */
			forms?: {
				/** Way of payment: 1 cash, 2 cheque, transfer or deposit, 3 card, 4 on credit, 5 gift vouchers, 6 barter, 7 credit note, 8 other. */
				method: number;
				/** Amount paid this way. */
				amount: string;
			}[];
			/** Account of the payment. Not on type 34. */
			account?: {
				/** CT current account, AH savings account, OT another. */
				type?: "CT" | "AH" | "OT";
				/** Number of the account. */
				number: string;
				/** Name of the bank. */
				bank?: string;
			};
			/** Terms in words, such as "30 días". Not on type 34. */
			terms_text?: string;
		};
		/** The document that this one corrects, replaces or refers to. */
		reference?: {
			/** Fiscal number of the document that this one modifies. */
			encf: string;
			/** Issue date of that document. */
			issue_date: string;
			/** 1 cancels, 2 corrects text, 3 corrects amounts, 4 replaces a contingency document, 5 refers to a consumer invoice. */
			code: number;
			/** Reason for the modification. */
			reason?: string;
			/** RNC of the original issuer, if it was another company that has been dissolved or merged. */
			customer_rnc?: string;
		};
		/** Discounts and surcharges on the whole document. They change the tax base: `totals.subtotal` is the sum of the lines less discounts plus surcharges, and `totals.tax` is the tax on that. One line of 100.00 at 18 % with a discount of 20 % has the totals 80.00, 14.40, 94.40. If `totals.subtotal` is the sum of the lines alone, `totals.tax` may include them instead: the tax less discounts plus surcharges. If no total includes them, they are left out of the e-CF and of print, with the warning `adjustments-not-in-totals`. */
		adjustments?: {
			/** Whether it lowers or raises the amount. */
			kind: "discount" | "surcharge";
			/** Printed description. */
			description: string;
			/** Without ITBIS. If you also send a percentage, the amount counts. */
			amount?: string;
			/** Percentage of the lines with `tax_rate`, or of all lines, before other adjustments. Rounded half up to the cent. */
			percent?: string;
			/** Tax rate whose base it changes. Without it: all rates in use, in proportion. */
			tax_rate?: "18" | "16" | "0" | "exempt";
		}[];
		/** Branch. */
		branch?: string;
		/** Point of sale. */
		pos?: string;
		/** Seller. */
		seller?: string;
		/** The buyer's order number. Up to 20 characters go into the e-CF's `NumeroOrdenCompra`, where the buyer's program looks for it. A longer number goes, complete, into the issuer's remarks. */
		order_number?: string;
		/** Day of the buyer's order. Not on type 41. */
		order_date?: string;
		/** Your own number of the document. */
		internal_number?: string;
		/** Sales zone. Not on type 41. */
		sales_zone?: string;
		/** Sales route. Not on type 41. */
		sales_route?: string;
		/** Where and when the goods are delivered. Not on type 41. */
		delivery?: {
			/** Day of delivery. */
			date?: string;
			/** Person who receives the goods. */
			contact?: string;
			/** Place of delivery. */
			address?: string;
			/** Phone number with ten digits, in any spelling. */
			phone?: string;
		};
		/** The period that is billed. Not on type 41. */
		period?: {
			/** First day. */
			from: string;
			/** Last day. */
			to: string;
		};
		/** The service is all-inclusive, as in hotels. Not on type 41. */
		all_inclusive?: true;
		/** Issued offline by a taxpayer that the authority authorised to send later: company setting `deferredSending`. Due at the authority within 24 hours. Not on type 41. */
		deferred?: true;
		/** Items that are not billed, such as deposits. They follow the lines and are no part of `totals`; `MontoPeriodo` is the total with them. Not on type 41. */
		non_billable_lines?: {
			/** Name of the item. */
			description: string;
			/** Above 0. */
			quantity: string;
			/** Price of one. */
			unit_price: string;
			/** quantity × unit_price. */
			amount: string;
			/** Code of the authority's unit table, 1 to 62. */
			unit?: string;
		}[];
		/** Paid in advance. The amount due is the total less `advance` plus `prior_balance`. */
		advance?: string;
		/** Balance of earlier documents; negative if it is in the buyer's favour. */
		prior_balance?: string;
		/** Free text, not part of the e-CF. */
		notes?: string;
		/** Recipients of the printed document and the signed e-CF. The mail is sent once, when the authority has accepted the document, under the limits of `POST /v1/invoices/{docId}/email`, whose list shows it. An address that cannot receive mail gives the warning `not-mailable`. */
		emails?: string[];
		/** Your own names and values. They are stored and returned, and do not appear on the document. */
		metadata?: Record<string, string>;
	};
	/** How it differs from the stored document. */
	changes: {
		/** A member of the request, as a JSON pointer. */
		pointer: string;
		/** Its value in the stored document; null if it had none. */
		before: unknown;
		/** Its value in the draft; null if it was left out. */
		after: unknown;
		/** Why. */
		detail: string;
		/** The same in Spanish. */
		detailEs: string;
	}[];
	/** Members that a person must fill in or look at first. */
	open: {
		/** A member of the request, as a JSON pointer. */
		pointer: string;
		/** What is expected there. */
		detail: string;
		/** The same in Spanish. */
		detailEs: string;
	}[];
};

export type InvoiceFailedEvent = {
	event: "invoice.failed";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	/** The document's version at this event. A higher version is newer. */
	docVersion: number;
	/** As the caller sent it. */
	client_request_id?: string;
	status: "failed";
	authority?: {
		/** The authority's code. Look it up at `GET /v1/authority/codes/{code}`. */
		code: string;
	};
};

export type InvoiceListItem = {
	docId: string;
	trackId: string;
	/** pending, accepted, rejected or failed. */
	status: string;
	encf: string;
	client_request_id: string | null;
	/** queued, held, sending, unconfirmed, tracking or decided. */
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
		/** Present on acceptance. */
		approvedAt?: string;
		/** The authority's own id; absent for documents that are sent as a summary. */
		trackId?: string;
		/** The authority's code; explains a rejection. */
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
		/** `same` if the number is free again; `new` if it was consumed, voided or used by another document. */
		encf: string;
	};
	/** After a rejection: a JSON patch (RFC 6902) of the request, where only one change is right. Send the result with a number that is free. */
	fix?: {
		/** `replace`. */
		op: string;
		/** A member of the request, as a JSON pointer. */
		path: string;
		/** The new value. */
		value: string;
	}[];
	/** After a rejection: places of the request that need a decision. */
	advice?: {
		/** A member of the request, as a JSON pointer. */
		pointer: string;
		/** What is expected there. */
		detail: string;
		/** The same in Spanish. */
		detailEs: string;
	}[];
	failure?: {
		/** `internal-failure`, `authority-timeout-72h` (`authority-timeout-24h` with `deferred`), `certificate-missing` (none in force for 72 hours), and for notes `reference-undecided` or `reference-rejected`. More codes may be added. */
		code: string;
		detail: string;
		failedAt: string;
		retryable: boolean;
	};
	/** The delivery to a buyer that receives electronically; absent otherwise. */
	delivery?: {
		/** pending, not-listed, delivered, refused or undelivered. */
		state: string;
		/** Time of the last change. */
		at: string;
		motive: {
			/** 1 specification, 2 signature, 3 duplicate, 4 another buyer. */
			code: number;
			text: string;
		} | null;
	};
	/** The certification test set that the document belongs to. */
	testSetId?: string;
	version: number;
	updatedAt: string;
	_links: {
		self: string;
		delivery?: string;
		retry?: string;
	};
	/** e-CF type. */
	type: string;
	/** The authority's code; null before its decision. */
	code: string | null;
	/** YYYY-MM-DD. */
	issueDate: string;
	/** The buyer; null if the document has none. */
	customer: {
		rnc: string | null;
		name: string | null;
	} | null;
	/** As sent. */
	totals: {
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	/** Of `totals`. */
	currency: string;
	/** RFC 3339, UTC. */
	receivedAt: string;
};

export type InvoicePendingContingencyEvent = {
	event: "invoice.pending_contingency";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	/** The document's version at this event. A higher version is newer. */
	docVersion: number;
	/** As the caller sent it. */
	client_request_id?: string;
	status: "pending";
};

export type InvoicePreparedEvent = {
	event: "invoice.prepared";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	prepared: {
		/** Digest of the body, which an approval names. */
		sha256: string;
		/** e-CF type. */
		type: string;
		customerRnc: string | null;
		currency: string;
		/** The grand total. */
		total: string;
		/** RFC 3339, UTC. */
		expiresAt: string;
	};
};

export type InvoiceRejectedEvent = {
	event: "invoice.rejected";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	/** The document's version at this event. A higher version is newer. */
	docVersion: number;
	/** As the caller sent it. */
	client_request_id?: string;
	status: "rejected";
	authority?: {
		/** The authority's code. Look it up at `GET /v1/authority/codes/{code}`. */
		code: string;
	};
	/** A JSON patch (RFC 6902) of the request, where only one change is right. */
	fix?: {
		op: string;
		/** RFC 6901 pointer into the request. */
		path: string;
		value: string | number;
	}[];
	/** Places of the request that need a decision. */
	advice?: {
		/** RFC 6901 pointer into the request. */
		pointer: string;
		/** What is expected there. */
		detail: string;
		/** The same in Spanish. */
		detailEs: string;
	}[];
};

export type InvoiceRequest = {
	/** e-CF type. */
	type: "31" | "32" | "33" | "34" | "41" | "44";
	/** Number of the document, or `auto` for the next number of the registered sequences (company setting `sequenceMode: "service"`). */
	encf: string;
	/** Your own id of the request. Unlike the Idempotency-Key header, it protects against duplicates forever. */
	client_request_id?: string;
	/** The issuer: the company of the access token. */
	company: {
		/** The issuer's RNC. */
		rnc: string;
		/** The issuer's name. */
		name: string;
	};
	/** The other party: the buyer, or the seller on type 41. Which members are required depends on the type. */
	customer?: {
		/** The buyer's RNC or Cédula. */
		rnc?: string;
		/** Passport or tax number of a foreign buyer, in place of `rnc`: types 32, 33, 34 and 44. With a name it identifies the buyer of a large consumer invoice. */
		foreign_id?: string;
		/** The buyer's name. */
		name?: string;
		/** Person to contact. */
		contact?: string;
		/** The buyer's address, as the e-CF states it. No mail goes there; see `emails`. */
		email?: string;
		/** The buyer's address. */
		address?: {
			/** Street and number. */
			street?: string;
			/** Municipality or district, a code of `GET /v1/places`. */
			municipality_code?: string;
			/** Province, a code of `GET /v1/places`. */
			province_code?: string;
		};
		/** Your own code of the buyer. */
		code?: string;
	};
	/** Goods and services in the order of print. Each type has a lower limit of its own. */
	lines: ({
		/** From 1, unique. */
		line_number: number;
		/** Name of the good or service. */
		description: string;
		/** Above 0. */
		quantity: string;
		/** Without tax. */
		unit_price: string;
		/** Line amount without tax, after its discount and surcharge. */
		subtotal: string;
		/** Unit price with ITBIS, as at a till. Send it with `gross_subtotal` on every line or on none (`gross-price-mixed`); types 31, 32, 33, 34 and 41. The document then states these prices, and the tax base is the sum of `gross_subtotal` divided by 1 plus the rate. `unit_price`, `subtotal`, `discount`, `surcharge` and `adjustments` stay without ITBIS. A line without `tax_rate` has the rate that lies between both amounts. */
		gross_unit_price?: string;
		/** Line amount with ITBIS, after discount and surcharge. It goes with `gross_unit_price`. */
		gross_subtotal?: string;
		/** Derived from the totals if no line has one. */
		tax_rate?: "18" | "16" | "0" | "exempt";
		/** Default good. */
		kind?: "good" | "service";
		/** Code of the authority's unit table, 1 to 62. */
		unit?: string;
		item_code?: {
			/** Kind of code. */
			type: string;
			/** The code. */
			code: string;
		} | {
			/** Kind of code. */
			type: string;
			/** The code. */
			code: string;
		}[];
		/** Already deducted from `subtotal`. */
		discount?: string;
		/** Already included in `subtotal`. */
		surcharge?: string;
		/** What the buyer withholds from the seller on this line. */
		withholding?: {
			/** ITBIS withheld. */
			itbis: string;
			/** Income tax withheld. */
			isr: string;
		};
		/** Taxes on the line besides ITBIS, such as excise. */
		additional_taxes?: {
			/** 001 to 039. */
			code: string;
			/** Percentage. */
			rate?: string;
			/** Amount of the tax. */
			amount: string;
		}[];
		/** Day on which the good was made. */
		production_date?: string;
		/** Day on which the good expires. */
		expiry_date?: string;
		/** What excise, taxes 006 to 039, is calculated from. Types 31 to 34. Specific tax on alcohol (006 to 018) needs reference quantity, sub-quantities and degrees; specific tax on tobacco (019 to 022) the reference quantity; ad valorem tax (023 to 039) reference quantity and retail price. Goods in bulk, unit 18, need less. What is missing gives a warning. */
		excise?: {
			/** Reference units in one unit of the line: 24 bottles in a case. */
			reference_quantity?: string;
			/** Code of the authority's unit table, 1 to 62. */
			reference_unit?: string;
			/** Content of one reference unit: 0.355 litres. */
			sub_quantities?: {
				/** At most 3 decimals. */
				quantity: string;
				/** Code of the authority's unit table, 1 to 62. */
				unit: string;
			}[];
			/** Percentage of alcohol by volume. */
			alcohol_degrees?: string;
			/** Retail price of one reference unit. */
			retail_price?: string;
		};
	})[];
	/** Sums of the document. They must agree with the lines. */
	totals: {
		/** Sum of the lines, less discounts and plus surcharges of `adjustments`. May be 0.01 off. */
		subtotal: string;
		/** Total tax: ITBIS, the lines' additional taxes and the legal tip. */
		tax: string;
		/** subtotal + tax, exactly. */
		grand_total: string;
	};
	/** Default today (UTC-4). Must not be in the future. */
	issue_date?: string;
	/** Required for credit. */
	due_date?: string;
	/** Default DOP. Any other currency is shown beside the pesos, at `exchange_rate`; `amounts_in` names the currency of the amounts. The yuan is `CNY`; the authority's own `CHY` is accepted too. */
	currency?: "DOP" | "BRL" | "CAD" | "CHF" | "CNY" | "CHY" | "XDR" | "DKK" | "EUR" | "GBP" | "JPY" | "NOK" | "SCP" | "SEK" | "USD" | "VEF" | "HTG" | "MXN" | "COP";
	/** Pesos for one unit. Required unless the currency is DOP. */
	exchange_rate?: string;
	/** Currency of all amounts of the request. `DOP`, the default: pesos; the document shows them divided by `exchange_rate` too. `document`: they are in `currency`. The document then states each line at `exchange_rate` in pesos, adds up bases and taxes from these, and shows the amounts as sent beside them; `totalsDop` of the answer has the pesos. The limit of 250,000.00 and reports are always in pesos. Another currency without this member gives the warning `currency-amounts-in-pesos`. */
	amounts_in?: "DOP" | "document";
	/** The legal tip of 10 %, tax 001, on all lines: part of `totals.tax`. Types 31, 32, 33, 34 and 44. More than 1.00 off gives the warning `tip-differs`. */
	legal_tip?: string;
	/** Default 01. */
	income_type?: "01" | "02" | "03" | "04" | "05" | "06";
	/** How and when the document is paid. */
	payment?: {
		/** Payment terms. */
		terms: "cash" | "credit" | "free";
		/** How the document is paid, with the amount of each way. Not on type 34. */
		forms?: {
			/** Way of payment: 1 cash, 2 cheque, transfer or deposit, 3 card, 4 on credit, 5 gift vouchers, 6 barter, 7 credit note, 8 other. */
			method: number;
			/** Amount paid this way. */
			amount: string;
		}[];
		/** Account of the payment. Not on type 34. */
		account?: {
			/** CT current account, AH savings account, OT another. */
			type?: "CT" | "AH" | "OT";
			/** Number of the account. */
			number: string;
			/** Name of the bank. */
			bank?: string;
		};
		/** Terms in words, such as "30 días". Not on type 34. */
		terms_text?: string;
	};
	/** The document that this one corrects, replaces or refers to. */
	reference?: {
		/** Fiscal number of the document that this one modifies. */
		encf: string;
		/** Issue date of that document. */
		issue_date: string;
		/** 1 cancels, 2 corrects text, 3 corrects amounts, 4 replaces a contingency document, 5 refers to a consumer invoice. */
		code: number;
		/** Reason for the modification. */
		reason?: string;
		/** RNC of the original issuer, if it was another company that has been dissolved or merged. */
		customer_rnc?: string;
	};
	/** Discounts and surcharges on the whole document. They change the tax base: `totals.subtotal` is the sum of the lines less discounts plus surcharges, and `totals.tax` is the tax on that. One line of 100.00 at 18 % with a discount of 20 % has the totals 80.00, 14.40, 94.40. If `totals.subtotal` is the sum of the lines alone, `totals.tax` may include them instead: the tax less discounts plus surcharges. If no total includes them, they are left out of the e-CF and of print, with the warning `adjustments-not-in-totals`. */
	adjustments?: {
		/** Whether it lowers or raises the amount. */
		kind: "discount" | "surcharge";
		/** Printed description. */
		description: string;
		/** Without ITBIS. If you also send a percentage, the amount counts. */
		amount?: string;
		/** Percentage of the lines with `tax_rate`, or of all lines, before other adjustments. Rounded half up to the cent. */
		percent?: string;
		/** Tax rate whose base it changes. Without it: all rates in use, in proportion. */
		tax_rate?: "18" | "16" | "0" | "exempt";
	}[];
	/** Branch. */
	branch?: string;
	/** Point of sale. */
	pos?: string;
	/** Seller. */
	seller?: string;
	/** The buyer's order number. Up to 20 characters go into the e-CF's `NumeroOrdenCompra`, where the buyer's program looks for it. A longer number goes, complete, into the issuer's remarks. */
	order_number?: string;
	/** Day of the buyer's order. Not on type 41. */
	order_date?: string;
	/** Your own number of the document. */
	internal_number?: string;
	/** Sales zone. Not on type 41. */
	sales_zone?: string;
	/** Sales route. Not on type 41. */
	sales_route?: string;
	/** Where and when the goods are delivered. Not on type 41. */
	delivery?: {
		/** Day of delivery. */
		date?: string;
		/** Person who receives the goods. */
		contact?: string;
		/** Place of delivery. */
		address?: string;
		/** Phone number with ten digits, in any spelling. */
		phone?: string;
	};
	/** The period that is billed. Not on type 41. */
	period?: {
		/** First day. */
		from: string;
		/** Last day. */
		to: string;
	};
	/** The service is all-inclusive, as in hotels. Not on type 41. */
	all_inclusive?: true;
	/** Issued offline by a taxpayer that the authority authorised to send later: company setting `deferredSending`. Due at the authority within 24 hours. Not on type 41. */
	deferred?: true;
	/** Items that are not billed, such as deposits. They follow the lines and are no part of `totals`; `MontoPeriodo` is the total with them. Not on type 41. */
	non_billable_lines?: {
		/** Name of the item. */
		description: string;
		/** Above 0. */
		quantity: string;
		/** Price of one. */
		unit_price: string;
		/** quantity × unit_price. */
		amount: string;
		/** Code of the authority's unit table, 1 to 62. */
		unit?: string;
	}[];
	/** Paid in advance. The amount due is the total less `advance` plus `prior_balance`. */
	advance?: string;
	/** Balance of earlier documents; negative if it is in the buyer's favour. */
	prior_balance?: string;
	/** Free text, not part of the e-CF. */
	notes?: string;
	/** Recipients of the printed document and the signed e-CF. The mail is sent once, when the authority has accepted the document, under the limits of `POST /v1/invoices/{docId}/email`, whose list shows it. An address that cannot receive mail gives the warning `not-mailable`. */
	emails?: string[];
	/** Your own names and values. They are stored and returned, and do not appear on the document. */
	metadata?: Record<string, string>;
};

export type InvoiceStatus = {
	docId: string;
	trackId: string;
	/** pending, accepted, rejected or failed. */
	status: string;
	encf: string;
	client_request_id: string | null;
	/** queued, held, sending, unconfirmed, tracking or decided. */
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
		/** Present on acceptance. */
		approvedAt?: string;
		/** The authority's own id; absent for documents that are sent as a summary. */
		trackId?: string;
		/** The authority's code; explains a rejection. */
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
		/** `same` if the number is free again; `new` if it was consumed, voided or used by another document. */
		encf: string;
	};
	/** After a rejection: a JSON patch (RFC 6902) of the request, where only one change is right. Send the result with a number that is free. */
	fix?: {
		/** `replace`. */
		op: string;
		/** A member of the request, as a JSON pointer. */
		path: string;
		/** The new value. */
		value: string;
	}[];
	/** After a rejection: places of the request that need a decision. */
	advice?: {
		/** A member of the request, as a JSON pointer. */
		pointer: string;
		/** What is expected there. */
		detail: string;
		/** The same in Spanish. */
		detailEs: string;
	}[];
	failure?: {
		/** `internal-failure`, `authority-timeout-72h` (`authority-timeout-24h` with `deferred`), `certificate-missing` (none in force for 72 hours), and for notes `reference-undecided` or `reference-rejected`. More codes may be added. */
		code: string;
		detail: string;
		failedAt: string;
		retryable: boolean;
	};
	/** The delivery to a buyer that receives electronically; absent otherwise. */
	delivery?: {
		/** pending, not-listed, delivered, refused or undelivered. */
		state: string;
		/** Time of the last change. */
		at: string;
		motive: {
			/** 1 specification, 2 signature, 3 duplicate, 4 another buyer. */
			code: number;
			text: string;
		} | null;
	};
	/** The certification test set that the document belongs to. */
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
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	/** The document's number. */
	encf: string;
	/** The document's version at this event. A higher version is newer. */
	docVersion: number;
	/** As the caller sent it. */
	client_request_id?: string;
	status: "accepted";
	delivery: {
		state: "refused" | "undelivered";
		buyerRnc: string;
		/** The buyer's motive for a refusal. */
		motive?: number;
	};
};

export type LatestArchiveCheckpoint = {
	/** From 1, without gaps. */
	number: number;
	/** Leaves of all logs: archived decisions. */
	size: number;
	/** Over the sizes and roots of the logs. Hex. */
	root: string;
	/** SHA-256 of the previous note, hex. Zeros in the first. */
	previous: string;
	/** SHA-256 of this note, hex: `previous` of the next one. */
	sha256: string;
	madeAt: string;
	keyName: string;
	/** The whole signed note. Source: c2sp.org/tlog-checkpoint. */
	note: string;
	key: ArchiveKey;
};

export type LeaseNumbersRequest = {
	/** e-CF type. */
	type: "31" | "32" | "33" | "34" | "41" | "44";
	/** How many numbers. */
	count: number;
	/** Duration in seconds. */
	ttl: number;
};

export type LegacyInvoice = {
	/** Dropped: the tenant is that of the bearer token. */
	tenantId?: string;
	/** Becomes `type`. */
	ecfType: number | string;
	/** Unchanged. */
	encf: string;
	/** Becomes `issue_date`. */
	issueDate?: string;
	/** Becomes `customer`. */
	buyer?: {
		/** The buyer's RNC or Cédula. */
		rnc?: string;
		/** The buyer's name. */
		name?: string;
	};
	/** Unchanged, but for the names of their members. */
	lines: {
		/** Name of the good or service. */
		description: string;
		/** Becomes `quantity`. */
		qty: number | string;
		/** Becomes `unit_price`; without tax. */
		unitPrice: number | string;
		/** 18, 16, 0 or `exempt`. Becomes `tax_rate`. */
		taxRate?: number | string;
	}[];
	/** Becomes `totals.subtotal`. */
	subtotal: number | string;
	/** Becomes `totals.tax`. */
	tax: number | string;
	/** Becomes `totals.grand_total`. */
	grandTotal: number | string;
};

export type Link = {
	/** Needs no credentials. Treat it as a secret. */
	url: string;
	/** It may end earlier, with the key or session. */
	expiresAt: string;
	_links: {
		self: string;
	};
};

export type LinkRequest = {
	/** `operationId` of an operation of the company's that answers a file, such as `getInvoicePdf`. */
	operation: string;
	/** Its path and query parameters. */
	params?: Record<string, string>;
	/** For how many seconds. Default: 300. */
	expiresIn?: number;
};

export type ListApiKeysAnswer = {
	items: {
		id: string;
		/** The first characters of the key, to recognise it. */
		prefix: string;
		label: string;
		plan: string;
		scopes: string[];
		environment: string;
		ipAllowList: string[];
		/** The companies that it opens; all of the owner's if empty. */
		tenantIds: string[];
		contactEmails: string[];
		/** Id of the key that created it; null if the operator or a person did. */
		createdBy: string | null;
		createdAt: string;
		/** Accurate to the minute. */
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
		/** Hex. */
		sha256: string;
		bytes: number;
		decidedAt: string;
		archivedAt: string;
		retainUntil: string;
		/** The archive's log with the company's documents, 0 to 63. */
		log: number;
		/** Index in the log, from 0. */
		leafIndex: number;
		/** Index of the link in the company's chain, from 0. */
		chainIndex: number;
		/** Hex. */
		chainHash: string;
		/** A document of another issuer has only `receivedDocument`, a commercial approval only `approval`. */
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
	/** All keys that ever signed, newest first. */
	keys: ArchiveKey[];
};

export type ListArchiveExportsAnswer = {
	items: ({
		exportId: string;
		status: "queued" | "running" | "ready" | "failed" | "expired";
		/** Whether documents were chosen; `from` and `to` are then days of receipt. */
		chosen: boolean;
		from: string;
		to: string;
		format: "zip" | "tar.zst" | "xml" | "pdf" | "csv";
		/** Sealed objects or documents in the file. */
		documents: number;
		bytes: number | null;
		sha256: string | null;
		url: string | null;
		expiresAt: string | null;
		chain: {
			/** The company's link before the first document, hex. */
			from: string;
			/** The link of the last document, hex. */
			to: string;
		} | null;
		merkleRoot: string | null;
		treeSize: number | null;
		failure: {
			code: "object-missing" | "object-changed" | "object-unreadable" | "internal";
			detail: string;
			docId: string | null;
		} | null;
		/** Objects that the file lacks because they are damaged in the archive. The first 100; `index.csv` names all. */
		damaged: {
			code: "object-missing" | "object-changed" | "object-unreadable" | "internal";
			detail: string;
			docId: string;
			/** Where the object would be in the file. */
			path: string;
		}[];
		/** How many objects the file lacks. */
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
		/** `active` signs. `scheduled` signs from `activateAt` on. `retired` can be activated again. `expired` is past its `notAfter` and no longer signs. `removed` has no key. */
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
		/** The event's id. */
		id: string;
		sequence: number;
	} & WebhookEvent)[];
	count: number;
	/** True if there are more events. */
	partial: boolean;
	/** Send it as the next `after`, even if the page is empty. */
	next: string;
};

export type ListInvoiceEventsAnswer = {
	items: {
		/** The document's version from this entry on. Not every version has an entry. */
		version: number;
		/** RFC 3339, UTC. */
		at: string;
		/** pending, accepted, rejected or failed. */
		status: string;
		/** queued, held, sending, unconfirmed, tracking or decided. */
		phase: string;
		/** What happened. */
		summary: string;
		/** The webhook event of this entry. */
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

export type NameMatchRequest = {
	/** At most 100; 10 for the demo key. */
	names: string[];
	/** Minimum score of a returned entry. Default: 0.8. */
	min_score?: number;
	/** Maximum number of entries for each name. Default: 3. */
	limit?: number;
};

export type NameMatchResult = {
	/** One for each name, in the order of the request. */
	results: {
		/** As requested. */
		name: string;
		/** Best first; empty if no entry scores high enough. */
		matches: {
			/** 1 if the names have the same words. */
			score: number;
			/** The entry's name that was scored. */
			field: "name" | "trade_name";
			entry: RegistryEntry;
		}[];
	}[];
	/** The ingest run that all entries of the answer come from. */
	run_id: string;
};

export type Overview = {
	/** First issue date of `cards` and `days`. */
	from: string;
	/** Last issue date. */
	to: string;
	/** The authority's environment in which the company issues. */
	authorityEnvironment: string;
	/** When the overview was made. */
	asOf: string;
	/** What needs a person, besides what `webhooks` and `sequences` mark. */
	tasks: {
		/** Documents of the last 30 days that the authority rejected and that were not issued again. */
		rejected: {
			/** 200 stands for 200 or more. */
			count: number;
			/** The newest ten. */
			items: RefusedInvoice[];
		};
		/** Documents that could not be submitted. */
		failed: {
			/** 200 stands for 200 or more. */
			count: number;
			/** The newest ten. */
			items: RefusedInvoice[];
		};
		/** Documents that have waited for a verdict for more than ten minutes. */
		pending: {
			/** How many. */
			count: number;
			/** When the oldest began to wait; null without any. */
			since: string | null;
		};
		/** Prepared invoices that wait for approval. */
		prepared: {
			/** How many. */
			count: number;
			/** When the first expires; null without any. */
			expiresAt: string | null;
		};
		/** The signing certificate, if it ends within 60 days and has no successor. null otherwise, and without the scope `company:read`. */
		certificate: {
			certificateId: string;
			subject: string;
			/** Its last moment. */
			expiresAt: string;
		} | null;
	};
	cards: {
		/** Documents of today: decided ones by issue date, pending ones by receipt. */
		issuedToday: number;
		/** Share of accepted documents among the accepted, rejected and failed ones; null without any. */
		acceptanceRate: number | null;
		/** Accepted documents of types 31, 32, 33 and 44, less credit notes (34). In pesos. */
		sales: {
			/** Number of documents. */
			count: number;
			/** Amount without taxes. */
			subtotal: string;
			/** ITBIS and additional taxes. */
			tax: string;
			/** subtotal + tax. */
			grand_total: string;
		};
		/** Accepted documents of type 41. In pesos. */
		purchases: {
			/** Number of documents. */
			count: number;
			/** Amount without taxes. */
			subtotal: string;
			/** ITBIS and additional taxes. */
			tax: string;
			/** subtotal + tax. */
			grand_total: string;
		};
		pending: {
			/** Documents without a verdict. */
			count: number;
			/** Age of the oldest. */
			oldestSeconds: number;
		};
	};
	/** Every day of the period, also those without documents. */
	days: {
		/** Issue date. */
		day: string;
		/** Documents. */
		accepted: number;
		/** Documents. */
		rejected: number;
		/** Documents. */
		failed: number;
		/** Accepted sales of the day, with taxes, in pesos. */
		sales: string;
	}[];
	/** See `GET /v1/authority/status`. */
	authority: {
		status: "operational" | "degraded" | "maintenance" | "outage" | "unknown";
		/** Since when. */
		since: string;
		/** Whether documents issued now cannot be expected to reach the authority. */
		contingency: boolean;
		/** Start of the first of `states`. */
		historyFrom: string;
		stepSeconds: number;
		/** The last 24 hours in equal steps, each with its worst state. */
		states: ("operational" | "degraded" | "maintenance" | "outage" | "unknown")[];
	};
	/** null without the scope `webhooks:read`. */
	webhooks: WebhookHealth[] | null;
	/** Types with registered sequences. null without the scope `sequences:read`. */
	sequences: SequenceForecast[] | null;
};

export type PatchApiKeyRequest = {
	/** What the key is for. */
	label?: string;
	expiresAt?: string | null;
	ipAllowList?: string[] | null;
	tenantIds?: string[] | null;
	contactEmails?: string[] | null;
};

/** Absent members stay, `null` clears, objects are merged, arrays are replaced. The three webhook members form one list, in which a URL may appear once. */
export type PatchCompany = {
	/** Legal name; the registry's name when absent. */
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
	/** The authority's environment; `production` needs a passed certification test set. Each environment has its own numbers. The sequences, used numbers and voids of the environment that the company leaves do not count until it returns. Production documents keep their numbers everywhere. */
	authorityEnvironment?: "test" | "certification" | "production";
	webhooks?: ({
		/** An https URL that is reachable from the internet. */
		url: string;
		/** Names, or families such as `certificate.*`. The specification's three events when absent. `*` and `invoice.*` stand for those three. Subscribe to other events by name or by their own family. */
		events?: ("invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test" | "invoice.*" | "document.*" | "approval.*" | "email.*" | "certificate.*" | "sequence.*" | "certification.*" | "registry.*" | "authority.*" | "webhook.*" | "*")[];
		/** What the endpoint is for. */
		description?: string;
		/** Maximum number of new deliveries per second; others wait. Retries are not limited. */
		rateLimitPerSecond?: number;
		/** `per_document`: an event of a document waits until the previous one is delivered or dead. `none`: events do not wait. */
		ordering?: "per_document" | "none";
		/** `automatic`: the oldest dead letter is tried after 1, 5, 15 and 60 minutes, then every hour for five days. After a 2xx answer the others follow, oldest first. `manual`: dead letters wait for `recover` or `redeliver`. */
		recovery?: "automatic" | "manual";
	} | string)[] | null;
	webhookUrl?: string | null;
	webhookUrls?: string[] | null;
	pdfLogo?: string | null;
	/** The certificate that signs the company's documents. */
	certificate?: {
		/** PKCS#12 container in base64, at most 64 KiB decoded. */
		pkcs12: string;
		/** Password of the container. */
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
		/** Expiry of the authorised sequence, `YYYY-MM-DD`. */
		sequenceExpiresOn?: string | null;
		/** The authority's authorisation to issue offline and send later. With it, invoices may be `deferred`; they are due within 24 hours. */
		deferredSending?: {
			/** Day of the authorisation, `YYYY-MM-DD`. */
			authorisedOn: string;
			/** Number of the authority's letter. */
			reference: string;
		} | null;
	} | null;
	contactEmails?: string[] | null;
	metadata?: Record<string, string | null> | null;
};

export type PatchWatchlistRequest = {
	/** What the list is for. */
	name?: string;
	/** Values whose changes are reported. Entries that appear or disappear always are. */
	fields?: ("status" | "name" | "trade_name" | "economic_activity" | "payment_regime")[];
	/** Who gets the digests; each mail has a link that stops them. An address gets one mail a day, with the changes of all its lists. */
	emails?: string[];
	/** Mails with the changes: each morning, on Mondays, or null for none. No mail without a change. */
	digest?: "daily" | "weekly" | null;
	/** Language of the digests. Default: the company's, or Spanish. */
	locale?: "es" | "en";
};

export type PatchWebhookRequest = {
	/** An https URL that is reachable from the internet. */
	url?: string;
	/** Names, or families such as `certificate.*`. The specification's three events when absent. `*` and `invoice.*` stand for those three. Subscribe to other events by name or by their own family. */
	events?: ("invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test" | "invoice.*" | "document.*" | "approval.*" | "email.*" | "certificate.*" | "sequence.*" | "certification.*" | "registry.*" | "authority.*" | "webhook.*" | "*")[];
	description?: string | null;
	/** A disabled webhook gets no deliveries. */
	status?: "enabled" | "disabled";
	rateLimitPerSecond?: number | null;
	/** `per_document`: an event of a document waits until the previous one is delivered or dead. `none`: events do not wait. */
	ordering?: "per_document" | "none";
	/** `automatic`: the oldest dead letter is tried after 1, 5, 15 and 60 minutes, then every hour for five days. After a 2xx answer the others follow, oldest first. `manual`: dead letters wait for `recover` or `redeliver`. */
	recovery?: "automatic" | "manual";
};

export type Place = {
	/** Six digits, two each for province, municipality and district. 00 stands for the whole. */
	code: string;
	name: string;
	level: "province" | "municipality" | "district";
	/** Code of the province. */
	provinceCode: string;
};

export type PortalLink = {
	/** Opens once. Treat it as a secret. */
	url: string;
	expiresAt: string;
};

export type PortalLinkRequest = {
	/** The pages that it shows. */
	pages: ("invoices" | "deliveries")[];
	/** Whether deliveries may be sent again; needs `webhooks:write`. */
	redeliver?: boolean;
	/** For how many seconds the link may be opened. Default: 900. */
	expiresIn?: number;
};

export type PortalSettings = {
	/** Null before the first settings. */
	portalId: string | null;
	/** Sites whose pages may embed the portal, such as `https://erp.example.do`; none: no page may. */
	origins: string[];
	updatedAt: string | null;
};

export type PostInvoiceAnswer200 = Acknowledgement | DryRun;

export type PostRevokeAnswer = Record<string, unknown>;

export type PostRevokeRequest = {
	/** A refresh token or an access token. */
	token: string;
	/** Ignored. */
	token_type_hint?: string;
	/** The client id, unless sent by HTTP Basic. */
	client_id?: string;
	/** The client secret, unless sent by HTTP Basic. */
	client_secret?: string;
};

export type PostTokenAnswer = {
	/** Send it as `Authorization: Bearer …`. */
	access_token: string;
	token_type: "Bearer";
	/** Seconds. */
	expires_in: number;
	/** Works once; the answer contains the next one. */
	refresh_token: string;
	/** Seconds. */
	refresh_expires_in: number;
	/** Scopes of the access token. */
	scope: string;
	/** The company of the token. */
	tenant_id: string;
	environment: string;
	/** Only in the answer to a token exchange. */
	issued_token_type?: "urn:ietf:params:oauth:token-type:access_token";
};

export type PostTokenRequest = {
	/** What the token is given for: the client's own credentials, a refresh token, or an API key that opens the company (token exchange). */
	grant_type: "client_credentials" | "refresh_token" | "urn:ietf:params:oauth:grant-type:token-exchange";
	/** The client id, unless sent by HTTP Basic. */
	client_id?: string;
	/** The client secret, unless sent by HTTP Basic. */
	client_secret?: string;
	/** For token exchange: the tenant id of the company that the token is for. */
	audience?: string;
	/** For the grant `refresh_token`: the newest refresh token. */
	refresh_token?: string;
	/** Scopes separated by spaces, at least one. Default: all that the credentials have. */
	scope?: string;
	/** A shorter lifetime of the access token, in seconds. */
	expires_in?: number;
};

export type PrepareInvoiceAnswer200 = PreparedInvoice | DryRun;

export type PreparedInvoice = {
	id: string;
	/** SHA-256 of the stored body, in hexadecimal: of `invoice` as compact JSON. An approval names it. */
	sha256: string;
	/** `waiting` for a decision; `issued`, as `docId`; `rejected`; `expired`: there was no decision within 24 hours. */
	status: "waiting" | "issued" | "rejected" | "expired";
	summary: {
		/** e-CF type. */
		type: string;
		/** Its number, or `auto`: the next one when it is issued. */
		encf: string;
		/** Day of the dry run, unless the invoice names one. */
		issueDate: string;
		customer: {
			rnc: string | null;
			name: string | null;
		} | null;
		/** How many lines it has. */
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
	/** 24 hours after it was prepared. */
	expiresAt: string;
	decidedAt: string | null;
	_links: {
		self: string;
		approve: string;
		reject: string;
	};
	/** Report of the dry run at the time of preparing, as of `POST /v1/invoices?dry_run=true`. */
	validation: {
		/** The document stored for this client_request_id. The request would get its acknowledgement. */
		duplicateOf: string | null;
		/** `document`, or `summary` for a consumer invoice below 250,000.00. */
		road: string;
		/** As stated in the document; null for types that state none. */
		sequenceExpiresOn: string | null;
		/** As in the e-CF. Absent if the e-CF has no such total. */
		totals: {
			/** MontoGravadoTotal. */
			taxedBase?: string;
			/** MontoExento. */
			exemptBase?: string;
			/** TotalITBIS. */
			itbis?: string;
			/** MontoImpuestoAdicional. */
			additionalTaxes?: string;
			/** TotalITBISRetenido. */
			withheldItbis?: string;
			/** TotalISRRetencion. */
			withheldIsr?: string;
			/** MontoTotal. */
			total: string;
		};
		registry: {
			/** Status in the registry. */
			issuer: string | null;
			/** Status in the registry. */
			buyer: string | null;
			/** The ingest run that was looked up. */
			runId: string | null;
		};
		warnings: {
			/** Stable name of the rule. */
			code: string;
			/** JSON pointer into the request. */
			pointer: string;
			/** A sentence in English. */
			detail: string;
			/** The sentence in Spanish, for rules of the authority. */
			detailEs?: string;
			/** Number of the authority's message for this rule, if there is a `verdict`. See `/v1/authority/codes`. */
			authorityCode?: string;
			/** The value that would pass, or the amounts that would follow, ascending, where the rule knows them. */
			expected?: string | string[];
			/** The registry's name of the customer, if it differs. */
			registryName?: string;
			/** What the authority does with a document that breaks this rule. Absent if the authority does not see the relevant members: for a consumer invoice below 250,000.00 it gets a summary without lines, adjustments and reference. */
			verdict?: "rejected" | "conditional";
		}[];
	};
	invoice: InvoiceRequest;
};

export type PreparedInvoiceItem = {
	id: string;
	/** SHA-256 of the stored body, in hexadecimal: of `invoice` as compact JSON. An approval names it. */
	sha256: string;
	/** `waiting` for a decision; `issued`, as `docId`; `rejected`; `expired`: there was no decision within 24 hours. */
	status: "waiting" | "issued" | "rejected" | "expired";
	summary: {
		/** e-CF type. */
		type: string;
		/** Its number, or `auto`: the next one when it is issued. */
		encf: string;
		/** Day of the dry run, unless the invoice names one. */
		issueDate: string;
		customer: {
			rnc: string | null;
			name: string | null;
		} | null;
		/** How many lines it has. */
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
	/** 24 hours after it was prepared. */
	expiresAt: string;
	decidedAt: string | null;
	_links: {
		self: string;
		approve: string;
		reject: string;
	};
};

/** Further members depend on the slug. */
export type Problem = {
	/** Ends with the slug; the URL is a page with cause and fix. */
	type: string;
	title: string;
	status: number;
	/** What happened this time. */
	detail: string;
	/** Path of the request. */
	instance: string;
	/** As in `X-Request-Id`. */
	requestId: string;
	/** The request's trace, where the operator records traces. */
	traceId?: string;
	/** All violated rules. */
	errors?: Fault[];
};

export type ProblemList = {
	items: ProblemSummary[];
	count: number;
	partial: false;
	next: null;
};

export type ProblemPage = {
	/** Last part of `type`. */
	slug: string;
	type: string;
	status: number;
	title: string;
	/** What happened. */
	cause: string;
	/** What the caller can do. */
	fix: string;
	example: Problem;
};

export type ProblemSummary = {
	/** Last part of `type`. */
	slug: string;
	type: string;
	status: number;
	title: string;
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
		/** Where other issuers send their documents. */
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
	/** Identifier of the erasure. */
	purge_id: string;
	/** When it was first erased. */
	purged_at: string;
	/** As requested. */
	legal_basis: string;
	/** As requested. */
	request_reference: string;
	/** Where the entry was removed from. */
	effects: {
		memory_index: boolean;
		database: boolean;
		history: boolean;
		change_feed: boolean;
		/** `next-run`: the files that held the entry are replaced after the answer, by the next ingest at the latest. Nothing erased is served from them meanwhile. `cleared`: done on the machine that answers. */
		snapshots: "next-run" | "cleared";
	};
	/** True while every ingest omits the number; false once the erasure is reversed. */
	tombstone: boolean;
	/** Until then a shared cache, or a process that is cut off from the database, may still serve an answer from before the erasure. */
	cached_copies_expire_at: string;
	status: "purged";
	/** The number, masked except for its last four digits. */
	document: string;
	/** Signed proof of the erasure as a compact JWS. Its key is in `/.well-known/registry-keys.json` and `/.well-known/jwks.json`. */
	receipt: string;
	_links: {
		/** Path of the erasure's record. */
		self: string;
	};
};

export type PurgeRecord = {
	/** Identifier of the erasure. */
	purge_id: string;
	/** When it was first erased. */
	purged_at: string;
	/** As requested. */
	legal_basis: string;
	/** As requested. */
	request_reference: string;
	/** Where the entry was removed from. */
	effects: {
		memory_index: boolean;
		database: boolean;
		history: boolean;
		change_feed: boolean;
		/** `next-run`: the files that held the entry are replaced after the answer, by the next ingest at the latest. Nothing erased is served from them meanwhile. `cleared`: done on the machine that answers. */
		snapshots: "next-run" | "cleared";
	};
	/** True while every ingest omits the number; false once the erasure is reversed. */
	tombstone: boolean;
	/** Until then a shared cache, or a process that is cut off from the database, may still serve an answer from before the erasure. */
	cached_copies_expire_at: string;
	/** `reversal-proposed`: another key must confirm it. `reversed`: later ingests include the entry again. */
	status: "purged" | "reversal-proposed" | "reversed";
	/** Present while a reversal is proposed, and permanently after it. */
	reversal?: {
		/** When the first key proposed it. */
		proposed_at: string;
		/** Deadline for another key to confirm it; absent once confirmed. */
		expires_at?: string;
		/** When another key confirmed it. */
		reversed_at?: string;
	};
	retained: {
		/** Why invoices with the number are kept. */
		issued_invoices: string;
	};
	_links: {
		/** Path of the erasure's record. */
		self: string;
	};
};

/** Stored with the record of the erasure, so no member may contain the erased number. */
export type PurgeRequest = {
	/** Legal basis of the erasure. */
	legal_basis: "arco-cancellation" | "arco-opposition" | "court-order" | "data-error";
	/** Your reference for the request. */
	request_reference: string;
	/** The person responsible for the request. */
	requested_by: string;
	/** The reason, in words. */
	reason: string;
};

export type PutApprovalRuleRequest = {
	/** Whether invoices are approved without a person. */
	enabled: boolean;
	/** Largest difference between a document's total and its order's amount; default `0.00`. */
	tolerance?: string;
};

export type PutCertificateAnswer = {
	id: string;
	/** `active` signs. `scheduled` signs from `activateAt` on. `retired` can be activated again. `expired` is past its `notAfter` and no longer signs. `removed` has no key. */
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
	/** PKCS#12 container in base64, at most 64 KiB decoded. In a form also as the file `file`. */
	pkcs12: string;
	/** Password of the container. */
	password: string;
	/** Instant with its time zone, from which this certificate signs; at once if absent or past. */
	activateAt?: string;
};

export type PutPortalSettingsRequest = {
	/** Sites whose pages may embed the portal, such as `https://erp.example.do`; none: no page may. */
	origins: string[];
};

export type PutPurchaseOrderRequest = {
	/** The supplier's RNC. Order numbers are no secret, so an order counts only for one issuer's documents. */
	issuer_rnc: string;
	amount?: string | null;
	/** Whether it may approve more than one document; default false. */
	reusable?: boolean;
	/** If absent, a new order is open and an existing one keeps its status. */
	status?: "open" | "closed";
};

export type QueuedEmail = {
	emailId: string;
	docId: string;
	status: "queued" | "skipped" | "failed" | "sent" | "delivered" | "bounced" | "complained";
	to: string[];
	createdAt: string;
};

export type ReadyzAnswer = {
	/** `ok`, `degraded`, `unavailable` or `draining`. A degraded service handles requests. */
	status: string;
	version: string;
	/** Commit of the source that the process runs; null if it is unknown. */
	commit: string | null;
	checks: Record<string, string>;
	uptimeSeconds: number;
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
	/** `tax` is ITBIS and additional taxes, `subtotal` the rest of the total. */
	totals: {
		subtotal: string;
		tax: string;
		grand_total: string;
	};
	signature: {
		valid: boolean;
		/** Serial number in the subject of the signer's certificate. */
		signer: string;
	};
	/** The authority's state of the document; `unknown` until it has answered. */
	authorityStatus: "unknown" | "accepted" | "rejected" | "not_found";
	/** Whether this document is the one that the issuer's number stands for. A certificate names a person, so until the authority has accepted a document, anyone with a certificate may have sent it. `proven`: the authority accepted this very document. `unproven`: it has not, and no other document under the number can be it. `contested`: another document under the number may be it too, or this one was rejected and another one may be it. `superseded`: the authority accepted another one under the number. */
	proof: "proven" | "unproven" | "contested" | "superseded";
	/** The answer to its issuer; null for an imported document, whose issuer gets none. */
	acknowledgement: "received" | null;
	approval: {
		approvalId: string;
		decision: string;
		status: string;
	} | null;
	receivedAt: string;
	/** SHA-256 of the received bytes, hex. */
	sha256: string;
};

export type ReconcileLink = {
	id: string;
	/** The API key that made the link, and with which it ends. */
	key_id: string;
	/** When it was made. */
	created_at: string;
	/** When it ends. */
	expires_at: string;
};

export type ReconcileLinkRequest = {
	/** How long the link works. Default: 30. */
	expires_in_days?: number;
};

export type RecoverWebhookAnswer = {
	queued: number;
};

export type RecoverWebhookRequest = {
	/** Send the deliveries whose `deadAt` is this time or later, in UTC, whatever the time of their events. */
	since: string;
};

export type RefusedInvoice = {
	docId: string;
	encf: string;
	/** e-CF type. */
	type: string;
	/** The authority's code; of a failed document, the code of its failure. */
	code: string | null;
	/** What the code means, in the language of the request; null if it is unknown here. */
	title: string | null;
	/** Why documents get the code. */
	cause: string | null;
	/** What to do. */
	fix: string | null;
	/** Whether the failed document can be retried as it is. */
	retryable: boolean;
	/** null if the document has no buyer. */
	customer: {
		rnc: string | null;
		name: string | null;
	} | null;
	/** As sent. */
	grand_total: string;
	/** Of `grand_total`. */
	currency: string;
	/** When it was refused. */
	at: string;
};

export type RegistryChanges = {
	/** Oldest run first, within a run by number. `entry` is the current entry, not the one at the time; absent if it no longer exists. */
	changes: {
		/** The entry's number, digits only. */
		document: string;
		/** What the run did to the entry. */
		change: "added" | "changed" | "removed";
		/** The run that made the change, or the run that was rolled back to. */
		run_id: string;
		/** When that run ended or was rolled back to; never before the preceding change. */
		at: string;
		entry?: RegistryEntry;
	}[];
	/** Changes in this answer. */
	count: number;
	/** True if more changes follow. */
	partial: boolean;
	/** Send it as `after` to read what follows, now or after the next run. It is opaque. */
	next: string;
	/** The run that `entry` comes from, and the last one whose changes are listed. */
	run_id: string;
};

export type RegistryCheck = {
	check_id: string;
	/** `failed` if the service lost the list; send it again. */
	status: "running" | "done" | "failed";
	/** Rows with something in them, without the header. */
	rows: number;
	/** Rows that have their verdict. */
	done: number;
	/** Rows by verdict. */
	counts: {
		found: number;
		inactive: number;
		name_differs: number;
		ambiguous: number;
		not_found: number;
		invalid: number;
		duplicate: number;
	};
	/** As detected. */
	format: "csv" | "xlsx";
	/** As detected: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`; null for XLSX. */
	encoding: string | null;
	/** As detected; null for XLSX. */
	delimiter: string | null;
	/** Header of the column with numbers; null if there is none. */
	number_column: string | null;
	/** Header of the column with names; null if there is none. */
	name_column: string | null;
	/** The day of the verdicts as `YYYY-MM-DD`, in UTC-4; null for the day of the check. */
	as_of: string | null;
	/** The ingest run that all verdicts come from; null until the check begins. */
	run_id: string | null;
	/** When the list was received. */
	created_at: string;
	/** null until then. */
	finished_at: null | string;
	/** When list and result are deleted: 7 days after the check. */
	expires_at: string;
};

export type RegistryCreateWebhookRequest = {
	/** An https URL that is reachable from the internet. */
	url: string;
	/** Names or families. `registry.*` and `webhook.*` when absent. */
	events?: ("registry.record_changed" | "registry.watchlist_changed" | "webhook.disabled" | "webhook.test" | "registry.*" | "webhook.*")[];
	/** What the endpoint is for. */
	description?: string;
	/** Maximum number of new deliveries per second; others wait. Retries are not limited. */
	rateLimitPerSecond?: number;
	/** `per_document`: an event of a document waits until the previous one is delivered or dead. `none`: events do not wait. */
	ordering?: "per_document" | "none";
	/** `automatic`: the oldest dead letter is tried after 1, 5, 15 and 60 minutes, then every hour for five days. After a 2xx answer the others follow, oldest first. `manual`: dead letters wait for `recover` or `redeliver`. */
	recovery?: "automatic" | "manual";
};

export type RegistryDownloads = {
	/** The run that the files have. Null if your plan has no files. */
	run_id: string | null;
	/** Until then the files may be used as current. */
	valid_until: string | null;
	/** The files that your plan and your grant include. */
	files: {
		/** Name in the address of the file. */
		name: string;
		/** `taxpayers`: all entries, as CSV and as Parquet. `delta`: what a run changed, and what changed in the last 7 and 31 days. `numbers`: the exact set of numbers with their status, for tills. `numbers-delta`: what differs there between an earlier run and this one. */
		kind: "numbers" | "numbers-delta" | "delta" | "taxpayers";
		/** Size. */
		bytes: number;
		/** SHA-256 of the file, in hex. */
		sha256: string;
		/** The run that a delta starts at. */
		from_run_id?: string;
		/** When that run was taken into use. A delta also fits copies of the runs that followed it. */
		from_at?: string;
		/** The run that a delta leads to. */
		to_run_id?: string;
		/** Whether the file has 11-digit numbers, which belong to natural persons. */
		persons: boolean;
	}[];
	/** Files in this answer. */
	count: number;
	/** `run_id`, `valid_until` and `files` of this answer as a compact JWS (EdDSA, `typ` `registry-downloads+jwt`). Its key is in `/.well-known/registry-keys.json`. Null without files. */
	manifest: string | null;
};

export type RegistryEntry = {
	/** Taxpayer number, digits only: 9 (RNC) or 11 (RNC of a person, or Cédula). */
	rnc: string;
	/** Legal name. */
	name: string;
	/** Commercial name; empty if the source has none. */
	trade_name: string;
	/** Main activity; empty if the source has none. */
	economic_activity: string;
	/** Upper case, as in the source. Known values: ACTIVO, SUSPENDIDO, CESE TEMPORAL, DADO DE BAJA, ANULADO, RECHAZADO, CESADO. Accept others too. */
	status: string;
	/** `NORMAL`, `RST`, `PST` or `N/D`; other values are passed through. Empty if the source has none. */
	payment_regime: string;
};

export type RegistryPatchWebhookRequest = {
	/** An https URL that is reachable from the internet. */
	url?: string;
	/** Names or families. `registry.*` and `webhook.*` when absent. */
	events?: ("registry.record_changed" | "registry.watchlist_changed" | "webhook.disabled" | "webhook.test" | "registry.*" | "webhook.*")[];
	description?: string | null;
	/** A disabled webhook gets no deliveries. */
	status?: "enabled" | "disabled";
	rateLimitPerSecond?: number | null;
	/** `per_document`: an event of a document waits until the previous one is delivered or dead. `none`: events do not wait. */
	ordering?: "per_document" | "none";
	/** `automatic`: the oldest dead letter is tried after 1, 5, 15 and 60 minutes, then every hour for five days. After a 2xx answer the others follow, oldest first. `manual`: dead letters wait for `recover` or `redeliver`. */
	recovery?: "automatic" | "manual";
};

export type RegistryRecordChangedEvent = {
	event: "registry.record_changed";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	registry: {
		/** The number, digits only. */
		document: string;
		change: "added" | "changed" | "removed";
		/** The entry was ACTIVO and is no longer, or is removed. */
		risk: boolean;
		/** The watched values that changed. */
		fields: {
			field: string;
			/** Its first 150 characters. */
			was: string;
			/** Its first 150 characters. */
			is: string;
		}[];
		run_id: string;
		watchlists: {
			id: string;
			/** Yours, from the list. */
			reference?: string;
		}[];
		/** Further watchlists, which are not listed. */
		watchlistsOmitted: number;
	};
};

export type RegistryRuns = {
	/** Newest first, including refused and failed runs. */
	runs: {
		/** As in `X-Registry-Run-Id`. */
		run_id: string;
		/** `refused`: the source was read but not accepted. `failed`: it could not be read. */
		result: "ok" | "refused" | "failed";
		/** When the run started, or the latest attempt that found its source unchanged. */
		started_at: string;
		/** When the run ended. */
		finished_at: string;
		/** When the source was last found to have this run's data. */
		confirmed_at: string;
		/** Entries of the run. */
		record_count: number;
		/** SHA-256 of the source file as received, in hex. */
		source_sha256: string | null;
		/** Entries that the previous run did not have; all of them for the first run; null if unknown. */
		added: number | null;
		/** Entries that differ from the previous run; null if unknown. */
		changed: number | null;
		/** Entries that only the previous run had; null if unknown. */
		removed: number | null;
		/** Lines of the source that could not be read. */
		refused: number;
		/** Entries left out because they are erased. */
		suppressed: number;
		/** Lines with `|` inside a text that could be put right. */
		healed: number;
		/** Lines with `|` inside a text whose surplus was added to the name. */
		guessed: number;
		/** Columns of the source that are not read; absent if there are none. */
		columns_ignored?: string[];
		/** Members that the source lacks, with values of an earlier run: `trade_name`, `started_on`. Absent if there are none. */
		fields_kept?: string[];
		/** The last run whose source had `fields_kept`; absent together with them. */
		fields_from_run?: string;
		/** How long the run took. */
		duration_ms: number;
	}[];
	/** Runs in this answer. */
	count: number;
	/** True if older runs follow. */
	partial: boolean;
	/** Send it as `after` to get the next page; absent on the last page. */
	next?: string;
};

export type RegistrySearchResult = {
	items: {
		/** Taxpayer number, digits only: 9 (RNC) or 11 (RNC of a person, or Cédula). */
		rnc: string;
		/** Legal name. */
		name: string;
		/** Commercial name; empty if the source has none. */
		trade_name: string;
		/** Main activity; empty if the source has none. */
		economic_activity: string;
		/** Upper case, as in the source. Known values: ACTIVO, SUSPENDIDO, CESE TEMPORAL, DADO DE BAJA, ANULADO, RECHAZADO, CESADO. Accept others too. */
		status: string;
		/** Only with `mode=smart`, for an entry that `q` as written does not find. `joined`: found with two words joined or one split. `similar`: found by a misspelt word or a similar name. */
		matched?: "joined" | "similar";
		/** With `matched`: how similar the field is to `q`, as in `document:match`. */
		score?: number;
		/** With `highlight=true`: where the words of `q` were found in the searched field, for `any` in the name, in UTF-16 code units. */
		highlight?: {
			/** Position of the first character. */
			start: number;
			/** Position after the last character. */
			end: number;
		}[];
	}[];
	/** Entries in this answer. */
	count: number;
	/** True if more entries match. */
	partial: boolean;
	/** Send it as `after` to get the next page; absent on the last page. */
	next?: string;
	/** If nothing matches: the closest text of real words that finds something. */
	didYouMean?: string;
};

export type RegistryStatus = {
	/** When the source was last ingested or found unchanged; null before the first time. */
	last_ingest: string | null;
	/** Entries of the run in use, as ingested. Erasures count from the next run on. */
	record_count: number;
	/** ETag of the source; derived from its SHA-256 if the source has none. */
	source_etag: string | null;
	/** SHA-256 of the source file as received, in hex. */
	source_sha256: string | null;
	/** Whole seconds since `last_ingest`. */
	age_seconds: number | null;
	/** True if `age_seconds` is greater than 129600, or if nothing was ever ingested. */
	stale: boolean;
	/** The run in use, as in `X-Registry-Run-Id`. */
	run_id: string | null;
	/** Entries that the previous run did not have; all of them for the first run; null if unknown. */
	added: number | null;
	/** Entries that differ from the previous run; null if unknown. */
	changed: number | null;
	/** Entries that only the previous run had; null if unknown. */
	removed: number | null;
	/** Entries of the source that were left out because they are erased. */
	suppressed: number;
	/** Members that the source lacks, with values of an earlier run: `trade_name`, `started_on`. Absent if there are none. */
	fields_kept?: string[];
	/** The last run whose source had `fields_kept`; absent together with them. */
	fields_from_run?: string;
	/** When the next ingest is due. */
	next_scheduled: string | null;
	/** The latest attempt, successful or not. */
	last_attempt: {
		/** When it started. */
		at: string;
		result: "ok" | "unchanged" | "refused" | "failed";
	} | null;
};

export type RegistrySuggestResult = {
	/** Best first. */
	suggestions: {
		/** Taxpayer number, digits only: 9 (RNC) or 11 (RNC of a person, or Cédula). */
		rnc: string;
		/** Legal name. */
		name: string;
		/** Commercial name; empty if the source has none. */
		trade_name: string;
		/** Upper case, as in the source. Known values: ACTIVO, SUSPENDIDO, CESE TEMPORAL, DADO DE BAJA, ANULADO, RECHAZADO, CESADO. Accept others too. */
		status: string;
		/** The member in which `q` was found; `document` is the number. */
		field: "name" | "trade_name" | "document";
		/** Where that member has the words of `q`: each the position of the first character and the one after the last, in UTF-16 code units. */
		highlight: number[][];
	}[];
	/** Suggestions in this answer. */
	count: number;
	/** True if more entries match. */
	partial: boolean;
	/** The ingest run that all entries of the answer come from. */
	run_id: string;
};

export type RegistryWatchlistChangedEvent = {
	event: "registry.watchlist_changed";
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	registry: {
		run_id: string;
		counts: {
			added: number;
			changed: number;
			removed: number;
			/** Entries that are no longer ACTIVO, or are removed. */
			risk: number;
		};
		watchlists: {
			id: string;
			changes: number;
			/** Where its changes are listed. */
			link: string;
		}[];
		/** Further watchlists, which are not listed. */
		watchlistsOmitted: number;
	};
};

export type RejectPreparedInvoiceRequest = {
	/** Why, for its author. */
	reason?: string;
};

export type Release = {
	version: string;
	/** Area of the release; each area has its own versions. */
	area: "invoicing" | "identity";
	/** Date of the release; for a version in development, date of its latest change. */
	date: string;
	entries: ChangelogEntry[];
};

/** Newest first; always complete. */
export type ReleaseList = {
	items: Release[];
	count: number;
	partial: false;
	next: null;
};

export type RenewCredentialsAnswer = {
	clientId: string;
	/** Shown only in this answer; null in a repeat of it. */
	clientSecret: string | null;
	/** When the old credentials and their tokens end. */
	previousExpiresAt: string;
};

export type RenewCredentialsRequest = {
	/** How long the old credentials stay valid; default 86400. */
	graceSeconds?: number;
};

export type ReportTotals = {
	from: string;
	to: string;
	currency: "DOP";
	/** The authority's environment in which the documents were issued. */
	authorityEnvironment: "test" | "certification" | "production";
	/** Everything decided before this time is included. */
	asOf: string;
	/** Members and order follow the requested dimensions, always in the order day, month, type, status, branch, customer_rnc. */
	groups: {
		/** Issue date. */
		day?: string;
		/** Month of the issue date. */
		month?: string;
		/** e-CF type. */
		type?: string;
		/** `accepted`, `rejected` or `failed`. */
		status?: string;
		/** null if the document has no branch. */
		branch?: string | null;
		/** The buyer's RNC; null if the document has no buyer. */
		customer_rnc?: string | null;
		/** The buyer's name in the registry, beside `customer_rnc`; null if it has none. */
		customer_name?: string | null;
		/** Number of documents. */
		count: number;
		/** Amount without taxes. */
		subtotal: string;
		/** ITBIS and additional taxes. */
		tax: string;
		/** subtotal + tax. */
		grand_total: string;
	}[];
	/** Whether more groups follow. */
	partial: boolean;
	/** `after` of the next page; null on the last page. */
	next: string | null;
	/** Sums of all groups, on every page. */
	totals: {
		/** Number of documents. */
		count: number;
		/** Amount without taxes. */
		subtotal: string;
		/** ITBIS and additional taxes. */
		tax: string;
		/** subtotal + tax. */
		grand_total: string;
	};
	/** Accepted documents of types 31, 32, 33 and 44, less credit notes (34). */
	sales: {
		/** Number of documents. */
		count: number;
		/** Amount without taxes. */
		subtotal: string;
		/** ITBIS and additional taxes. */
		tax: string;
		/** subtotal + tax. */
		grand_total: string;
	};
	/** Accepted documents of type 41. */
	purchases: {
		/** Number of documents. */
		count: number;
		/** Amount without taxes. */
		subtotal: string;
		/** ITBIS and additional taxes. */
		tax: string;
		/** subtotal + tax. */
		grand_total: string;
	};
	/** Amounts of `sales` less those of `purchases`; `count` is of both. */
	net: {
		/** Number of documents. */
		count: number;
		/** Amount without taxes. */
		subtotal: string;
		/** ITBIS and additional taxes. */
		tax: string;
		/** subtotal + tax. */
		grand_total: string;
	};
	/** Not in `sales`, `purchases` and `net`. */
	excluded: {
		/** Rejected documents. */
		rejected: {
			/** Number of documents. */
			count: number;
			/** Amount without taxes. */
			subtotal: string;
			/** ITBIS and additional taxes. */
			tax: string;
			/** subtotal + tax. */
			grand_total: string;
		};
		/** Documents that could not be submitted. */
		failed: {
			/** Number of documents. */
			count: number;
			/** Amount without taxes. */
			subtotal: string;
			/** ITBIS and additional taxes. */
			tax: string;
			/** subtotal + tax. */
			grand_total: string;
		};
	};
	/** SHA-256 over a line for each day that has documents, in order: `YYYY-MM-DD`, a space, the day's digest in hexadecimal, LF. A day's digest is SHA-256 over a line for each of its documents, by docId: the docId, a space, `sha256` of the documents' table, LF. */
	digest: string;
};

export type RotateApiKeyAnswer = {
	id: string;
	/** The first characters of the key, to recognise it. */
	prefix: string;
	label: string;
	plan: string;
	scopes: string[];
	environment: string;
	ipAllowList: string[];
	/** The companies that it opens; all of the owner's if empty. */
	tenantIds: string[];
	contactEmails: string[];
	/** Id of the key that created it; null if the operator or a person did. */
	createdBy: string | null;
	createdAt: string;
	/** Accurate to the minute. */
	lastUsedAt: string | null;
	expiresAt: string | null;
	_links: {
		self: string;
	};
	/** Shown only in this answer; null in a repeat of it. */
	key: string | null;
	/** When the old key expires. */
	previousExpiresAt: string;
};

export type RotateApiKeyRequest = {
	/** How long the old key stays valid. Default: a day. Send 0 for a leaked key. */
	graceSeconds?: number;
};

export type RotateWebhookSecretRequest = {
	/** How long both secrets sign. A day when absent. Send 0 if the old secret leaked: it then ends at once. */
	overlapSeconds?: number;
};

export type Sequence = {
	id: string;
	type: string;
	from: string;
	to: string;
	next: string | null;
	/** Numbers that are neither used, held, leased nor voided. */
	available: number;
	expiresAt: string | null;
	status: "active" | "exhausted" | "expired";
	forecast: {
		/** Mean of the numbers given per day in the last two weeks. */
		perDay: number;
		exhaustedOn: string | null;
	};
};

export type SequenceForecast = {
	/** e-CF type. */
	type: string;
	/** Free numbers of all active sequences. */
	available: number;
	/** Mean of the numbers given per day in the last two weeks. */
	perDay: number;
	/** Day of the last number at this pace; null without use, or if the sequences expire first. */
	exhaustedOn: string | null;
	/** Last day of the last active sequence; null if it has none. */
	expiresAt: string | null;
	/** Whether numbers run out within 14 days or the last sequence expires within 30. */
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
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	low: {
		/** e-CF type. */
		type: string;
		/** Numbers left. */
		available: number;
		/** The threshold that was reached, as a percentage of all numbers. */
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
	/** `pending`, `voided`, `partly-voided`, `rejected`, `unconfirmed` (sent, but the authority's answers leave open whether it counts) or `failed` (not sent). The numbers of `rejected` and `failed` are free again. */
	status: string;
	/** The authority's messages, or why nothing was sent. `awaiting-certificate` while the company has no certificate in force; after 72 hours the void fails with `certificate-missing`. */
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

export type StatusAnswers = {
	/** One for each, in the order of the request: ids, numbers, your own ids. */
	results: {
		/** As requested. */
		docId?: string;
		/** As requested. */
		encf?: string;
		/** As requested. */
		client_request_id?: string;
		outcome: "found" | "not_found";
		invoice?: InvoiceStatus;
	}[];
	found: number;
	/** Number of pending documents among those found. */
	pending: number;
};

/** Together at most 500, plans may allow fewer: 10 with the demo key, 100 free, 250 starter. */
export type StatusQuestion = {
	/** Documents by their ids. */
	docIds?: string[];
	/** Documents by their numbers. */
	encfs?: string[];
	/** Documents by your own ids. */
	client_request_ids?: string[];
};

export type TestSetRequest = {
	/** The company; must be the token's. Any other is not found. */
	idCompany?: string;
	/** Of 31, 32, 33, 34, 41, 44; Default: all, which production requires. Originals of notes are included. */
	types?: string[];
	/** First number of the set. Default: after the numbers used before. */
	startNumber?: string;
	/** `simulate`: a rehearsal on the service's simulator, without the authority and without numbers. Default `authority`, in the sandboxes `simulate`. */
	mode?: "simulate" | "authority";
	/** Trade of the documents. Default: retail. */
	niche?: "retail" | "construction" | "restaurant" | "pharmacy" | "services";
};

export type TestWebhookRequest = {
	/** The name of the event to send. `webhook.test` when absent. */
	event?: "invoice.accepted" | "invoice.rejected" | "invoice.failed" | "invoice.pending_contingency" | "invoice.delivered" | "invoice.undelivered" | "invoice.prepared" | "document.received" | "approval.received" | "email.bounced" | "email.failed" | "certificate.expiring" | "certificate.expired" | "sequence.low" | "certification.completed" | "registry.record_changed" | "registry.watchlist_changed" | "authority.status_changed" | "webhook.disabled" | "webhook.test";
	/** Send to this webhook only, even if it is disabled. All enabled webhooks when absent. */
	webhookId?: string;
};

export type UsageReport = {
	from: string;
	to: string;
	/** By day, key and operation, in this order. */
	items: {
		/** Day in UTC-4. */
		date: string;
		/** The API key; null if a bearer token was used alone. */
		keyId: string | null;
		/** `operationId` of this document. */
		operation: string;
		/** All answered requests. */
		requests: number;
		/** All except those refused by a limit and those that failed on our side. */
		billed: number;
		/** Requests by status. */
		answers: {
			/** Answered with 304. Billed. */
			"304": number;
			/** Answered with 429. Not billed. */
			"429": number;
			/** Answered with 2xx. Billed. */
			"2xx": number;
			/** Answered with 4xx except 429. Billed. */
			"4xx": number;
			/** Answered with 5xx. Not billed. */
			"5xx": number;
		};
		/** Numbers, names, rows, invoices or documents in successful batches; a batch is one request. */
		items: number;
		/** What the operation is billed by. */
		unit: "request" | "number" | "name" | "row";
		/** Billed units. By request: `billed`. By number, name or row: those of successful requests, without numbers and rows that are invalid and without names that match nothing. Rows of a list count when its check is done. */
		billableUnits: number;
	}[];
	/** Items of this page. */
	count: number;
	/** True if more follow. */
	partial: boolean;
	/** Send it as `after` to get the next page. */
	next: string | null;
	/** Total of all pages. */
	totals: {
		/** All answered requests. */
		requests: number;
		/** All except those refused by a limit and those that failed on our side. */
		billed: number;
		/** Requests by status. */
		answers: {
			/** Answered with 304. Billed. */
			"304": number;
			/** Answered with 429. Not billed. */
			"429": number;
			/** Answered with 2xx. Billed. */
			"2xx": number;
			/** Answered with 4xx except 429. Billed. */
			"4xx": number;
			/** Answered with 5xx. Not billed. */
			"5xx": number;
		};
		/** Numbers, names, rows, invoices or documents in successful batches; a batch is one request. */
		items: number;
		/** Total of all items by their `unit`. */
		billableUnits: {
			/** Billed units of this kind. */
			request: number;
			/** Billed units of this kind. */
			number: number;
			/** Billed units of this kind. */
			name: number;
			/** Billed units of this kind. */
			row: number;
		};
	};
};

export type VoidNumbersRequest = {
	/** e-CF type. */
	type: "31" | "32" | "33" | "34" | "41" | "44";
	/** First number that will never be used. */
	from: string;
	/** Last number. */
	to: string;
	/** The reason. It is stored here and not sent to the authority. */
	reason: string;
};

export type Watchlist = {
	id: string;
	name: string;
	fields: string[];
	/** Who gets the digests. */
	emails: string[];
	/** Those that stopped all digests by the link in a mail. They alone can resume them. */
	emails_stopped: string[];
	digest: "daily" | "weekly" | null;
	locale: "es" | "en";
	/** Whose numbers fill the list each night; null if you send them. */
	source: "customers" | "suppliers" | null;
	source_filled_at: string | null;
	/** Numbers that the last filling left out, because of the plan. */
	source_omitted: number;
	/** Numbers on the list. Erased numbers are not kept. */
	count: number;
	/** When it was created. */
	created_at: string;
	/** When it, or its numbers, last changed. */
	updated_at: string;
	_links: {
		self: string;
		documents: string;
		changes: string;
	};
};

export type WatchlistChanges = {
	/** Oldest run first, within a run by number. */
	changes: {
		document: string;
		reference?: string;
		change: "added" | "changed" | "removed";
		/** The entry was ACTIVO and is no longer, or is removed. */
		risk: boolean;
		/** The watched values that changed. */
		fields: {
			field: string;
			was: string;
			is: string;
		}[];
		run_id: string;
		/** When that run ended or was rolled back to. */
		at: string;
	}[];
	count: number;
	/** True if more may follow, even if this page is empty. */
	partial: boolean;
	/** Send it as `after` to read what follows, now or after the next run. */
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
	/** Disabled by its owner, or by the service after an answer of 410. */
	status: "enabled" | "disabled";
	secret?: string | null;
	secretHint: string;
	/** Hint of the secret that signs `X-Service-Signature-Next` until it takes over. */
	nextSecretHint?: string;
	/** When the next secret takes over. */
	previousSecretExpiresAt?: string;
	rateLimitPerSecond: number | null;
	/** `per_document`: an event of a document waits until the previous one is delivered or dead. `none`: events do not wait. */
	ordering: "per_document" | "none";
	/** `automatic`: the oldest dead letter is tried after 1, 5, 15 and 60 minutes, then every hour for five days. After a 2xx answer the others follow, oldest first. `manual`: dead letters wait for `recover` or `redeliver`. */
	recovery: "automatic" | "manual";
	probe: {
		/** `draining`: the endpoint answered, and its dead letters are being sent. */
		status: "waiting" | "draining";
		/** Failed tries in a row. */
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
	/** The document's id. For an event without a document, the id of its subject. */
	docId: string;
	trackId: string;
	/** The company. */
	tenantId: string;
	/** RFC 3339, UTC. */
	occurredAt: string;
	/** Counts the company's events without gaps. */
	sequence: number;
	webhook: {
		id: string;
		/** Its first 4 KiB. */
		url: string;
		reason: string;
	};
};

/** One of these; `event` says which. Others may be added, so ignore events that you do not know. */
export type WebhookEvent = InvoiceAcceptedEvent | InvoiceRejectedEvent | InvoiceFailedEvent | InvoicePendingContingencyEvent | InvoiceDeliveredEvent | InvoiceUndeliveredEvent | InvoicePreparedEvent | DocumentReceivedEvent | ApprovalReceivedEvent | EmailBouncedEvent | EmailFailedEvent | CertificateExpiringEvent | CertificateExpiredEvent | SequenceLowEvent | CertificationCompletedEvent | RegistryRecordChangedEvent | RegistryWatchlistChangedEvent | AuthorityStatusChangedEvent | WebhookDisabledEvent;

export type WebhookHealth = {
	webhookId: string;
	url: string;
	description: string | null;
	status: string;
	/** Deliveries that never arrived. 1,000 stands for 1,000 or more. */
	dead: number;
	/** Deliveries whose last attempt failed. 1,000 stands for 1,000 or more. */
	failed: number;
	/** Whether it needs a look: it has such deliveries, or is being probed. */
	failing: boolean;
};

export type WebhookStats = {
	webhookId: string;
	/** As requested. */
	window: string;
	/** Events from this time on count. */
	from: string;
	to: string;
	counts: {
		/** Arrived. */
		delivered: number;
		/** The last attempt failed, and another is due. */
		failed: number;
		/** All attempts failed. */
		dead: number;
		/** To be sent again. First attempts that are still under way are not counted. */
		pending: number;
	};
	success: number | null;
	p50Ms: number | null;
	p95Ms: number | null;
	stepSeconds: number;
	/** The window in equal steps, oldest first. */
	steps: {
		/** Arrived. */
		delivered: number;
		/** Failed or dead. */
		undelivered: number;
	}[];
	/** Whether there were too many deliveries: then only the newest are counted, and `from` is later. */
	partial: boolean;
};

export type WebhookTest = {
	deliveries: {
		deliveryId: string;
		webhookId: string;
		url: string;
		event: string;
		/** True if a complete 2xx answer arrived within 10 seconds. */
		delivered: boolean;
		responseStatus: number | null;
		durationMs: number;
		attemptedAt: string;
		error: string | null;
		request: {
			headers: Record<string, string>;
			/** The exact bytes that were signed and sent. */
			body: string;
		};
		/** The first 4 KiB of the answer. */
		responseBody: string;
	}[];
	delivered: number;
	failed: number;
};

export interface TokensMethods {
	/** Get an access token. OAuth 2.0 client credentials and refresh token grants, as JSON or as a form. The client authenticates in the body or by HTTP Basic; a refresh token needs no client authentication. Each refresh token works once: a second use revokes every token that descends from it. `Accept: text/plain` gets the access token alone. */
	create(body: PostTokenRequest, options?: CallOptions): Promise<PostTokenAnswer>;
	/** Revoke a token. RFC 7009. Revokes an access token alone, or a refresh token with all tokens of the same grant. The answer is the same for a token that is unknown, expired or another client's. Every process refuses the token within a second. */
	revoke(body: PostRevokeRequest, options?: CallOptions): Promise<PostRevokeAnswer>;
}

export interface ApiKeysMethods {
	/** List the owner's API keys. Newest first, including expired keys. Deleted keys are not listed. */
	list(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListApiKeysAnswer, ListApiKeysAnswer["items"][number]>;
	/** Create an API key. The new key has the owner and plan of your credentials. It cannot have more rights: no further scope, address or company and no later expiry. Only this answer contains the key. An owner can have 100 keys. */
	create(body: CreateApiKeyRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<CreateApiKeyAnswer>;
	/** Read an API key. The record without the key itself, which only the answers to creation and rotation contain. */
	get(id: string, options?: CallOptions): Promise<GetApiKeyAnswer>;
	/** Change an API key. A merge patch (RFC 7396): absent members stay, `null` clears. Scopes and plan never change. Beyond label and contacts you cannot change a key with more rights than your credentials. An expired key stays expired. The owner's last full key can be neither bound to companies nor given an earlier expiry. */
	update(id: string, body: PatchApiKeyRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<GetApiKeyAnswer>;
	/** Delete an API key. Permanent: every process refuses the key within a second. Companies that it has registered stay. A key can delete itself and those without more rights than your credentials. The owner's last full key stays: replace a leaked one with `POST /v1/api-keys/{id}/rotate` and `graceSeconds: 0`. */
	delete(id: string, options?: CallOptions): Promise<null>;
	/** Replace an API key. Creates a key with the same scopes, plan, expiry and addresses. The old key stays valid for the grace period; rotating it again gives a key that expires with it. You cannot rotate a key with more rights than your credentials. */
	rotate(id: string, body?: RotateApiKeyRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<RotateApiKeyAnswer>;
}

export interface LinksMethods {
	/** Make a link to a file. An address that gives one file of the company without credentials, for a browser or a viewer. It acts for the caller: it ends with the API key or the session, and the scope of the operation is checked again at each use. A PDF is shown, other files are saved. */
	create(body: LinkRequest, options?: CallOptions): Promise<Link>;
}

export interface CompaniesMethods {
	/** Register a company. Registers a tenant company by its RNC, which must be in the taxpayer registry. Only this answer shows the client credentials and the webhook secrets. In the sandboxes a signing certificate is generated at once. */
	create(body: CreateCompanyRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Company>;
	/** List the companies of the API key's owner. Those that the key opens. A token exchange at `POST /v1/auth/token` gives a token for each. */
	list(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListCompaniesAnswer, ListCompaniesAnswer["items"][number]>;
	/** Read a company. The company with its settings and what the registry said when it was registered. `ETag` is the version that changes name in `If-Match`. */
	get(id: string, options?: CallOptions): Promise<Company>;
	/** Change a company. A merge patch (RFC 7396): absent members stay, `null` clears, `settings`, `address` and `metadata` are merged, arrays are replaced. Webhooks are matched by URL. A known one keeps its id and secret, a new one's secret is shown only in this answer, and a missing one is removed. A URL alone leaves a known webhook unchanged. A certificate signs from now on. What a registration refuses with 422 is a violation here, with that problem's slug as its `code`. */
	update(id: string, body: PatchCompany, options?: CallOptions & {
		/** The version that you have read, as its `ETag`. */
		ifMatch?: string;
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Company>;
	/** Give a company new client credentials. For a client secret that was lost or disclosed. The old credentials and their tokens end after the grace period. A suspended company gets none. In `sandbox` the demo key renews those of the companies that it has registered, from the same machine. */
	renewCredentials(id: string, body?: RenewCredentialsRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<RenewCredentialsAnswer>;
}

export interface CertificatesMethods {
	/** Upload a signing certificate. A PKCS#12 container with one RSA key of at least 2048 bits and its certificate, which belongs to a person (`CA:FALSE`). It is opened, checked and signs a probe before its key is sealed and stored. With `activateAt` it waits while the present one continues; two may overlap. Production and staging refuse one that leads to none of the operator's authorities, has no SERIALNUMBER or is for TLS servers; the sandboxes warn. Neither container nor password is kept, and no answer contains the key. */
	upload(id: string, body: PutCertificateRequest, options?: CallOptions): Promise<PutCertificateAnswer>;
	/** List a company's certificates. Certificates with validity and status. Containers and passwords are never returned. */
	list(id: string, options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListCertificatesAnswer, ListCertificatesAnswer["items"][number]>;
	/** Sign with this certificate from now on. For a roll-back, or to activate a scheduled certificate early. The previous one becomes `retired`. An expired certificate is refused, even if it is the active one. */
	activate(id: string, cid: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<ActivateCertificateAnswer>;
	/** Destroy a certificate's key. Irreversible. The certificate stays listed, since documents were signed with it. Without an active certificate new invoices are refused with `tenant-config-missing`. */
	delete(id: string, cid: string, options?: CallOptions): Promise<ActivateCertificateAnswer>;
}

export interface InvoicesMethods {
	/** Issue an invoice. Checks, signs and stores the document, then answers with everything that a receipt needs. The document is sent to the authority afterwards. Get the verdict by webhook, or by polling `_links.status`. */
	create(body: InvoiceRequest, options?: CallOptions & {
		/** `true`: check, map and sign the document, report what would happen, and store nothing. No number or key is used and nothing is sent; `Idempotency-Key` is optional and ignored. */
		dry_run?: boolean;
		/** `escpos`: the answer also has the receipt for an ESC/POS printer, in `print.escpos`. A replay has it too if it asks for it. */
		print?: "escpos";
		/** Paper of `print=escpos`, in mm. Default: 58 if the company's `printFormat` is `thermal_58`, else 80. */
		width?: "80" | "58";
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
		/** Seconds to wait for the authority's verdict, 1 to 25. */
		wait?: number;
		/** How warnings count: `strict` refuses them, `lenient` sends all the same. */
		handling?: "strict" | "lenient";
		/** Sandboxes only: what the authority does, such as `reject`. */
		scenario?: string;
	}): Promise<PostInvoiceAnswer200 | Acknowledgement>;
	/** List invoices, newest first. In order of receipt, or with `date=issued` by issue date. All filters given must fit. Amounts are shown as sent; `amount_from` and `amount_to` compare the document's total in pesos. */
	list(options?: CallOptions & {
		/** Exact number. */
		encf?: string;
		/** Exact id. */
		client_request_id?: string;
		/** e-CF type. */
		type?: "31" | "32" | "33" | "34" | "41" | "44";
		/** Status. */
		status?: "pending" | "accepted" | "rejected" | "failed";
		/** The authority's code. */
		code?: string;
		/** Whether `from` and `to` are days of receipt or issue dates. `issued` also lists by issue date. Default: received. */
		date?: "received" | "issued";
		/** First day, YYYY-MM-DD (UTC-4). */
		from?: string;
		/** Last day, YYYY-MM-DD (UTC-4). */
		to?: string;
		/** The buyer's RNC. */
		customer_rnc?: string;
		/** Exact number of a document of the company; lists its notes. */
		modifies?: string;
		/** Least total, in pesos. */
		amount_from?: string | number;
		/** Greatest total, in pesos. */
		amount_to?: string | number;
		/** The beginning of the number, of `client_request_id`, or of the buyer's RNC or name, at least 3 characters. Names are found in any case and without accents. */
		q?: string;
		/** `include` also lists the documents of certification test sets. Default: they are not listed. */
		test_sets?: "include" | "exclude";
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListInvoicesAnswer, ListInvoicesAnswer["items"][number]>;
	/** Issue many invoices. Each invoice has its own outcome, so a refused one does not affect the others. Send {"invoices":[…]}, or one invoice per line as application/x-ndjson. Problems of single invoices are in the results, in the language that Accept-Language prefers; a problem of the whole request stores nothing. A repeat with the same key within 24 hours gets the same answer, unless an invoice failed for a temporary reason on our side (503 and the like): then the repeat issues what is missing and finds the others. Without a key, each invoice's client_request_id still prevents duplicates. */
	createBatch(body: InvoiceBatch, options?: CallOptions & {
		/** `escpos`: the answer also has the receipt for an ESC/POS printer, in `print.escpos`. A replay has it too if it asks for it. */
		print?: "escpos";
		/** Paper of `print=escpos`, in mm. Default: 58 if the company's `printFormat` is `thermal_58`, else 80. */
		width?: "80" | "58";
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
		/** Seconds to wait for the authority's verdict, 1 to 25. */
		wait?: number;
		/** How warnings count: `strict` refuses them, `lenient` sends all the same. */
		handling?: "strict" | "lenient";
		/** Sandboxes only: what the authority does, such as `reject`. */
		scenario?: string;
	}): Promise<InvoiceBatchResult>;
	/** Read an invoice. The document as stored, with status, verdict, totals and links to its files. Poll `GET /v1/invoices/{docId}/status` instead if you need only the status. */
	get(docId: string, options?: CallOptions): Promise<Invoice>;
	/** Read an invoice's status. Poll every 30 seconds, or as `Retry-After` says while the document is pending. With webhooks you need not poll. */
	getStatus(docId: string, options?: CallOptions): Promise<InvoiceStatus>;
	/** Read many invoices' statuses. The status of up to 500 documents, fewer by plan. The whole request counts as one poll. Documents of other tenants are `not_found`, like unknown ones. */
	getStatuses(body: StatusQuestion, options?: CallOptions): Promise<StatusAnswers>;
	/** List an invoice's history. What happened to the document, oldest first: each attempt to send it, each answer of the authority, and its delivery to the buyer. */
	listEvents(docId: string, options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string | number;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListInvoiceEventsAnswer, ListInvoiceEventsAnswer["items"][number]>;
	/** Draft a further document from an invoice. A body for `POST /v1/invoices`, made from the document's own request. `reissue` corrects what the authority rejected, as far as only one change is right; `credit` and `debit` are notes on the document; `copy` is the same sale again. `changes` lists what differs, and `open` what a person decides. Nothing is stored, and no number is used. Send the draft with `dry_run=true` to check it. */
	getDraft(docId: string, options: CallOptions & {
		/** `reissue` for a rejected or failed document, `credit` and `debit` for one that is accepted or pending, `copy` for any. */
		as: "reissue" | "credit" | "debit" | "copy";
	}): Promise<InvoiceDraft>;
	/** Read the signed e-CF. The exact bytes that were signed. The authority gets a summary of a small consumer invoice; this is the full document. */
	xml(docId: string, options?: CallOptions): Promise<FileResult>;
	/** Print an invoice. The printed representation in Spanish, rendered from the signed bytes, available from the acknowledgement on. `a4`, `letter`, `thermal_80` and `thermal_58` are PDFs. `escpos` is the byte stream of a receipt printer (`application/octet-stream`), for 58 mm paper if the company's `printFormat` is `thermal_58`, else for 80 mm. A pending document states where to check its validity and whether it was issued in contingency. A rejected one states that it has no fiscal value. */
	pdf(docId: string, options?: CallOptions & {
		/** Default: the company's `printFormat`. */
		format?: "a4" | "letter" | "thermal_80" | "thermal_58" | "escpos";
	}): Promise<FileResult>;
	/** Read an invoice's delivery to its buyer. Accepted documents of types 31, 33, 34 and 44 are delivered to buyers that the authority's directory lists as electronic receivers. Other documents, and documents not yet accepted, get 404. `pending` is tried for 72 hours; `not-listed` is a buyer that wants paper or mail. */
	getDelivery(docId: string, options?: CallOptions): Promise<InvoiceDelivery>;
	/** Read the buyer's acknowledgement of receipt. The exact bytes of the last ARECF that the buyer sent. Its signature was verified before it was stored. */
	acknowledgement(docId: string, options?: CallOptions): Promise<FileResult>;
	/** Deliver a document to its buyer again. For `not-listed`, `refused` and `undelivered`: the directory is queried again and the same bytes are sent. Any other delivery stays as it is. */
	retryDelivery(docId: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<InvoiceDelivery>;
	/** Prove that a document is in the archive. The position in the archive's Merkle tree, the path from there to the root, and the signed checkpoint of the root. 404 with `Retry-After` while the document has no final status or is not archived yet. If no checkpoint covers it, one is signed, at most 60 an hour. Beyond that, and while the archive accepts none, 503 with `Retry-After`. */
	getProof(docId: string, options?: CallOptions): Promise<DocumentProof>;
	/** Download a document's evidence. A ZIP that can be verified without this service: the sealed object and its parts, the signer's certificate, the proof of its position in the archive with the signed checkpoint, and the archive's receipt. The bytes stay the same unless retention is extended or the key changes. 404 with `Retry-After` while the document has no final status or is not archived yet. If no checkpoint covers it, one is signed, at most 60 an hour. Beyond that, and while the archive accepts none, 503 with `Retry-After`. */
	evidence(docId: string, options?: CallOptions): Promise<FileResult>;
	/** Retry a failed invoice. Sets a `failed` document back to `pending`, unless its failure is not `retryable`. Any other document stays as it is. */
	retry(docId: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<InvoiceStatus>;
	/** Read the validation status of a type-31 document. For callers that know only documents of type 31. Documents of other types answer 404; use `GET /v1/invoices/{docId}` for those. */
	getFiscal(id: string, options?: CallOptions): Promise<FiscalInvoice>;
	/** Convert an older invoice body. Converts the older camelCase body to the body of `POST /v1/invoices`. Nothing is stored, signed or sent. `company` is the token's and `tenantId` is dropped. The older body has no line amounts, so each is `qty` × `unitPrice`, rounded half up to two decimals. Number, customer and totals are checked when you issue, or before with `POST /v1/invoices?dry_run=true`. */
	convertLegacy(body: LegacyInvoice, options?: CallOptions): Promise<ConvertLegacyInvoiceAnswer>;
	/** Send an invoice by e-mail. Sends the printed document and the signed e-CF to at most 10 recipients, any time after the acknowledgement and at most 20 times a day per document. Each recipient gets its own message in the company's name; replies go to the company's `email`. The message shows the document's standing when it is sent. `emails` of the invoice request sends such a message on acceptance. In the public sandbox nothing leaves the service, and `sent` means that the message was composed. Companies of the demo key send no mail. */
	email(docId: string, body: EmailRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<QueuedEmail>;
	/** List the e-mails of an invoice, newest first. `sent` means that a mail server accepted the message. `delivered`, `bounced` and `complained` come from reports, which not all servers send. */
	listEmails(docId: string, options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListEmailsAnswer, ListEmailsAnswer["items"][number]>;
}

export interface PreparedMethods {
	/** Prepare an invoice for approval. Checks the body as a dry run does, and stores it for 24 hours. Nothing is issued and no number is used. A caller with `invoices:write` issues it with `…:approve`. At most 200 wait per company. `invoice.prepared` is sent to endpoints that name it. */
	create(body: InvoiceRequest, options?: CallOptions & {
		/** `true`: report what would happen, and store nothing. */
		dry_run?: boolean;
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
		/** Seconds to wait for the authority's verdict, 1 to 25. */
		wait?: number;
		/** How warnings count: `strict` refuses them, `lenient` sends all the same. */
		handling?: "strict" | "lenient";
	}): Promise<PrepareInvoiceAnswer200 | PreparedInvoice>;
	/** List prepared invoices, newest first. They are kept for seven days. */
	list(options?: CallOptions & {
		/** `waiting`, `issued`, `rejected`, `expired`. */
		status?: "waiting" | "issued" | "rejected" | "expired";
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListPreparedInvoicesAnswer, ListPreparedInvoicesAnswer["items"][number]>;
	/** Read a prepared invoice. With its whole body, for the person who decides. */
	get(id: string, options?: CallOptions): Promise<PreparedInvoice>;
	/** Approve a prepared invoice. Issues the stored body, as `POST /v1/invoices` would, if `sha256` is that of the body. It makes one document however often it is called: a repeat gets the first answer. A refusal leaves the prepared invoice waiting. */
	approve(id: string, body: ApprovePreparedInvoiceRequest, options?: CallOptions & {
		/** Seconds to wait for the authority's verdict, 1 to 25. */
		wait?: number;
		/** How warnings count: `strict` refuses them, `lenient` sends all the same. */
		handling?: "strict" | "lenient";
	}): Promise<Acknowledgement>;
	/** Reject a prepared invoice. It can no longer be issued. A repeat gets the same record. */
	reject(id: string, body?: RejectPreparedInvoiceRequest, options?: CallOptions): Promise<PreparedInvoice>;
}

export interface ReceivedDocumentsMethods {
	/** List received documents, newest first. Documents of other issuers to this company, both received from their programs and imported by you, with your decision on each. */
	list(options?: CallOptions & {
		/** First day of reception, YYYY-MM-DD (UTC-4). */
		from?: string;
		/** Last day of reception, YYYY-MM-DD (UTC-4). */
		to?: string;
		/** RNC of the issuer. */
		issuer_rnc?: string;
		/** The authority's state of the documents. */
		status?: "unknown" | "accepted" | "rejected" | "not_found";
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListReceivedDocumentsAnswer, ListReceivedDocumentsAnswer["items"][number]>;
	/** Import a supplier's document. For a signed e-CF that did not arrive through `/fe/recepcion/api/ecf`. Send the file unchanged, since its bytes are signed. It is examined like a document from a counterparty, but nothing is acknowledged. A repeat is answered with 409 and the document's id, so no idempotency key is needed. The same holds for another document of the same signer under the number, and for any other once the authority has accepted one. */
	upload(body: string | Uint8Array, options?: CallOptions & {
		/** The media type of the body. */
		contentType?: string;
	}): Promise<ReceivedDocument>;
	/** Read a received document. What the document says, the authority's state of it and your decision. Its XML and PDF have addresses of their own. */
	get(id: string, options?: CallOptions): Promise<ReceivedDocument>;
	/** Read a received document's signed e-CF. The exact bytes that were received. */
	xml(id: string, options?: CallOptions): Promise<FileResult>;
	/** Print a received document. The printed representation in Spanish, made from the signed bytes. It has no issuer's logo, which the bytes do not contain. Until the authority has accepted the document, the print refers to where its validity can be checked. */
	pdf(id: string, options?: CallOptions & {
		/** Default: `a4`. */
		format?: "a4" | "letter" | "thermal_80" | "thermal_58" | "escpos";
	}): Promise<FileResult>;
}

export interface ArchiveMethods {
	/** List the archive's signed checkpoints. Every archived decision is a leaf of one of 64 Merkle trees, the archive's logs. A checkpoint is the signed number of all leaves and the root over all logs; there is at least one a day. Keep one to check later that the archive has only grown since. Oldest first. Public. */
	listCheckpoints(options?: CallOptions & {
		/** `next` of the previous page, or a checkpoint's number. */
		after?: string | number;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListArchiveCheckpointsAnswer, ListArchiveCheckpointsAnswer["items"][number]>;
	/** Read the newest checkpoint. With `Accept: text/plain`, returns the signed note as it is. 404 before the first checkpoint. */
	getLatestCheckpoint(options?: CallOptions): Promise<LatestArchiveCheckpoint>;
	/** Get a proof that the archive has only grown. Proves that every log of the archive at the checkpoint of `to` leaves begins with all leaves that it had at the checkpoint of `from`, unchanged. The leaf of a log is its number, its size (8 bytes each, the largest first) and its root; the roots over these 64 leaves are those of the checkpoints. Public. */
	getConsistencyProof(options: CallOptions & {
		/** Size of the older checkpoint, or 0. */
		from: string | number;
		/** Size of the newer checkpoint. */
		to: string | number;
	}): Promise<GetArchiveConsistencyProofAnswer>;
	/** List archived documents, latest decision first. Each decision of a document is one sealed object, kept unchanged until `retainUntil`. A document that failed and was decided again has two. `sha256` is the digest of the sealed object. Together with `log`, `leafIndex` and `chainHash`, its evidence proves that the object is in the archive. Documents that were removed after their retention are not listed. `encf`, `type` and `status` are null if the index was restored and the object could not be read. */
	list(options?: CallOptions & {
		/** First day of decision, YYYY-MM-DD (UTC-4). */
		from?: string;
		/** Last day of decision, YYYY-MM-DD (UTC-4). */
		to?: string;
		/** e-CF type. */
		type?: string | number;
		/** The decision. `received`: documents of other issuers. `approval`: commercial approvals, sent and received. */
		status?: "accepted" | "rejected" | "failed" | "received" | "approval";
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListArchiveAnswer, ListArchiveAnswer["items"][number]>;
	/** Order an export of archived documents. Makes one file with every sealed object that was decided on these days and is archived at the time of the order. It also holds lists of them with digests, the company's chain, and the signed root if there is one. In place of days, choose up to 500 documents by `docIds`, or 10000 by `filter`. Poll `Location` until `status` is `ready`. `url` is valid for 24 hours. An object that is missing or changed in the archive is left out; `damaged` names it. */
	createExport(body: CreateArchiveExportRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<CreateArchiveExportAnswer>;
	/** List exports, newest first. Exports that were ordered, with their status. A file can be downloaded until `expiresAt`. */
	listExports(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListArchiveExportsAnswer, ListArchiveExportsAnswer["items"][number]>;
	/** Read an export. The state of an export. Poll it until `status` is `ready`, then download the file at `url`. */
	getExport(exportId: string, options?: CallOptions): Promise<CreateArchiveExportAnswer>;
	/** Download an export's file. Use the export's `url` as it is. Its signature is the only credential, so anyone who has the address can download until `expiresAt`. `Range` (one part) continues an interrupted download. `Repr-Digest` and `ETag` are the file's SHA-256. */
	downloadExport(exportId: string, options: CallOptions & {
		/** Part of the address. */
		expires: string | number;
		/** Part of the address. */
		signature: string;
	}): Promise<FileResult>;
}

export interface SequencesMethods {
	/** Register a range of numbers. Registers a range that the authority has authorised in the company's current environment. Documents state its last day. With the company setting `sequenceMode: service`, invoices with `encf: "auto"` take their numbers from it, lowest first. */
	create(body: CreateSequenceRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Sequence>;
	/** List sequences. Lists the sequences of the company's current environment of the authority. */
	list(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListSequencesAnswer, ListSequencesAnswer["items"][number]>;
	/** Withdraw a sequence. For a range that was registered by mistake or that the authority does not know. Its numbers are no longer given out; documents keep theirs. The authority is not notified: void authorised numbers that will not be used. The range may be registered again. In the sandboxes a type without a sequence uses the test environment's range. */
	withdraw(id: string, options?: CallOptions): Promise<null>;
	/** Lease numbers to a point of sale. Reserves numbers for use while offline. Send documents with them as `encf`. Unused numbers are free again when the lease ends or is returned, so do not use an expired lease. */
	lease(body: LeaseNumbersRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<SequenceLease>;
	/** List leases. Newest first. */
	listLeases(options?: CallOptions & {
		/** Only leases of this status. */
		status?: "active" | "returned" | "expired";
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListLeasesAnswer, ListLeasesAnswer["items"][number]>;
	/** Read a lease. The numbers that the lease reserved, and until when they may be used. */
	getLease(id: string, options?: CallOptions): Promise<SequenceLease>;
	/** Return a lease early. Send all documents first. Unused numbers are free again at once. */
	returnLease(id: string, options?: CallOptions): Promise<SequenceLease>;
	/** Void numbers that will never be used. Takes the numbers out of use at once and notifies the authority with a signed document (ANECF). Poll `_links.self` for the result. A range with a used, leased or voided number is refused. */
	voidNumbers(body: VoidNumbersRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<SequenceVoid>;
	/** List voids. Those in the company's current environment of the authority, newest first. */
	listVoids(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListVoidsAnswer, ListVoidsAnswer["items"][number]>;
	/** Read a void. The voided numbers, and how far the authority has accepted the void. */
	getVoid(id: string, options?: CallOptions): Promise<SequenceVoid>;
}

export interface ApprovalsMethods {
	/** Read the approval rule. The rule by which invoices are approved without a person. A company that never set one has a disabled rule. */
	getRule(options?: CallOptions): Promise<ApprovalRule>;
	/** Set the approval rule. While the rule is enabled, an invoice (31, 44) is approved as soon as the authority has accepted it, if it names one of the company's open orders, comes from that order's issuer and is within `tolerance` of its amount. Everything else waits for a person. Disabled by default. */
	putRule(body: PutApprovalRuleRequest, options?: CallOptions): Promise<ApprovalRule>;
	/** Approve or reject a received document. The decision is final. It is signed (ACECF) and sent to the issuer, at the address in the authority's directory, and to the authority; read the result at `_links.self`. The same decision again returns the record; a different one is refused. Refused with 409: approving a document that the authority has rejected, and any decision on a document whose `proof` is `contested` or `superseded`. */
	decide(id: string, body: DecideApprovalRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Approval>;
	/** List approvals, newest first. `out`: the company's own decisions as a buyer. `in`: its buyers' decisions on its invoices. */
	list(options?: CallOptions & {
		/** `in` or `out`. */
		direction?: "in" | "out";
		/** Approvals of one invoice or one received document. */
		docId?: string;
		/** `approved` or `rejected`. */
		decision?: "approved" | "rejected";
		/** `undelivered`: with a delivery that was refused, failed or is unconfirmed; `…/retry` sends it again. */
		delivery?: "undelivered";
		/** First day, YYYY-MM-DD (UTC-4). */
		from?: string;
		/** Last day, YYYY-MM-DD (UTC-4). */
		to?: string;
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListApprovalsAnswer, ListApprovalsAnswer["items"][number]>;
	/** Read an approval and its deliveries. Your decision on a received document, and its delivery to the issuer and to the authority. */
	get(id: string, options?: CallOptions): Promise<Approval>;
	/** Read the signed approval. The exact signed bytes (ACECF): the company's own, shortly after it has decided (404 with `Retry-After` until then), or the buyer's as received. */
	xml(id: string, options?: CallOptions): Promise<FileResult>;
	/** Resend an approval that did not arrive. Deliveries that are refused, failed or unconfirmed become pending again, with the same signed bytes. Those that arrived stay unchanged. */
	retry(id: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Approval>;
}

export interface PurchaseOrdersMethods {
	/** List purchase orders. Orders that the approval rule compares with received invoices, by number. */
	list(options?: CallOptions & {
		/** `open`, `used` or `closed`. */
		status?: "open" | "used" | "closed";
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListPurchaseOrdersAnswer, ListPurchaseOrdersAnswer["items"][number]>;
	/** Read a purchase order. The order as registered, and the latest approval that used it. */
	get(number: string, options?: CallOptions): Promise<PurchaseOrder>;
	/** Register or change a purchase order. While the company's rule is enabled, an order approves one document, or every matching one if it is `reusable`. The body replaces the order: without `amount` any total is approved, and without `reusable` it approves one document. Only `status` keeps its value if absent. */
	put(number: string, body: PutPurchaseOrderRequest, options?: CallOptions): Promise<PurchaseOrder>;
}

export interface WebhooksMethods {
	/** List the company's webhooks. Endpoints with their events, status and limits. Secrets are not returned. */
	list(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListWebhooksAnswer, ListWebhooksAnswer["items"][number]>;
	/** Add a webhook. The plan limits the number per company: none with the demo key of a public sandbox, 2 free, 5 starter, 20 business, at most 50. Only this answer shows the secret that signs the deliveries. */
	create(body: CreateWebhookRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Webhook>;
	/** Read a webhook. An endpoint with its events, status and limits. Its secret is not returned; `secretHint` shows which one is in use. */
	get(id: string, options?: CallOptions): Promise<Webhook>;
	/** Change a webhook. A merge patch (RFC 7396): absent members stay, `null` clears. Deliveries under way go to the new URL with their next attempt. Deliveries of a disabled webhook become dead letters and wait for `recover`. An enabled webhook gets events from then on. If `recovery` becomes `automatic` again, older dead letters are retried too. */
	update(id: string, body: PatchWebhookRequest, options?: CallOptions & {
		/** The version that you have read, as its `ETag`. */
		ifMatch?: string;
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Webhook>;
	/** Remove a webhook. The secret is deleted too. Deliveries under way become dead letters, which you can still send to another webhook. */
	delete(id: string, options?: CallOptions & {
		/** The version that you have read, as its `ETag`. */
		ifMatch?: string;
	}): Promise<null>;
	/** Give a webhook a new secret. Until the overlap ends, the old secret signs `X-Service-Signature` and the new one `X-Service-Signature-Next`. `webhook-signature` lists both. Afterwards, or once you promote it, the new secret signs alone. */
	rotateSecret(id: string, body?: RotateWebhookSecretRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Webhook>;
	/** End a rotation now. From now on the new secret signs alone. Without a rotation under way nothing changes. */
	promoteSecret(id: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Webhook>;
	/** List deliveries, newest first. Deliveries with their status and next attempt. Read one delivery to see all of its attempts. */
	listDeliveries(options?: CallOptions & {
		/** `dead`: all retries failed. */
		status?: "pending" | "failed" | "delivered" | "dead";
		/** Deliveries of one webhook. */
		webhookId?: string;
		/** Exact name, such as `invoice.accepted`. */
		event?: string;
		/** Deliveries of one document. */
		docId?: string;
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListDeliveriesAnswer, ListDeliveriesAnswer["items"][number]>;
	/** Read a delivery with all attempts. The sent body, and for each attempt its time, duration, status and the beginning of the answer. */
	getDelivery(id: string, options?: CallOptions): Promise<Delivery>;
	/** Read how a webhook's deliveries went. Counts and durations of the deliveries whose events happened in the window. A delivery counts with its present status. */
	getStats(id: string, options?: CallOptions & {
		/** How far back: `1h`, `24h` or `7d`. Default: 24h. */
		window?: "1h" | "24h" | "7d";
	}): Promise<WebhookStats>;
	/** Send a delivery again. Sends a dead delivery again, or one that arrived and was lost in your system: the same bytes under the same delivery id, with a new schedule of retries. A delivery that is under way stays as it is. If its webhook is gone, the newest other webhook that wants the event gets it. */
	redeliver(id: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Delivery>;
	/** Send a webhook's dead letters again. Sends all deliveries that died since a time, in the order of each document's events. Enable a disabled webhook first. */
	recover(id: string, body: RecoverWebhookRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<RecoverWebhookAnswer>;
	/** Send a test event. Sends one signed request to each enabled webhook of the company, waits for the answers, and returns them with what was sent. 200 means that the attempts were made; `delivered` counts those that arrived. Nothing is retried or stored. The body has the five members of every event and `"test": true`. Its `docId` and `trackId` refer to nothing. */
	test(body?: TestWebhookRequest, options?: CallOptions): Promise<WebhookTest>;
}

export interface EventsMethods {
	/** Read the company's events in order. Returns all events after a position, oldest first, numbered without gaps, each once. Webhooks carry the same `sequence`, so a receiver can detect missed events and read them here. With `wait`, the answer comes when there is an event. With `Accept: text/event-stream`, the connection stays open for 15 minutes, and `Last-Event-ID` continues a stream. Each request counts as one poll, however long it waits. A company can have 20 waiting requests and streams open. Events are kept for 30 days. */
	list(options?: CallOptions & {
		/** The `next` of the previous page, or a `sequence`. `latest`: only events from now on. Absent: from the oldest stored event. Prefer `next`: it stays correct if an older database is restored, which may assign a `sequence` again. */
		after?: string;
		/** 1 to 1000, default 100. */
		limit?: string | number;
		/** Seconds to wait for an event when there is none, 0 to 25. */
		wait?: string | number;
		/** Names or families, separated by commas: `invoice.accepted,certificate.*`. All events when absent. */
		types?: string;
	}): Promise<ListEventsAnswer>;
}

export interface RegistryWebhooksMethods {
	/** List the owner's webhooks, of a registry customer. Endpoints with their events, status and limits. Secrets are not returned. */
	list(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListWebhooksAnswer, ListWebhooksAnswer["items"][number]>;
	/** Add a webhook, of a registry customer. The plan limits the number per owner: none with the demo key of a public sandbox, 2 free, 5 starter, 20 business, at most 50. Only this answer shows the secret that signs the deliveries. */
	create(body: RegistryCreateWebhookRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Webhook>;
	/** Read a webhook, of a registry customer. An endpoint with its events, status and limits. Its secret is not returned; `secretHint` shows which one is in use. */
	get(id: string, options?: CallOptions): Promise<Webhook>;
	/** Change a webhook, of a registry customer. A merge patch (RFC 7396): absent members stay, `null` clears. Deliveries under way go to the new URL with their next attempt. Deliveries of a disabled webhook become dead letters and wait for `recover`. An enabled webhook gets events from then on. If `recovery` becomes `automatic` again, older dead letters are retried too. */
	update(id: string, body: RegistryPatchWebhookRequest, options?: CallOptions & {
		/** The version that you have read, as its `ETag`. */
		ifMatch?: string;
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Webhook>;
	/** Remove a webhook, of a registry customer. The secret is deleted too. Deliveries under way become dead letters, which you can still send to another webhook. */
	delete(id: string, options?: CallOptions & {
		/** The version that you have read, as its `ETag`. */
		ifMatch?: string;
	}): Promise<null>;
	/** Give a webhook a new secret, of a registry customer. Until the overlap ends, the old secret signs `X-Service-Signature` and the new one `X-Service-Signature-Next`. `webhook-signature` lists both. Afterwards, or once you promote it, the new secret signs alone. */
	rotateSecret(id: string, body?: RotateWebhookSecretRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Webhook>;
	/** End a rotation now, of a registry customer. From now on the new secret signs alone. Without a rotation under way nothing changes. */
	promoteSecret(id: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Webhook>;
	/** List deliveries, newest first, of a registry customer. Deliveries with their status and next attempt. Read one delivery to see all of its attempts. */
	listDeliveries(options?: CallOptions & {
		/** `dead`: all retries failed. */
		status?: "pending" | "failed" | "delivered" | "dead";
		/** Deliveries of one webhook. */
		webhookId?: string;
		/** Exact name, such as `invoice.accepted`. */
		event?: string;
		/** Deliveries of one document. */
		docId?: string;
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListDeliveriesAnswer, ListDeliveriesAnswer["items"][number]>;
	/** Read a delivery with all attempts, of a registry customer. The sent body, and for each attempt its time, duration, status and the beginning of the answer. */
	getDelivery(id: string, options?: CallOptions): Promise<Delivery>;
	/** Read how a webhook's deliveries went, of a registry customer. Counts and durations of the deliveries whose events happened in the window. A delivery counts with its present status. */
	getStats(id: string, options?: CallOptions & {
		/** How far back: `1h`, `24h` or `7d`. Default: 24h. */
		window?: "1h" | "24h" | "7d";
	}): Promise<WebhookStats>;
	/** Send a delivery again, of a registry customer. Sends a dead delivery again, or one that arrived and was lost in your system: the same bytes under the same delivery id, with a new schedule of retries. A delivery that is under way stays as it is. If its webhook is gone, the newest other webhook that wants the event gets it. */
	redeliver(id: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Delivery>;
	/** Send a webhook's dead letters again, of a registry customer. Sends all deliveries that died since a time, in the order of each document's events. Enable a disabled webhook first. */
	recover(id: string, body: RecoverWebhookRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<RecoverWebhookAnswer>;
	/** Send a test event, of a registry customer. Sends one signed request to each enabled webhook of the owner, waits for the answers, and returns them with what was sent. 200 means that the attempts were made; `delivered` counts those that arrived. Nothing is retried or stored. The body has the five members of every event and `"test": true`. Its `docId` and `trackId` refer to nothing. */
	test(body?: TestWebhookRequest, options?: CallOptions): Promise<WebhookTest>;
}

export interface RegistryEventsMethods {
	/** Read the owner's events in order, of a registry customer. Returns all events after a position, oldest first, numbered without gaps, each once. Webhooks carry the same `sequence`, so a receiver can detect missed events and read them here. With `wait`, the answer comes when there is an event. With `Accept: text/event-stream`, the connection stays open for 15 minutes, and `Last-Event-ID` continues a stream. Each request counts as one poll, however long it waits. An owner can have 20 waiting requests and streams open. Events are kept for 30 days. */
	list(options?: CallOptions & {
		/** The `next` of the previous page, or a `sequence`. `latest`: only events from now on. Absent: from the oldest stored event. Prefer `next`: it stays correct if an older database is restored, which may assign a `sequence` again. */
		after?: string;
		/** 1 to 1000, default 100. */
		limit?: string | number;
		/** Seconds to wait for an event when there is none, 0 to 25. */
		wait?: string | number;
		/** Names or families, separated by commas: `invoice.accepted,certificate.*`. All events when absent. */
		types?: string;
	}): Promise<ListEventsAnswer>;
}

export interface AuditMethods {
	/** List the audit log. Newest first. Who did what to keys, clients, companies, certificates, webhooks, deliveries and test sets, and who erased registry entries: everything of the API key's owner, and what the operator did to its companies. Entries are written in the transaction of the action and can be neither changed nor removed. */
	list(options?: CallOptions & {
		/** A name such as `company.patch`, or a family such as `webhook.*`. */
		action?: string;
		/** Id of an API key, of a client or of a person, or `operator`. */
		actor?: string;
		/** Id of the subject, or the number of a purchase order. */
		target?: string;
		/** Start of the period, in UTC, inclusive. */
		from?: string;
		/** End of the period, in UTC, exclusive. */
		to?: string;
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListAuditAnswer, ListAuditAnswer["items"][number]>;
}

export interface TestSetsMethods {
	/** Start a certification test set. Generates, signs and checks the documents that the authority demands, then sends them one by one, notes after their originals and summaries last. The first rejection ends the run, because the authority restarts the whole set. `mode: simulate` rehearses everything on the service's simulator, without the authority and without numbers. While the company is suspended or closed, the set pauses. It continues if the company is resumed within the set's seven days. */
	create(body?: TestSetRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<CheckSetTests>;
	/** List test sets, newest first. Test sets of the company with their progress. Read one test set to see its cases. */
	list(options?: CallOptions & {
		/** Status. */
		status?: "pending" | "generating" | "submitting" | "validating" | "passed" | "failed" | "expired" | "cancelled";
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListCheckSetTestsAnswer, ListCheckSetTestsAnswer["items"][number]>;
	/** Read a test set. Progress and result of each case. Poll it with `If-None-Match`: 304 means that nothing has changed. */
	get(id: string, idCompany: string, options?: CallOptions): Promise<CheckSetTests>;
	/** Cancel a test set. Nothing more is sent. A submitted document is still decided. */
	cancel(id: string, idCompany: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<CheckSetTests>;
	/** Run a failed test set again. Generates all documents again under new numbers, because the authority takes each number once, rejected or not. */
	retry(id: string, idCompany: string, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<CheckSetTests>;
	/** Download the evidence of a test set. A ZIP with the record and, for every case of every run, the request, the signed documents and the authority's answers. */
	evidence(id: string, idCompany: string, options?: CallOptions): Promise<FileResult>;
	/** Read the provider's details. Who runs the service and how it is certified: names, versions, supported types and environments, as the authority's forms ask for them. */
	getProviderInfo(options?: CallOptions): Promise<ProviderInfo>;
}

export interface ReportsMethods {
	/** Read the totals of a period. Documents count on their issue date once they are accepted. Rejected and failed ones are in `excluded`, and in groups and totals only if `status` asks for them. Pending documents and those of certification test sets do not count. A report covers one environment of the authority, wherever the company is now. Amounts are those of the signed e-CF in pesos; credit notes (34) are negative. Reports have every verdict that came before them. Groups come in pages; `totals` and `digest` always cover all groups. As CSV all groups are lines of one table, and `Report-Authority-Environment`, `Report-As-Of` and `Report-Digest` carry the rest. */
	getTotals(options?: CallOptions & {
		/** First issue date, YYYY-MM-DD. Default: the first day of the month of `to`. */
		from?: string;
		/** Last issue date, YYYY-MM-DD. Default: today (UTC-4). At most 366 days. */
		to?: string;
		/** Environment of the authority in which the documents were issued. Default: the company's current one. */
		authority_environment?: "test" | "certification" | "production";
		/** Any of day, month, type, status, branch, customer_rnc, separated by commas, in any order. Default: one group with everything. */
		group_by?: string;
		/** The documents in groups and totals. Default: accepted. `sales`, `purchases`, `net` and `excluded` do not depend on it. */
		status?: "accepted" | "rejected" | "failed" | "all";
		/** `json` or `csv`. Default: csv if `Accept` names text/csv and not JSON, else json. */
		format?: "json" | "csv";
		/** `next` of the previous page. JSON only. */
		after?: string;
		/** Groups per page, 1 to 5000, the default. JSON only. */
		limit?: string | number;
	}): Promise<ReportTotals>;
	/** Download a period's documents as CSV. One line per document that is accepted, rejected or failed, by issue date and docId: docId, encf, client_request_id, type, status, issue_date, branch, customer_rnc, subtotal, tax, grand_total, sha256, receivedAt, decidedAt, authorityEnvironment. The last column is the environment of the authority, the same in all lines. Lines are streamed without a limit. Amounts of accepted documents add up to the totals; credit notes (34) are negative. Texts that a spreadsheet would treat as a formula (branch, client_request_id) get an apostrophe in front. */
	documents(options?: CallOptions & {
		/** First issue date, YYYY-MM-DD. Default: the first day of the month of `to`. */
		from?: string;
		/** Last issue date, YYYY-MM-DD. Default: today (UTC-4). At most 366 days. */
		to?: string;
		/** Environment of the authority in which the documents were issued. Default: the company's current one. */
		authority_environment?: "test" | "certification" | "production";
	}): Promise<FileResult>;
	/** Read how the company's invoicing stands. What needs a person, and the figures of some days, in one answer: refused and overdue documents, prepared invoices, the ending certificate, sums, a day's documents, the authority's state, the webhooks and the forecasts of sequences. Explanations are in the language of `Accept-Language`. */
	getOverview(options?: CallOptions & {
		/** First issue date, YYYY-MM-DD. Default: 29 days before `to`. */
		from?: string;
		/** Last issue date, YYYY-MM-DD. Default: today (UTC-4). At most 366 days. */
		to?: string;
	}): Promise<Overview>;
}

export interface PortalMethods {
	/** Read where the portal may be embedded. Of the company. */
	getSettings(options?: CallOptions): Promise<PortalSettings>;
	/** Set where the portal may be embedded. Replaces the list. The first settings give the portal its id, which stays. */
	setSettings(body: PutPortalSettingsRequest, options?: CallOptions): Promise<PortalSettings>;
	/** Make a link to the portal. The address of a page that shows the company's invoices or deliveries inside your own: put it into an `iframe`. It opens once. What it opens reads for an hour, acts for the caller's key or session, and ends with them. A key's list of addresses does not bind it. */
	createLink(body: PortalLinkRequest, options?: CallOptions): Promise<PortalLink>;
}

export interface RegistryMethods {
	/** Look up a taxpayer. Returns the registry entry of a number, or with `as_of` the one that our copy held at the end of an earlier day; such an answer is not cached. An erased entry is answered like one that never existed. Shared caches may keep an entry for 300 seconds. */
	lookup(document: string, options?: CallOptions & {
		/** A day as `YYYY-MM-DD`, in UTC-4: the answer is what our copy of the registry held at the end of it. The authority publishes no dates of effect. */
		as_of?: string;
		/** `started_on` adds when the taxpayer started to operate. */
		expand?: "started_on";
	}): Promise<DocumentEntry>;
	/** Search taxpayers. Finds entries whose field has, for each word of `q`, a word that starts with it. Values equal to `q` come first, then values that start with it, then the rest. Within each group, active entries come first, then shorter values, then lower numbers. With `field=document`, it finds numbers that start with `q`, in ascending order. With `mode=smart`, further entries follow that `q` may mean: with two words joined or one split, with misspelt words, and with similar names, the most similar first. Plans limit how many distinct entries a day (UTC) shows. */
	search(options: CallOptions & {
		/** The words to search for. Each must be a prefix of a word of the field, in any order. Accents, case and punctuation do not count; at least 3 characters must remain without them. For `field=document`: the first digits of the number, hyphens allowed. */
		q: string;
		/** The field to search; `any` is the legal or the commercial name. */
		field: "name" | "trade_name" | "economic_activity" | "any" | "document";
		/** `rnc` returns only numbers of 9 digits, `cedula` only those of 11. */
		type?: "rnc" | "cedula";
		/** Returns only entries with this status, such as `ACTIVO`. */
		status?: string;
		/** Maximum number of entries, an integer from 1 to 100. Default: 25. */
		limit?: string | number;
		/** `smart` also finds what `q` may mean. Matches of `q` as written come first; then those with two of its words joined or one split; then those of misspelt words and similar names, by `score`. There is one page. Not available for `field=document` or with `after`. `fuzzy` is another name of `smart`. */
		mode?: "exact" | "smart" | "fuzzy";
		/** `true` adds to each item where its field contains the words of `q`, as positions in the value. Units: UTF-16 code units, as JavaScript, Java and C# count characters. */
		highlight?: boolean;
		/** `next` of the previous page, with the same `q`, `field`, `type` and `status`. */
		after?: string;
	}): PageResult<RegistrySearchResult, RegistrySearchResult["items"][number]>;
	/** Suggest taxpayers while typing. Answers each key press of a search box. Entries whose legal or commercial name has words that start with those of `q` come first, in the order of the search, then those found with two words joined or one split. Misspelt words are considered only if nothing else is found. The same `q` gives the same answer to every caller, so answers may be cached. Plans limit how many distinct entries a day (UTC) shows. */
	suggest(options: CallOptions & {
		/** What was typed so far, 2 to 80 characters. Three digits or more, with or without hyphens, are the start of a number. Everything else is searched for in the legal and the commercial name. */
		q: string;
		/** Maximum number of suggestions, an integer from 1 to 10. Default: 8. */
		limit?: string;
		/** `rnc` returns only numbers of 9 digits, `cedula` only those of 11. */
		type?: "rnc" | "cedula";
		/** Returns only entries with this status, such as `ACTIVO`. */
		status?: string;
	}): Promise<RegistrySuggestResult>;
	/** Look up many taxpayers. Returns the registry entries of up to 1,000 numbers, or fewer by plan. Each number has its own outcome: an unknown or invalid one does not affect the others. All entries come from one ingest run. */
	lookupBatch(body: DocumentBatch, options?: CallOptions): Promise<DocumentBatchResult>;
	/** List what a taxpayer's entry was. Lists the values that our copy of the registry held of a number, with the days, newest first; at most 100 periods. Days are those of UTC-4, and a period contains the days at whose end our copy held the values. The authority publishes no dates of effect, so a change may be older than the day on which our copy shows it. An erased entry has no history. */
	getHistory(document: string, options?: CallOptions): Promise<DocumentHistory>;
	/** Find taxpayers by name. Returns, for each of up to 100 names, the entries with the most similar legal or commercial name. The score is 1 for the same words in any order; case, accents and punctuation do not count. A word that only one of the names has lowers the score by its weight, and a misspelling lowers it a little. Rare words weigh most, words such as DE or LA little, legal forms such as SRL hardly anything. Equal scores are sorted by active entries first, then by number. The same run gives the same answer. A request counts as one search and takes 10 to 40 ms for each name. Names of all callers take turns, and you can have at most 4 requests in progress. */
	match(body: NameMatchRequest, options?: CallOptions): Promise<NameMatchResult>;
	/** Get the freshness of the registry. Shows when the registry was last ingested, from which source, and whether it is stale. Available before the first ingest too. */
	getStatus(options?: CallOptions): Promise<RegistryStatus>;
	/** List ingest runs. Lists when the authority's file was ingested, with what result, and how much it changed. An attempt that finds the file unchanged is not a run of its own: it updates `confirmed_at` of the run that it confirms. */
	listRuns(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** Maximum number of items, an integer from 1 to 100. Default: 100. */
		limit?: string | number;
	}): PageResult<RegistryRuns, RegistryRuns["runs"][number]>;
	/** List changes of the registry. Lists the entries that each ingest run added, changed or removed, so that you can keep a copy of the registry. The feed starts after the first run, whose `added` counts the whole registry. To start a copy, read the feed to its end and keep `next`. Then fill the copy, either from the authority's own file or by batch look-ups of the numbers that you need. Use the file whose SHA-256 is the `source_sha256` of the registry's status, or a newer one. Then continue from `next`. The file may contain entries that were erased here; look-ups do not. The last 32 runs are kept. A cursor expires when its run is no longer kept, when a run with an unknown difference follows, or when an older database is restored. Cursors in digits, an earlier form, have expired too. The answer is then `cursor-expired`: start again. Erased entries never appear, and neither does their removal. */
	listChanges(options?: CallOptions & {
		/** `next` of the previous answer. Without it, the feed starts at the oldest run that is kept, but after the first run of all. */
		after?: string;
		/** Maximum number of items, an integer from 1 to 1000. Default: 100. */
		limit?: string | number;
	}): PageResult<RegistryChanges, RegistryChanges["changes"][number]>;
	/** List the files for download. Lists the registry's files for download, with sizes and digests. Your plan decides which kinds you see. Files ending in `-companies` have no 11-digit numbers, which belong to natural persons. Files with those need a grant of the operator. An erased entry is in no file. Names of deltas change with each run, so read the list first. The signed `manifest` proves sizes and digests of files that you keep or pass on. The first request after a run may take some seconds. */
	listDownloads(options?: CallOptions): Promise<RegistryDownloads>;
	/** Download a file of the registry. Answers with a file of the list. `Range` (one part) with `If-Range` continues an interrupted download. A name that the list does not have for you is not found: files of earlier runs are removed, and so are those that held an erased entry. */
	download(name: string, options?: CallOptions): Promise<FileResult>;
	/** Erase a taxpayer's entry. Erases an entry under the data-protection law (ARCO): at once here, within a second on every node, and in every later ingest. The answer is the same whether or not the number was in the registry. Erasing it again returns the first record and withdraws a proposed reversal. Each erasure is audited. A key may erase 60 times per hour, counted together with all keys created or rotated from the same key. */
	purge(document: string, body: PurgeRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<PurgeAnswer>;
	/** Get the record of an erasure. Shows what an erasure did, what it could not remove and why, and whether it was reversed. The number itself is not stored. */
	getPurge(id: string, options?: CallOptions): Promise<PurgeRecord>;
	/** Reverse an erasure with two keys. The first key that calls this operation proposes the reversal. Another key confirms it within a week. The two keys must not share an origin: keys created or rotated from each other or from the same key are refused with `forbidden`, and so is any key created after the proposal. Keys created by the operator have no common origin. The next ingest then includes the entry again if the source has it. The record stays, but after that ingest nothing shows which number it was for. Each step is audited. A key may take 60 steps per hour, counted together with all keys created or rotated from the same key. */
	deletePurge(id: string, options?: CallOptions): Promise<PurgeRecord>;
	/** Get a signed attestation of an entry. Returns what the registry held about a number as a signed statement: our copy, made from the authority's file of a stated SHA-256, held this. Anyone can verify it with the keys in `/.well-known/registry-keys.json`, for ever. The short consultation number is checked with `POST /v1/authority/attestations:verify`. The service stores neither. Each plan has a limit a day. */
	attest(document: string, body?: AttestRequest, options?: CallOptions): Promise<Attestation>;
	/** Check an attestation or a consultation number. Says whether an attestation or a consultation number was given by this service, and with which outcome. It needs no key. An address may check 60 a minute. */
	verifyAttestation(body: AttestationCheckRequest, options?: CallOptions): Promise<AttestationCheck>;
	/** Get the public keys of attestations and receipts. RFC 7517. The newest comes first and signs. Every key stays for ever. Those of tokens are in `/.well-known/jwks.json`; the ones that signed receipts of erasures are in both. */
	getKeys(options?: CallOptions): Promise<GetJwksAnswer>;
	/** Check a list of taxpayers. Compares a list with the registry: CSV, TSV or XLSX, up to 64 MiB and 1,000,000 rows, or fewer by plan. At most 50,000 rows may have a name and no number. Encoding, delimiter and columns are detected; `number_column` and `name_column` name a column by its header or position. The whole list is read before the answer, so a list that is accepted is checked to its end. Verdicts: `found`; `inactive`: the status is not ACTIVO; `name_differs`: the name scores less than 0.8 against both names of the entry; `ambiguous`: a name alone that fits no entry beyond doubt; `not_found`; `invalid`: neither a number of 9 or 11 digits nor a name; `duplicate`: the number stands in an earlier row. Poll `Location` until `status` is `done`. List and result are deleted after 7 days. */
	createCheck(body: string | Uint8Array, options?: CallOptions & {
		/** The column with numbers: its header, or its position from 1. */
		number_column?: string;
		/** The column with names: its header, or its position from 1. */
		name_column?: string;
		/** A day as `YYYY-MM-DD`, in UTC-4: the verdicts are those of what our copy of the registry held at the end of it. A name without a number is matched with today's names. */
		as_of?: string;
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
		/** The media type of the body. */
		contentType?: string;
	}): Promise<RegistryCheck>;
	/** Read the state of a check. How many rows of the list have been checked. Poll it until `status` is `done`, then download the result. */
	getCheck(checkId: string, options?: CallOptions): Promise<RegistryCheck>;
	/** End a check. Ends the check and deletes list and result. Its rows still count towards the month's limit. */
	deleteCheck(checkId: string, options?: CallOptions): Promise<null>;
	/** Download the result of a check. The columns of the list, then `verdict`, `number`, `name`, `status`, `score` and `suggestions`. In `csv` and `xlsx`, cells that begin with `=`, `+`, `-` or `@` get an apostrophe, because spreadsheet programs would run them. `ndjson` has the cells as they were sent. An entry that is erased later becomes `not_found`. A form is made when it is first asked for, which takes up to 20 s for a million rows. `Range` (one part) continues an interrupted download. */
	downloadCheck(checkId: string, options?: CallOptions & {
		/** `csv`, `xlsx` or `ndjson`. Default: `csv`. */
		format?: "csv" | "xlsx" | "ndjson";
	}): Promise<FileResult>;
	/** Make a link for reconciliation. OpenRefine and similar programs cannot send a key. Give them this link instead: anyone who has it may reconcile names with the registry, as your key, and count towards your plan's limits. It works only from the addresses that your key allows. It ends when it expires, when you revoke it, or with the key that made it. */
	createReconcileLink(body?: ReconcileLinkRequest, options?: CallOptions): Promise<CreatedReconcileLink>;
	/** List links for reconciliation. The links of all your keys that have not ended, oldest first, without their addresses. */
	listReconcileLinks(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListReconcileLinksAnswer, ListReconcileLinksAnswer["items"][number]>;
	/** Revoke a link for reconciliation. Within two seconds every process answers the link with 410. */
	revokeReconcileLink(id: string, options?: CallOptions): Promise<null>;
}

export interface WatchlistsMethods {
	/** List watchlists. With a company's token, the lists of that company; with the key alone, the owner's own. Changes of the numbers on a list are sent as events to the company or owner. */
	list(options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<ListWatchlistsAnswer, ListWatchlistsAnswer["items"][number]>;
	/** Create a watchlist. The plan limits the lists and the numbers of an owner and its companies together. After each registry run, webhooks that subscribe to `registry.record_changed` get one event for each changed number. */
	create(body: CreateWatchlistRequest, options?: CallOptions & {
		/** A UUID v4. By default a new one for each call. */
		idempotencyKey?: string;
	}): Promise<Watchlist>;
	/** Read a watchlist. Name, watched fields, digest and number of taxpayers of the list. The numbers have an address of their own. */
	get(id: string, options?: CallOptions): Promise<Watchlist>;
	/** Change a watchlist. Absent members stay. The numbers of the list are changed by `POST /v1/watchlists/{id}/documents`. */
	update(id: string, body: PatchWatchlistRequest, options?: CallOptions): Promise<Watchlist>;
	/** Delete a watchlist. Deletes the list for good; its changes are no longer reported. The taxpayers stay in the registry. */
	delete(id: string, options?: CallOptions): Promise<null>;
	/** List the numbers of a watchlist. The numbers that the list watches, in ascending order, with your reference of each. */
	listDocuments(id: string, options?: CallOptions & {
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 1000, default 100. */
		limit?: string | number;
	}): PageResult<WatchlistDocuments, WatchlistDocuments["items"][number]>;
	/** Replace the numbers of a watchlist. At most 100000 lines. CSV: the number, then your reference; a first line without digits names the columns. NDJSON: `document` and `reference`. Of equal numbers the last stays. */
	putDocuments(id: string, body: string | Uint8Array, options?: CallOptions & {
		/** The media type of the body. */
		contentType?: string;
	}): Promise<Watchlist>;
	/** Add numbers to a watchlist. A repeat changes nothing further. */
	addDocuments(id: string, body: AddWatchlistDocumentsRequest, options?: CallOptions): Promise<Watchlist>;
	/** Remove numbers from a watchlist. A repeat changes nothing further. */
	removeDocuments(id: string, body: AddWatchlistDocumentsRequest, options?: CallOptions): Promise<Watchlist>;
	/** List changes of watched numbers. The changes of the numbers that are on the list now, in the runs that the registry's change feed keeps. Cursors are those of that feed. Erased entries never appear. */
	listChanges(id: string, options?: CallOptions & {
		/** `next` of the previous answer. Without it, from the oldest run that is kept. */
		after?: string;
		/** Only the changes of one run. */
		run_id?: string;
		/** 1 to 1000, default 100. */
		limit?: string | number;
	}): PageResult<WatchlistChanges, WatchlistChanges["changes"][number]>;
}

export interface UsageMethods {
	/** List usage by key, operation and day. Requests of all keys of the key's owner, including those with a bearer token alone; for the demo key, those of the token's company. Requests are counted when answered and stored every few seconds, so the latest may be missing, and a machine that fails may lose them. Requests with invalid credentials are not counted. */
	get(options?: CallOptions & {
		/** First day, YYYY-MM-DD (UTC-4). Default: the first day of the month of `to`. */
		from?: string;
		/** Last day, YYYY-MM-DD (UTC-4). Default: today. At most 366 days. */
		to?: string;
		/** One API key's id. */
		key?: string;
		/** One `operationId`. */
		operation?: string;
		/** `next` of the previous page. */
		after?: string;
		/** 1 to 100, default 25. */
		limit?: string | number;
	}): PageResult<UsageReport, UsageReport["items"][number]>;
}

export interface AuthorityMethods {
	/** Get the current state of the authority. The state of the authority's environment in which your company issues. It is judged from this service's calls, the authority's declarations and the breaker, and is up to date within seconds. The event `authority.status_changed` reports changes of `status`. `/status` shows the same publicly, without your numbers. */
	getStatus(options?: CallOptions): Promise<AuthorityStatus>;
	/** List the authority's result and rejection codes. The authority publishes no list. Codes 0 to 4 are official, the others were observed in its answers. Unknown codes are passed on as they are. */
	listCodes(options?: CallOptions): Promise<ListAuthorityCodesAnswer>;
	/** Explain one code of the authority. The meaning of a code, its causes and what to do. An unknown code is answered with `known: false`. */
	getCode(code: string, options?: CallOptions): Promise<AuthorityCode>;
}

export interface ServiceMethods {
	/** List provinces, municipalities and districts. The authority's table of places: 582 codes for `address.municipalityCode` and `address.provinceCode` of a company, and for `customer.address` of an invoice. */
	listPlaces(options?: CallOptions): Promise<ListPlacesAnswer>;
	/** Get the JSON Schema of a request. Draft 2020-12, generated from the schema that validates requests. It rejects nothing that the service accepts. Only the service checks sums, dates and the authority's own rules. */
	getRequestSchema(type: string, options?: CallOptions): Promise<GetRequestSchemaAnswer>;
	/** Check health. For monitoring: checks what `/readyz` checks, and what a process can do without for a while. */
	getHealth(options?: CallOptions): Promise<ReadyzAnswer>;
	/** List changes. Newest first. Each area has its own versions: `invoicing`, and `identity` for the taxpayer registry. */
	getChangelog(options?: CallOptions): Promise<ReleaseList>;
	/** Get this document. OpenAPI 3.1 as JSON. Summaries, descriptions and problems are in Spanish or English by `Accept-Language`; names and values are the same. `x-codeSamples` holds calls in curl and TypeScript. */
	getOpenApi(options?: CallOptions): Promise<GetOpenApiAnswer>;
	/** List every problem. HTML, or JSON for `Accept: application/json`. In Spanish or English by `Accept-Language`. */
	listProblems(options?: CallOptions & {
		/** Language of the texts, in place of `Accept-Language`. */
		lang?: "en" | "es";
	}): Promise<ProblemList>;
	/** Explain a problem. The URL is the problem's `type`. HTML, or JSON for `Accept: application/json`. In Spanish or English by `Accept-Language`. */
	getProblem(slug: string, options?: CallOptions & {
		/** Language of the texts, in place of `Accept-Language`. */
		lang?: "en" | "es";
	}): Promise<ProblemPage>;
}

export interface Resources {
	tokens: TokensMethods;
	apiKeys: ApiKeysMethods;
	links: LinksMethods;
	companies: CompaniesMethods;
	certificates: CertificatesMethods;
	invoices: InvoicesMethods;
	prepared: PreparedMethods;
	receivedDocuments: ReceivedDocumentsMethods;
	archive: ArchiveMethods;
	sequences: SequencesMethods;
	approvals: ApprovalsMethods;
	purchaseOrders: PurchaseOrdersMethods;
	webhooks: WebhooksMethods;
	events: EventsMethods;
	registryWebhooks: RegistryWebhooksMethods;
	registryEvents: RegistryEventsMethods;
	audit: AuditMethods;
	testSets: TestSetsMethods;
	reports: ReportsMethods;
	portal: PortalMethods;
	registry: RegistryMethods;
	watchlists: WatchlistsMethods;
	usage: UsageMethods;
	authority: AuthorityMethods;
	service: ServiceMethods;
}

/** How each method is called; see `readPlan` in client.ts. */
export const PLANS: Record<string, Record<string, string>> = {
	tokens: {
		create: "POST /v1/auth/token bk",
		revoke: "POST /v1/auth/revoke bk",
	},
	apiKeys: {
		list: "GET /v1/api-keys ktp items",
		create: "POST /v1/api-keys bkti",
		get: "GET /v1/api-keys/{id} kt",
		update: "PATCH /v1/api-keys/{id} bkti",
		delete: "DELETE /v1/api-keys/{id} kt",
		rotate: "POST /v1/api-keys/{id}/rotate bkti",
	},
	links: {
		create: "POST /v1/links bkt",
	},
	companies: {
		create: "POST /v1/company bki",
		list: "GET /v1/company ktp items",
		get: "GET /v1/company/{id} kt",
		update: "PATCH /v1/company/{id} bkti",
		renewCredentials: "POST /v1/company/{id}/credentials bki",
	},
	certificates: {
		upload: "PUT /v1/company/{id}/certificate bkt",
		list: "GET /v1/company/{id}/certificates ktp items",
		activate: "POST /v1/company/{id}/certificates/{cid}/activate kti",
		delete: "DELETE /v1/company/{id}/certificates/{cid} kt",
	},
	invoices: {
		create: "POST /v1/invoices bkti",
		list: "GET /v1/invoices ktp items",
		createBatch: "POST /v1/invoices:batch bkti",
		get: "GET /v1/invoices/{docId} kt",
		getStatus: "GET /v1/invoices/{docId}/status kt",
		getStatuses: "POST /v1/invoices:status bkt",
		listEvents: "GET /v1/invoices/{docId}/events ktp items",
		getDraft: "GET /v1/invoices/{docId}/draft kt",
		xml: "GET /v1/invoices/{docId}/xml ktf",
		pdf: "GET /v1/invoices/{docId}/pdf ktf",
		getDelivery: "GET /v1/invoices/{docId}/delivery kt",
		acknowledgement: "GET /v1/invoices/{docId}/delivery/arecf ktf",
		retryDelivery: "POST /v1/invoices/{docId}/delivery/retry kti",
		getProof: "GET /v1/invoices/{docId}/proof kt",
		evidence: "GET /v1/invoices/{docId}/evidence ktf",
		retry: "POST /v1/invoices/{docId}/retry kti",
		getFiscal: "GET /v1/fiscal-invoices/{id} kt",
		convertLegacy: "POST /v1/tools/convert-legacy bkt",
		email: "POST /v1/invoices/{docId}/email bkti",
		listEmails: "GET /v1/invoices/{docId}/emails ktp items",
	},
	prepared: {
		create: "POST /v1/prepared-invoices bkti",
		list: "GET /v1/prepared-invoices ktp items",
		get: "GET /v1/prepared-invoices/{id} kt",
		approve: "POST /v1/prepared-invoices/{id}:approve bkt",
		reject: "POST /v1/prepared-invoices/{id}:reject bkt",
	},
	receivedDocuments: {
		list: "GET /v1/received-documents ktp items",
		upload: "POST /v1/received-documents rkt application/xml",
		get: "GET /v1/received-documents/{id} kt",
		xml: "GET /v1/received-documents/{id}/xml ktf",
		pdf: "GET /v1/received-documents/{id}/pdf ktf",
	},
	archive: {
		listCheckpoints: "GET /v1/archive/checkpoints p items",
		getLatestCheckpoint: "GET /v1/archive/checkpoints/latest -",
		getConsistencyProof: "GET /v1/archive/proofs/consistency -",
		list: "GET /v1/archive ktp items",
		createExport: "POST /v1/archive/exports bkti",
		listExports: "GET /v1/archive/exports ktp items",
		getExport: "GET /v1/archive/exports/{exportId} kt",
		downloadExport: "GET /v1/archive/exports/{exportId}/file f",
	},
	sequences: {
		create: "POST /v1/sequences bkti",
		list: "GET /v1/sequences ktp items",
		withdraw: "DELETE /v1/sequences/{id} kt",
		lease: "POST /v1/sequences/leases bkti",
		listLeases: "GET /v1/sequences/leases ktp items",
		getLease: "GET /v1/sequences/leases/{id} kt",
		returnLease: "DELETE /v1/sequences/leases/{id} kt",
		voidNumbers: "POST /v1/sequences/void bkti",
		listVoids: "GET /v1/sequences/voids ktp items",
		getVoid: "GET /v1/sequences/voids/{id} kt",
	},
	approvals: {
		getRule: "GET /v1/approval-rule kt",
		putRule: "PUT /v1/approval-rule bkt",
		decide: "POST /v1/received-documents/{id}/approval bkti",
		list: "GET /v1/approvals ktp items",
		get: "GET /v1/approvals/{id} kt",
		xml: "GET /v1/approvals/{id}/xml ktf",
		retry: "POST /v1/approvals/{id}/retry kti",
	},
	purchaseOrders: {
		list: "GET /v1/purchase-orders ktp items",
		get: "GET /v1/purchase-orders/{number} kt",
		put: "PUT /v1/purchase-orders/{number} bkt",
	},
	webhooks: {
		list: "GET /v1/webhooks ktp items",
		create: "POST /v1/webhooks bkti",
		get: "GET /v1/webhooks/{id} kt",
		update: "PATCH /v1/webhooks/{id} bkti",
		delete: "DELETE /v1/webhooks/{id} kt",
		rotateSecret: "POST /v1/webhooks/{id}/rotate-secret bkti",
		promoteSecret: "POST /v1/webhooks/{id}/promote-secret kti",
		listDeliveries: "GET /v1/webhooks/deliveries ktp items",
		getDelivery: "GET /v1/webhooks/deliveries/{id} kt",
		getStats: "GET /v1/webhooks/{id}/stats kt",
		redeliver: "POST /v1/webhooks/deliveries/{id}/redeliver kti",
		recover: "POST /v1/webhooks/{id}/recover bkti",
		test: "POST /v1/webhooks/test bkt",
	},
	events: {
		list: "GET /v1/events kt",
	},
	registryWebhooks: {
		list: "GET /v1/authority/webhooks kp items",
		create: "POST /v1/authority/webhooks bki",
		get: "GET /v1/authority/webhooks/{id} k",
		update: "PATCH /v1/authority/webhooks/{id} bki",
		delete: "DELETE /v1/authority/webhooks/{id} k",
		rotateSecret: "POST /v1/authority/webhooks/{id}/rotate-secret bki",
		promoteSecret: "POST /v1/authority/webhooks/{id}/promote-secret ki",
		listDeliveries: "GET /v1/authority/webhooks/deliveries kp items",
		getDelivery: "GET /v1/authority/webhooks/deliveries/{id} k",
		getStats: "GET /v1/authority/webhooks/{id}/stats k",
		redeliver: "POST /v1/authority/webhooks/deliveries/{id}/redeliver ki",
		recover: "POST /v1/authority/webhooks/{id}/recover bki",
		test: "POST /v1/authority/webhooks/test bk",
	},
	registryEvents: {
		list: "GET /v1/authority/events k",
	},
	audit: {
		list: "GET /v1/audit ktp items",
	},
	testSets: {
		create: "POST /v1/check-set-tests bkti",
		list: "GET /v1/check-set-tests ktp items",
		get: "GET /v1/check-set-tests/{id}/idCompany/{idCompany} kt",
		cancel: "POST /v1/check-set-tests/{id}/idCompany/{idCompany}/cancel kti",
		retry: "POST /v1/check-set-tests/{id}/idCompany/{idCompany}/retry kti",
		evidence: "GET /v1/check-set-tests/{id}/idCompany/{idCompany}/evidence ktf",
		getProviderInfo: "GET /v1/provider-info kt",
	},
	reports: {
		getTotals: "GET /v1/reports/totals kt",
		documents: "GET /v1/reports/documents.csv ktf",
		getOverview: "GET /v1/overview kt",
	},
	portal: {
		getSettings: "GET /v1/portal-settings kt",
		setSettings: "PUT /v1/portal-settings bkt",
		createLink: "POST /v1/portal-links bkt",
	},
	registry: {
		lookup: "GET /v1/authority/document/{document} k",
		search: "GET /v1/authority/document:search kp items",
		suggest: "GET /v1/authority/document:suggest k",
		lookupBatch: "POST /v1/authority/document:batch bk",
		getHistory: "GET /v1/authority/document/{document}/history k",
		match: "POST /v1/authority/document:match bk",
		getStatus: "GET /v1/authority/registry/status k",
		listRuns: "GET /v1/authority/registry/runs kp runs",
		listChanges: "GET /v1/authority/registry/changes kp changes",
		listDownloads: "GET /v1/authority/registry/downloads k",
		download: "GET /v1/authority/registry/downloads/{name} kf",
		purge: "POST /v1/authority/document/{document}:purge bkti",
		getPurge: "GET /v1/authority/purges/{id} k",
		deletePurge: "DELETE /v1/authority/purges/{id} k",
		attest: "POST /v1/authority/document/{document}:attest bk",
		verifyAttestation: "POST /v1/authority/attestations:verify b",
		getKeys: "GET /.well-known/registry-keys.json -",
		createCheck: "POST /v1/authority/checks rki text/csv",
		getCheck: "GET /v1/authority/checks/{checkId} k",
		deleteCheck: "DELETE /v1/authority/checks/{checkId} k",
		downloadCheck: "GET /v1/authority/checks/{checkId}/result kf",
		createReconcileLink: "POST /v1/authority/reconcile-links bk",
		listReconcileLinks: "GET /v1/authority/reconcile-links kp items",
		revokeReconcileLink: "DELETE /v1/authority/reconcile-links/{id} k",
	},
	watchlists: {
		list: "GET /v1/watchlists kp items",
		create: "POST /v1/watchlists bki",
		get: "GET /v1/watchlists/{id} k",
		update: "PATCH /v1/watchlists/{id} bk",
		delete: "DELETE /v1/watchlists/{id} k",
		listDocuments: "GET /v1/watchlists/{id}/documents kp items",
		putDocuments: "PUT /v1/watchlists/{id}/documents rk text/csv",
		addDocuments: "POST /v1/watchlists/{id}/documents:add bk",
		removeDocuments: "POST /v1/watchlists/{id}/documents:remove bk",
		listChanges: "GET /v1/watchlists/{id}/changes kp changes",
	},
	usage: {
		get: "GET /v1/usage kp items",
	},
	authority: {
		getStatus: "GET /v1/authority/status kt",
		listCodes: "GET /v1/authority/codes -",
		getCode: "GET /v1/authority/codes/{code} -",
	},
	service: {
		listPlaces: "GET /v1/places -",
		getRequestSchema: "GET /v1/schemas/{type} -",
		getHealth: "GET /health -",
		getChangelog: "GET /v1/changelog -",
		getOpenApi: "GET /openapi.json -",
		listProblems: "GET /errors -",
		getProblem: "GET /errors/{slug} -",
	},
};
