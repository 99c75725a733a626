-- The number of an issuer belongs to the document that the authority has accepted under it, whoever came first; until then several documents may be
-- there. The same bytes are still one. Builds an index over `received_documents`, and whoever receives waits for as long as that takes. A process of
-- the release before cannot store what is sent to it from here on: it answers 5xx, and the sender comes again.
create unique index received_documents_once_each on received_documents (tenant_id, issuer_rnc, encf, sha256);
alter table received_documents drop constraint received_documents_tenant_id_issuer_rnc_encf_key;
