import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.Security;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/**
 * Signs as a merchant does who uses Java: with Java's own provider, which has no secp256k1 since
 * JDK 16, or with Bouncy Castle, where that is on the class path.
 *
 * java Sign.java make FOLDER  makes a key pair and prints the public key in two forms, with a blank
 *                             line between them
 * java Sign.java sign FOLDER  signs each line of the input (base64); prints DER and r||s of each
 */
public class Sign {
  public static void main(String[] arguments) throws Exception {
    boolean isForeign = useBouncyCastle();
    Path privateFile = Path.of(arguments[1], "private.der");
    if (arguments[0].equals("make")) make(privateFile);
    else sign(privateFile, isForeign ? "SHA256withPLAIN-ECDSA" : "SHA256withECDSAinP1363Format");
  }

  static boolean useBouncyCastle() throws Exception {
    try {
      Class<?> provider = Class.forName("org.bouncycastle.jce.provider.BouncyCastleProvider");
      Security.insertProviderAt((Provider) provider.getDeclaredConstructor().newInstance(), 1);
      return true;
    } catch (ClassNotFoundException missing) {
      return false;
    }
  }

  static void make(Path privateFile) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256k1"));
    KeyPair pair = generator.generateKeyPair();
    Files.write(privateFile, pair.getPrivate().getEncoded());
    byte[] encoded = pair.getPublic().getEncoded();
    String lines = Base64.getMimeEncoder().encodeToString(encoded);
    System.out.println(Base64.getEncoder().encodeToString(encoded) + "\n");
    System.out.println("-----BEGIN PUBLIC KEY-----\r\n" + lines + "\r\n-----END PUBLIC KEY-----");
  }

  static void sign(Path privateFile, String compactAlgorithm) throws Exception {
    PrivateKey key =
        KeyFactory.getInstance("EC")
            .generatePrivate(new PKCS8EncodedKeySpec(Files.readAllBytes(privateFile)));
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = input.readLine()) != null; ) {
      byte[] bytes = Base64.getDecoder().decode(line);
      String der = signature("SHA256withECDSA", key, bytes);
      System.out.println(der + " " + signature(compactAlgorithm, key, bytes));
    }
  }

  static String signature(String algorithm, PrivateKey key, byte[] bytes) throws Exception {
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(bytes);
    return Base64.getEncoder().encodeToString(signature.sign());
  }
}
