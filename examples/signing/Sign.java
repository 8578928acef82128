import java.io.ByteArrayOutputStream;
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

/**
 * Signs the body on standard input, and prints the value of the header x-signature.
 *
 * usage: java -cp bcprov.jar Sign.java PRIVATE-KEY.pem [MESSAGE] < BODY; without a message, the
 * time now. The key is PKCS #8 ("openssl pkcs8 -topk8 -nocrypt" makes it of any other). Java has
 * had no secp256k1 since JDK 16 and takes it from Bouncy Castle.
 */
public class Sign {
  public static void main(String[] arguments) throws Exception {
    useBouncyCastle();
    String pem = Files.readString(Path.of(arguments[0]));
    byte[] encoded = Base64.getMimeDecoder().decode(pem.replaceAll("-----[^-]+-----", ""));
    PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
    String message = arguments.length > 1 ? arguments[1] : Instant.now().toString();

    ByteArrayOutputStream text = new ByteArrayOutputStream();
    System.in.transferTo(text);
    text.write(("\n" + message).getBytes("UTF-8"));
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(key);
    signature.update(text.toByteArray());
    System.out.println(Base64.getEncoder().encodeToString(signature.sign()) + "\\n" + message);
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
