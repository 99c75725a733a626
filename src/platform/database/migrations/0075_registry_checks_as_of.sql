-- The day of the verdicts, in UTC-4; null for the day of the check.
alter table registry_checks add column as_of date;
