-- Items that are billed; those of lists to check are known when a check is done, and are counted under the key that sent the list.
alter table usage_days add column billable bigint not null default 0;
-- Until now, all items of successful requests.
update usage_days set billable = items where operation in ('batchDocuments', 'matchDocuments');
alter table registry_checks add column key_id uuid, add column tenant_id uuid, add column owner_id uuid;
