import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.Security;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Logs in as a merchant and claims a voucher by a signed request; prints the answer.
 *
 * usage: BASE_URL=… API_KEY=… java -cp bcprov.jar Claim.java PRIVATE-KEY.pem VOUCHER-CODE
 *
 * The key is PKCS #8 ("openssl pkcs8 -topk8 -nocrypt" makes it of any other). Java has had no
 * secp256k1 since JDK 16 and takes it from Bouncy Castle.
 */
public class Claim {
  private static final HttpClient client = HttpClient.newHttpClient();

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 2) {
      System.err.println(
          "usage: BASE_URL=… API_KEY=… java -cp bcprov.jar Claim.java PRIVATE-KEY.pem VOUCHER-CODE");
      System.exit(1);
    }
    useBouncyCastle();
    PrivateKey key = readKey(arguments[0]);
    String answer = post("/auth/login", "{\"key\":\"" + System.getenv("API_KEY") + "\"}");
    Matcher token = Pattern.compile("\"accessToken\": *\"([^\"]+)\"").matcher(answer);
    if (!token.find()) {
      System.err.println("The log-in was refused: " + answer);
      System.exit(1);
    }

    // Written once: the signature is over these bytes.
    String body =
        "{\"voucherCode\":\"" + arguments[1] + "\",\"idempotencyKey\":\"" + UUID.randomUUID() + "\"}";
    System.out.println(
        post(
            "/topup-transactions/initiate-claim",
            body,
            "x-api-token",
            token.group(1),
            "x-signature",
            signatureOf(body, key)));
  }

  static String post(String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    if (headers.length > 0) request.headers(headers);
    // Refusals have a body, too.
    return client.send(request.build(), BodyHandlers.ofString()).body();
  }

  /** The value of the header: the signature, the two characters \n, and the message. */
  static String signatureOf(String body, PrivateKey key) throws Exception {
    String message = Instant.now().toString();
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(key);
    signature.update((body + "\n" + message).getBytes(StandardCharsets.UTF_8));
    return Base64.getEncoder().encodeToString(signature.sign()) + "\\n" + message;
  }

  static PrivateKey readKey(String file) throws Exception {
    String pem = Files.readString(Path.of(file));
    byte[] encoded = Base64.getMimeDecoder().decode(pem.replaceAll("-----[^-]+-----", ""));
    return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }

  static void useBouncyCastle() throws Exception {
    try {
      Class<?> provider = Class.forName("org.bouncycastle.jce.provider.BouncyCastleProvider");
      Security.insertProviderAt((Provider) provider.getDeclaredConstructor().newInstance(), 1);
    } catch (ClassNotFoundException missing) {
      // An older Java has the curve itself.
    }
  }
}
