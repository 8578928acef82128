// Checks the signature and the time of a webhook, whose body is the input.
// usage: WEBHOOK_SECRET=whsec_… go run verify.go ID TIMESTAMP SIGNATURES < BODY
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		end("The secret is not in base64")
	}
	if len(os.Args) != 4 || len(key) == 0 {
		end("usage: WEBHOOK_SECRET=whsec_… go run verify.go ID TIMESTAMP SIGNATURES < BODY")
	}
	id, timestamp, signatures := os.Args[1], os.Args[2], os.Args[3]
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		end(err.Error())
	}

	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	isOurs := false
	for _, one := range strings.Split(signatures, " ") {
		isOurs = isOurs || hmac.Equal([]byte(one), []byte(expected))
	}
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	isNew := err == nil && time.Since(time.Unix(sent, 0)).Abs() <= 5*time.Minute

	if !isOurs {
		end("The signature is wrong")
	}
	if !isNew {
		end("The message is old, or a clock is wrong")
	}
	fmt.Println("The message is ours")
}

func end(problem string) {
	fmt.Fprintln(os.Stderr, problem)
	os.Exit(1)
}
