-- How many messages are dead, by kind, is told to whoever watches the service; without an index that reads what was done in a week. What dies is
-- little, so the index is small and seldom written. Its condition names a second column so that only who asks for both comes to it: statements that look
-- for the dead message of one subject would be led to all dead ones by a server that counted when there were none. Built under a lock on `outbox`
-- that keeps writers out: seconds for some million messages.
create index outbox_dead on outbox (kind) where state = 'dead' and settled_at is not null;
