-- A run whose difference from the run before is unknown begins an era of the history. Rows of earlier eras stay.

alter table registry_history add column era smallint not null default 0;
alter table registry_history drop constraint registry_history_pkey;
alter table registry_history add primary key (document_key, until, era);

alter table registry_history_starts add column era smallint not null default 0;
alter table registry_history_starts drop constraint registry_history_starts_pkey;
alter table registry_history_starts add primary key (era, begins);
