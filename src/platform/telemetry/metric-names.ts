/** Every metric name. Dashboards and alert rules use them (`data/alerts`), so a name never changes its meaning. */
export const METRIC_NAMES = {
	httpRequests: "sello_http_requests_total",
	httpRequestSeconds: "sello_http_request_seconds",
	outboxMessages: "sello_outbox_messages_total",
	staleFences: "sello_outbox_stale_fences_total",
	shardsOwned: "sello_shards_owned",
	shardsUnowned: "sello_shards_unowned",
	workLogAge: "sello_work_log_age_seconds",
	paperDaysUnverified: "sello_paper_days_unverified",
	lanesFenced: "sello_lane_fenced_total",
	deadLetters: "sello_dead_letters",
	dueOldest: "sello_outbox_due_oldest_seconds",
	outsideCalls: "sello_outside_calls_total",
	webhookBreakersOpen: "sello_webhook_breakers_open",
	registryAge: "sello_registry_age_seconds",
	registryEntries: "sello_registry_entries",
	registryLastIngest: "sello_registry_last_ingest",
	signingEngine: "sello_signing_engine",
	signingQueued: "sello_signing_queued",
	archiveLeaves: "sello_archive_leaves",
	checkpointAge: "sello_archive_checkpoint_age_seconds",
	archiveContradictions: "sello_archive_contradictions_total",
	authorityStatus: "sello_authority_status",
	authorityClockAhead: "sello_authority_clock_ahead_seconds",
	authorityContingency: "sello_authority_contingency",
	verdictContradictions: "sello_verdict_contradictions_total",
	acknowledgementsRestored: "sello_acknowledgements_restored_total",
	synchronousStandbys: "sello_database_synchronous_standbys",
	standbysNeeded: "sello_database_standbys_needed",
	certificatesEnding: "sello_certificates_ending",
} as const;

export type MetricName = (typeof METRIC_NAMES)[keyof typeof METRIC_NAMES];

/** The service's own metrics begin with this; Node's do not. */
export const METRIC_PREFIX = "sello_";
