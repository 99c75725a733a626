-- Whether a sealed object is gone because its retention is over. Of a restored one the date may be unknown.
create or replace function is_over(removed_at timestamptz, retain_until timestamptz, decided_at timestamptz) returns boolean language sql stable
return removed_at is not null and coalesce(retain_until, decided_at + interval '10 years') < now();
