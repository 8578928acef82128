module example.com/claim

go 1.24

require github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1
