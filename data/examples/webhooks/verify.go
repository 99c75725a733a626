// Go 1.21 or later, standard library only. body is the raw request body, before any parsing.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"time"
)

var form = regexp.MustCompile(`^t=([0-9]{1,12}),v1=([0-9a-f]{64})$`)

// Verify is true when one of the headers X-Service-Signature and X-Service-Signature-Next was made with the secret in the last five minutes.
func Verify(secret string, headers []string, body []byte, now time.Time) bool {
	for _, header := range headers {
		match := form.FindStringSubmatch(header)
		if match == nil {
			continue
		}
		t, err := strconv.ParseInt(match[1], 10, 64)
		if age := now.Unix() - t; err != nil || age > 300 || age < -300 {
			continue
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(match[1] + "."))
		mac.Write(body)
		given, _ := hex.DecodeString(match[2])
		if hmac.Equal(mac.Sum(nil), given) {
			return true
		}
	}
	return false
}
