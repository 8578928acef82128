<?php

// Logs in as a merchant and claims a voucher by a signed request; prints the answer.
// usage: BASE_URL=… API_KEY=… php claim.php PRIVATE-KEY.pem VOUCHER-CODE
// Needs the extension openssl.

if ($argc !== 3) {
    fwrite(STDERR, "usage: BASE_URL=… API_KEY=… php claim.php PRIVATE-KEY.pem VOUCHER-CODE\n");
    exit(1);
}
[, $keyFile, $voucherCode] = $argv;

function post(string $path, string $body, array $headers = []): string
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => ['Content-Type: application/json', ...$headers],
        'content' => $body,
        // Refusals have a body, too.
        'ignore_errors' => true,
    ]]);
    $answer = file_get_contents(getenv('BASE_URL') . $path, false, $context);
    if ($answer === false) {
        exit(1);
    }
    return $answer;
}

/** The value of the header: the signature, the two characters \n, and the message. */
function sign(string $body, OpenSSLAsymmetricKey $privateKey): string
{
    $message = gmdate('Y-m-d\TH:i:s\Z');
    openssl_sign("$body\n$message", $signature, $privateKey, OPENSSL_ALGO_SHA256);
    return base64_encode($signature) . '\n' . $message;
}

$privateKey = openssl_pkey_get_private(file_get_contents($keyFile));
if ($privateKey === false) {
    fwrite(STDERR, "$keyFile holds no private key\n");
    exit(1);
}

$answer = post('/auth/login', json_encode(['key' => getenv('API_KEY')]));
$token = json_decode($answer, true)['accessToken'] ?? null;
if ($token === null) {
    fwrite(STDERR, "The log-in was refused: $answer\n");
    exit(1);
}

// Written once: the signature is over these bytes.
$body = json_encode(['voucherCode' => $voucherCode, 'idempotencyKey' => bin2hex(random_bytes(16))]);
echo post('/topup-transactions/initiate-claim', $body, [
    "x-api-token: $token",
    'x-signature: ' . sign($body, $privateKey),
]), "\n";
