import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks the signature and the time of a webhook, whose body is the input.
 *
 * usage: WEBHOOK_SECRET=whsec_… java Verify.java ID TIMESTAMP SIGNATURES < BODY
 */
public class Verify {
  public static void main(String[] arguments) throws Exception {
    String secret = System.getenv().getOrDefault("WEBHOOK_SECRET", "");
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    if (arguments.length != 3 || key.length == 0) {
      System.err.println(
          "usage: WEBHOOK_SECRET=whsec_… java Verify.java ID TIMESTAMP SIGNATURES < BODY");
      System.exit(1);
    }
    String id = arguments[0], timestamp = arguments[1], signatures = arguments[2];
    byte[] body = System.in.readAllBytes();

    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    boolean isOurs = false;
    for (String one : signatures.split(" "))
      isOurs |= MessageDigest.isEqual(one.getBytes(), expected.getBytes());
    boolean isNew = Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) <= 300;

    if (!isOurs) end("The signature is wrong");
    if (!isNew) end("The message is old, or a clock is wrong");
    System.out.println("The message is ours");
  }

  static void end(String problem) {
    System.err.println(problem);
    System.exit(1);
  }
}
