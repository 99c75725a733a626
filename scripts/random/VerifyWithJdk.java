import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.xml.crypto.KeySelector;
import javax.xml.crypto.dsig.Reference;
import javax.xml.crypto.dsig.XMLSignature;
import javax.xml.crypto.dsig.XMLSignatureFactory;
import javax.xml.crypto.dsig.dom.DOMValidateContext;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Verifies the signatures of documents with the Java platform's own implementation, one more that is not ours.
 *
 *     java scripts/random/VerifyWithJdk.java FILE.xml…     a line each; exit code 1 when one does not verify
 *
 * The key is that of the document's own certificate: this tells integrity, not trust. The platform's secure validation is on: it
 * refuses weak algorithms, ambiguous identifiers and transforms that could run something.
 */
public class VerifyWithJdk {
	private static final String XMLDSIG = XMLSignature.XMLNS;
	private static final String XADES = "http://uri.etsi.org/01903/v1.3.2#";

	public static void main(String[] files) throws Exception {
		boolean allGood = true;
		for (String file : files) {
			String fault;
			int references = 0;
			try {
				references = verify(Files.readAllBytes(Path.of(file)));
				fault = null;
			} catch (Exception error) {
				fault = error.toString();
			}
			allGood &= fault == null;
			System.out.println(fault == null
				? file + ": signature OK, references " + references + "/" + references
				: file + ": signature INVALID: " + fault);
		}
		System.exit(allGood ? 0 : 1);
	}

	/** The number of references that the document's one signature covers. Throws when anything does not verify. */
	private static int verify(byte[] bytes) throws Exception {
		DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
		factory.setNamespaceAware(true);
		factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
		Document document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(bytes));
		NodeList signatures = document.getElementsByTagNameNS(XMLDSIG, "Signature");
		if (signatures.getLength() != 1) throw new Exception(signatures.getLength() + " signatures");

		DOMValidateContext context = new DOMValidateContext(KeySelector.singletonKeySelector(keyOf(document)), signatures.item(0));
		context.setProperty("org.jcp.xml.dsig.secureValidation", true);
		NodeList properties = document.getElementsByTagNameNS(XADES, "SignedProperties");
		for (int i = 0; i < properties.getLength(); i++) context.setIdAttributeNS((Element) properties.item(i), null, "Id");

		XMLSignature signature = XMLSignatureFactory.getInstance("DOM").unmarshalXMLSignature(context);
		int references = 0;
		for (Object each : signature.getSignedInfo().getReferences()) {
			Reference reference = (Reference) each;
			if (!reference.validate(context)) throw new Exception("the digest of '" + reference.getURI() + "' differs");
			references++;
		}
		if (!signature.validate(context)) throw new Exception("the signature's value does not verify");
		return references;
	}

	private static PublicKey keyOf(Document document) throws Exception {
		NodeList certificates = document.getElementsByTagNameNS(XMLDSIG, "X509Certificate");
		if (certificates.getLength() == 0) throw new Exception("no certificate");
		byte[] der = Base64.getMimeDecoder().decode(certificates.item(0).getTextContent());
		X509Certificate certificate =
			(X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
		return certificate.getPublicKey();
	}
}
