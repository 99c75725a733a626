// .NET 6 or later, no package needed. `body` is the raw request body, before any parsing.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public static class Webhook
{
    /// <summary>True when one of the headers X-Service-Signature and X-Service-Signature-Next was made with the secret in the last five minutes.</summary>
    public static bool Verify(string secret, IEnumerable<string?> headers, byte[] body, DateTimeOffset? now = null)
    {
        foreach (var header in headers)
        {
            var match = Regex.Match(header ?? "", @"\At=([0-9]{1,12}),v1=([0-9a-f]{64})\z");
            if (!match.Success) continue;
            var age = (now ?? DateTimeOffset.UtcNow).ToUnixTimeSeconds() - long.Parse(match.Groups[1].Value);
            if (Math.Abs(age) > 300) continue;
            var signed = Encoding.ASCII.GetBytes(match.Groups[1].Value + ".").Concat(body).ToArray();
            var expected = HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), signed);
            if (CryptographicOperations.FixedTimeEquals(expected, Convert.FromHexString(match.Groups[2].Value))) return true;
        }
        return false;
    }
}
