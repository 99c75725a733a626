-- The queue by tenant, so that dispatchers take turns between tenants; and whether a document's contingency has been told.
-- The index is built under a lock on `outbox`: seconds for a million waiting messages. The column has a constant default: no
-- rewrite, no time.
create index outbox_by_tenant on outbox (tenant_id, available_at) where state = 'ready';
alter table invoices add column contingency_told boolean not null default false;
