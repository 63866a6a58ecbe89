<?php
// client.php KIND URL…
[, $kind] = $argv;
foreach (array_slice($argv, 2) as $url) {
    if ($kind === 'curl') {
        $handle = curl_init($url);
        curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
        $body = curl_exec($handle);
        if ($body === false) {
            fwrite(STDERR, curl_error($handle) . "\n");
            exit(1);
        }
        $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
    } else {
        $body = file_get_contents($url);
        if ($body === false) {
            exit(1);
        }
        $status = explode(' ', $http_response_header[0])[1];
    }
    echo "$status $body\n";
}
