-- E-mails of a service whose mail is off. A wider check only; the table is locked while its rows are read once.
alter table email_recipients drop constraint email_recipients_status_check;
alter table email_recipients add constraint email_recipients_status_check
	check (status in ('queued', 'skipped', 'failed', 'sent', 'delivered', 'bounced', 'complained'));
