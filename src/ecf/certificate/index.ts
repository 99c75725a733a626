/** What a certificate states; runs on a server and in a browser. */
export {
	type CertificateFacts,
	describeCertificate,
	judgeSigner,
	readSignerTraits,
	type SignerTraits,
} from "./certificate";
