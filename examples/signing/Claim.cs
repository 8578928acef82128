// Logs in as a merchant and claims a voucher by a signed request; prints the answer.
// usage: BASE_URL=… API_KEY=… dotnet run Claim.cs PRIVATE-KEY.pem VOUCHER-CODE
// Needs .NET 10.

#:property PublishAot=false

using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;

if (args.Length != 2)
{
    Console.Error.WriteLine("usage: BASE_URL=… API_KEY=… dotnet run Claim.cs PRIVATE-KEY.pem VOUCHER-CODE");
    return 1;
}
using var key = ECDsa.Create();
key.ImportFromPem(File.ReadAllText(args[0]));
using var client = new HttpClient();

var login = new JsonObject { ["key"] = Environment.GetEnvironmentVariable("API_KEY") };
var access = await Post("/auth/login", login.ToJsonString());
var token = (string?)JsonNode.Parse(access)?["accessToken"];
if (token is null)
{
    Console.Error.WriteLine($"The log-in was refused: {access}");
    return 1;
}

// Written once: the signature is over these bytes.
var body = new JsonObject
{
    ["voucherCode"] = args[1],
    ["idempotencyKey"] = Guid.NewGuid().ToString(),
}.ToJsonString();
Console.WriteLine(await Post(
    "/topup-transactions/initiate-claim", body, ("x-api-token", token), ("x-signature", Sign(body))));
return 0;

// The value of the header: the signature, the two characters \n, and the message.
string Sign(string text)
{
    var message = DateTime.UtcNow.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'");
    var signature = key.SignData(
        Encoding.UTF8.GetBytes($"{text}\n{message}"),
        HashAlgorithmName.SHA256,
        DSASignatureFormat.Rfc3279DerSequence);
    return Convert.ToBase64String(signature) + "\\n" + message;
}

async Task<string> Post(string path, string text, params (string Name, string Value)[] headers)
{
    var address = Environment.GetEnvironmentVariable("BASE_URL") + path;
    using var request = new HttpRequestMessage(HttpMethod.Post, address)
    {
        Content = new StringContent(text, Encoding.UTF8, "application/json"),
    };
    foreach (var (name, value) in headers) request.Headers.TryAddWithoutValidation(name, value);
    using var response = await client.SendAsync(request);
    return await response.Content.ReadAsStringAsync();
}
