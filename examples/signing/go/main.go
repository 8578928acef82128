// Logs in as a merchant and claims a voucher by a signed request; prints the answer.
//
// usage: BASE_URL=… API_KEY=… go run . PRIVATE-KEY.pem VOUCHER-CODE
//
// Go's own packages lack secp256k1: it comes from the package of go.mod.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

func main() {
	if len(os.Args) != 3 {
		fail(errors.New("usage: BASE_URL=… API_KEY=… go run . PRIVATE-KEY.pem VOUCHER-CODE"))
	}
	key, err := readKey(os.Args[1])
	if err != nil {
		fail(err)
	}
	login, _ := json.Marshal(map[string]string{"key": os.Getenv("API_KEY")})
	answer := post("/auth/login", login, nil)
	var access struct {
		AccessToken string `json:"accessToken"`
	}
	if err := json.Unmarshal(answer, &access); err != nil || access.AccessToken == "" {
		fail(fmt.Errorf("the log-in was refused: %s", answer))
	}

	// Written once: the signature is over these bytes.
	body, _ := json.Marshal(map[string]string{
		"voucherCode":    os.Args[2],
		"idempotencyKey": rand.Text(),
	})
	fmt.Println(string(post("/topup-transactions/initiate-claim", body, map[string]string{
		"x-api-token": access.AccessToken,
		"x-signature": sign(key, body),
	})))
}

// sign makes the value of the header: the signature, the two characters \n, and the message.
func sign(key *secp256k1.PrivateKey, body []byte) string {
	message := time.Now().UTC().Format(time.RFC3339)
	digest := sha256.Sum256(append(append(bytes.Clone(body), '\n'), message...))
	signature := ecdsa.Sign(key, digest[:]).Serialize()
	return base64.StdEncoding.EncodeToString(signature) + `\n` + message
}

// readKey reads "BEGIN EC PRIVATE KEY" or, around the same, "BEGIN PRIVATE KEY" (PKCS #8).
func readKey(file string) (*secp256k1.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		encoded := block.Bytes
		if block.Type == "PRIVATE KEY" {
			var pkcs8 struct {
				Version    int
				Algorithm  asn1.RawValue
				PrivateKey []byte
			}
			if _, err := asn1.Unmarshal(encoded, &pkcs8); err != nil {
				return nil, err
			}
			encoded = pkcs8.PrivateKey
		} else if block.Type != "EC PRIVATE KEY" {
			continue
		}
		var sec1 struct {
			Version    int
			PrivateKey []byte
			Curve      asn1.RawValue `asn1:"optional,explicit,tag:0"`
			PublicKey  asn1.RawValue `asn1:"optional,explicit,tag:1"`
		}
		if _, err := asn1.Unmarshal(encoded, &sec1); err != nil {
			return nil, err
		}
		return secp256k1.PrivKeyFromBytes(sec1.PrivateKey), nil
	}
	return nil, errors.New(file + " holds no private key")
}

func post(path string, body []byte, headers map[string]string) []byte {
	request, err := http.NewRequest(http.MethodPost, os.Getenv("BASE_URL")+path, bytes.NewReader(body))
	if err != nil {
		fail(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fail(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		fail(err)
	}
	return answer
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
