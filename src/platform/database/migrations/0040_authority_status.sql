-- What the authority's services are like: how our calls went, what was made of it, and when that changed. The breaker's table stays as it was.
-- New tables: no lock on anything, no time.

-- One row for each minute, environment of the authority, service and process that called it. A row has one writer, which writes totals, so writing
-- twice changes nothing. `latencies` is a list of pairs: the number of a bucket, and how many answers fell into it.
create table authority_calls (
	segment text not null,
	minute timestamptz not null,
	service text not null,
	process uuid not null,
	calls int not null,
	failures int not null,
	latencies int[] not null,
	-- Since the last call that ended in the other way.
	ok_in_row int not null,
	failures_in_row int not null,
	last_ok_at timestamptz,
	last_failure_at timestamptz,
	primary key (segment, minute, service, process)
);

-- What is held to be true of each environment of the authority, judged by one process at a time; whoever has its lock writes.
create table authority_status (
	segment text primary key,
	status text not null default 'unknown',
	since timestamptz not null default now(),
	-- The last status that was known, which is what tenants were told.
	told_status text,
	contingency boolean not null default false,
	-- Each service with its status, since when, and what the judge remembers of it.
	services json not null default '[]',
	declared json not null default '{}',
	windows json not null default '[]',
	-- When the authority was asked last: for a sign of life, and what it declares.
	probed_at timestamptz not null default 'epoch',
	declared_asked_at timestamptz not null default 'epoch',
	judged_at timestamptz not null default now()
);

-- Every change of a service, and under the name `overall` of all together: the picture of the last day is drawn from it.
create table authority_status_changes (
	segment text not null,
	service text not null,
	at timestamptz not null,
	status text not null,
	primary key (segment, service, at)
);
