-- Since lists go by receipt nobody asks for it. By itself, for it keeps readers out too, for a moment.
drop index invoices_by_tenant;
