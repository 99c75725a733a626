/** What a certificate says about itself; runs on a server and in a browser. */
export { type CertificateFacts, describeCertificate } from "./describe-certificate";
export { judgeSigner, readSignerTraits, type SignerTraits } from "./judge-signer";
