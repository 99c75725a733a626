-- The day on which held numbers were given (UTC-4): those that come back unused were not used that day, whenever that turns out. What is held now counts as given
-- today, and so does what processes of the version before hold, which do not tell it. The default is one constant to the rows that are there: no table is written anew.
alter table sequence_holds add column given_on date not null default (now() at time zone interval '-04:00')::date;
