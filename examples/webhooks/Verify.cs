// Checks the signature and the time of a webhook, whose body is the input.
// usage: WEBHOOK_SECRET=whsec_… dotnet run Verify.cs ID TIMESTAMP SIGNATURES < BODY
// Needs .NET 10.

#:property PublishAot=false

using System.Security.Cryptography;
using System.Text;

var secret = Environment.GetEnvironmentVariable("WEBHOOK_SECRET") ?? "";
var key = Convert.FromBase64String(secret.Replace("whsec_", ""));
if (args.Length != 3 || key.Length == 0)
    return End("usage: WEBHOOK_SECRET=whsec_… dotnet run Verify.cs ID TIMESTAMP SIGNATURES < BODY");
var (id, timestamp, signatures) = (args[0], args[1], args[2]);
using var input = new MemoryStream();
Console.OpenStandardInput().CopyTo(input);
var body = input.ToArray();

byte[] signed = [.. Encoding.UTF8.GetBytes($"{id}.{timestamp}."), .. body];
var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(key, signed)));
var isOurs = signatures.Split(' ').Any(one =>
    CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(one), expected));
var isNew = Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp)) <= 300;

if (!isOurs) return End("The signature is wrong");
if (!isNew) return End("The message is old, or a clock is wrong");
Console.WriteLine("The message is ours");
return 0;

static int End(string problem)
{
    Console.Error.WriteLine(problem);
    return 1;
}
