<?php

// Checks the signature and the time of a webhook, whose body is the input.
// usage: WEBHOOK_SECRET=whsec_… php verify.php ID TIMESTAMP SIGNATURES < BODY

$secret = getenv('WEBHOOK_SECRET');
$key = base64_decode(preg_replace('/^whsec_/', '', $secret));
if ($argc !== 4 || !$key) {
    fwrite(STDERR, "usage: WEBHOOK_SECRET=whsec_… php verify.php ID TIMESTAMP SIGNATURES < BODY\n");
    exit(1);
}
[, $id, $timestamp, $signatures] = $argv;
$body = file_get_contents('php://stdin');

$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
$isOurs = false;
foreach (explode(' ', $signatures) as $one) {
    $isOurs = hash_equals($expected, $one) || $isOurs;
}
$isNew = abs(time() - (int) $timestamp) <= 300;

if (!$isOurs) {
    fwrite(STDERR, "The signature is wrong\n");
    exit(1);
}
if (!$isNew) {
    fwrite(STDERR, "The message is old, or a clock is wrong\n");
    exit(1);
}
echo "The message is ours\n";
