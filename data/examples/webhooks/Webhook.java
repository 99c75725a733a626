// Java 17 or later, no library needed. `body` is the raw request body, before any parsing.
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Webhook {
    private static final Pattern FORM = Pattern.compile("t=([0-9]{1,12}),v1=([0-9a-f]{64})");

    /** True when one of the headers X-Service-Signature and X-Service-Signature-Next was made with the secret in the last five minutes. */
    public static boolean verify(String secret, List<String> headers, byte[] body, long nowSeconds) throws GeneralSecurityException {
        for (String header : headers) {
            Matcher match = FORM.matcher(header == null ? "" : header);
            if (!match.matches() || Math.abs(nowSeconds - Long.parseLong(match.group(1))) > 300) continue;
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((match.group(1) + ".").getBytes(StandardCharsets.US_ASCII));
            if (MessageDigest.isEqual(mac.doFinal(body), HexFormat.of().parseHex(match.group(2)))) return true;
        }
        return false;
    }
}
