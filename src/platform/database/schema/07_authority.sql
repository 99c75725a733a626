-- What the authority's services are like: our calls, the breaker, the judged status and its changes.

-- How the authority has answered lately, shared by all processes. Enough failures in a row open the breaker for a
-- while.
create table authority_breaker (
	segment text primary key,
	failures int not null default 0,
	open_until timestamptz,
	-- Failures that lie far apart are not counted together.
	failed_at timestamptz not null default now()
);

-- One row for each minute, environment of the authority, service and calling process. A row has one writer, which
-- writes totals, so that writing twice changes nothing. `latencies` is a list of pairs: the number of a bucket, and how
-- many answers fell into it.
create table authority_calls (
	segment text not null,
	minute timestamptz not null,
	service text not null,
	process uuid not null,
	calls int not null,
	failures int not null,
	latencies int[] not null,
	-- Since the last call with the opposite result.
	ok_in_row int not null,
	failures_in_row int not null,
	last_ok_at timestamptz,
	last_failure_at timestamptz,
	primary key (segment, minute, service, process)
);

-- The status of each environment of the authority. The process that holds the lock judges and writes it.
create table authority_status (
	segment text primary key,
	status text not null default 'unknown',
	since timestamptz not null default now(),
	-- The last known status, which tenants were notified of.
	told_status text,
	contingency boolean not null default false,
	-- Each service with its status, its time, and what the judge keeps about it.
	services json not null default '[]',
	declared json not null default '{}',
	windows json not null default '[]',
	-- When the authority was last asked for a sign of life, and for what it declares.
	probed_at timestamptz not null default 'epoch',
	declared_asked_at timestamptz not null default 'epoch',
	judged_at timestamptz not null default now()
);

-- Every change of a service, and of the whole under the name `overall`. The picture of the last day is drawn from it.
create table authority_status_changes (
	segment text not null,
	service text not null,
	at timestamptz not null,
	status text not null,
	primary key (segment, service, at)
);
