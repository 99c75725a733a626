-- Several certificates of one company: one signs, one may wait for its day, earlier ones stay for a roll-back until their key is
-- destroyed. One row per company in a table of thousands: the changes take milliseconds and a short exclusive lock.
alter table signing_certificates drop constraint signing_certificates_status_check;
alter table signing_certificates
	add constraint signing_certificates_status_check check (status in ('active', 'scheduled', 'retired', 'removed'));
-- Removed means that the key is destroyed; what was signed with it stays explained by the row.
alter table signing_certificates alter column sealed_key drop not null;
alter table signing_certificates
	add constraint signing_certificates_key check ((status = 'removed') = (sealed_key is null));
create unique index signing_certificates_scheduled on signing_certificates (tenant_id) where status = 'scheduled';
create unique index signing_certificates_once on signing_certificates (tenant_id, thumbprint) where status <> 'removed';
create index signing_certificates_due on signing_certificates (activate_at) where status = 'scheduled';
create index signing_certificates_ending on signing_certificates (not_after) where status in ('active', 'scheduled');

-- What a tenant was told about the end of a certificate, so that it is told once; 0 days before stands for the end itself.
create table certificate_notices (
	certificate_id uuid not null references signing_certificates,
	days_before int not null,
	told_at timestamptz not null default now(),
	primary key (certificate_id, days_before)
);
