import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomWebhookSecret, webhookHeaders } from '../../src/crypto/webhook-secrets.ts';
import { codeBlocks, guide } from '../docs/guides.ts';
import { newestCode } from '../support/clients.ts';
import {
  type ClientScene,
  distinct,
  HTML,
  NO_ENVELOPE,
  OWNER,
  startClientScene,
} from './client-scene.ts';
import { type Fault, refusal } from './fault-proxy.ts';
import { missingOperations } from './missing-operations.ts';
import { installPythonClient, type PythonClient } from './python-program.ts';
import { referencePages, referenceProgram, tokenFor } from './reference-program.ts';

let scene: ClientScene;
let python: PythonClient;

beforeAll(async () => {
  scene = await startClientScene();
  python = await installPythonClient(scene);
});
afterAll(async () => {
  await python?.remove();
  await scene?.stop();
});

const airtimeBalance = async () => (await scene.partnerClient().readBalances()).walletBalance;

describe('a request without a known result', () => {
  test.each<readonly [string, readonly Fault[]]>([
    ['the connection breaks after it', ['cut', 'cut']],
    ['a proxy answers with a page', [HTML]],
    ['the service is not available', [refusal(503), refusal(500)]],
    ['it arrives too slowly', ['cut', refusal(408)]],
    ['its time is over', ['silence']],
  ])('is repeated with its key and bytes, and money moves once: %s', async (_case, faults) => {
    const before = await airtimeBalance();
    scene.proxy.spoil('/airtime-topup', ...faults);
    const requests = await scene.requestsDuring('/airtime-topup', async () => {
      const result = await python.resultOf(
        'print(json.dumps(partner_client(timeout_seconds=3).top_ups.send_airtime(AIRTIME)))',
      );
      expect(result).toMatchObject({ status: 'SUCCESS' });
    });
    expect(requests).toHaveLength(faults.length + 1);
    expect(distinct(requests.map(({ headers }) => headers['idempotency-key']))).toBe(1);
    expect(distinct(requests.map(({ body }) => body))).toBe(1);
    expect(before - (await airtimeBalance())).toBe(5);
  });

  test('is repeated by the loop of the guide, and money moves once', async () => {
    const before = await airtimeBalance();
    const [loop = ''] = codeBlocks(guide('repeat-safely.md'), 'python');
    // The first request is refused for its token.
    const faults: Fault[] = ['pass', HTML, 'cut', refusal(408), refusal(507), NO_ENVELOPE];
    scene.proxy.spoil('/airtime-topup', ...faults);
    const requests = await scene.requestsDuring('/airtime-topup', async () => {
      const result = await python.resultOf(
        `${loop}
time.sleep = lambda seconds: None
session = requests.Session()
session.headers["x-api-token"] = "of yesterday"

def log_in(session):
    session.headers["x-api-token"] = partner_client().access_token()

url = GIVEN["partnerUrl"] + "/topup-transactions/airtime-topup"
print(json.dumps(send(session, url, AIRTIME, GIVEN["key"])))`,
        { key: `loop-${randomUUID()}` },
      );
      expect(result).toMatchObject({ success: true, data: { status: 'SUCCESS' } });
    });
    expect(distinct(requests.map(({ headers }) => headers['idempotency-key']))).toBe(1);
    expect(before - (await airtimeBalance())).toBe(5);
  });

  test('of a merchant is signed again over the same bytes, and pays once', async () => {
    const voucherCode = await scene.newVoucher();
    scene.proxy.spoil('/initiate-claim', 'cut');
    await python.resultOf(
      `claim = {"voucherCode": GIVEN["code"]}
print(json.dumps(merchant_client().vouchers.initiate_claim(claim)))`,
      { code: voucherCode },
    );
    const verificationCode = await newestCode(scene.stack, OWNER);
    scene.proxy.spoil('/redeem-gift', 'cut', refusal(4092), refusal(5004));
    const requests = await scene.requestsDuring('/redeem-gift', async () => {
      const result = await python.resultOf(
        `redemption = {**GIVEN["redemption"], "metadata": '{"name":"ቡና"}'}
result = merchant_client().vouchers.redeem(redemption, idempotency_key=GIVEN["redemption"]["voucherCode"])
print(json.dumps(result))`,
        { redemption: { voucherCode, verificationCode } },
      );
      expect(result).toMatchObject({ idempotencyKey: voucherCode, metadata: '{"name":"ቡና"}' });
    });
    expect(requests).toHaveLength(4);
    expect(distinct(requests.map(({ body }) => body))).toBe(1);
    const { voucher } = await scene.merchantClient().vouchers.read(voucherCode);
    expect(voucher).toMatchObject({ status: 'REDEEMED', remainingBalance: '0.000000' });
  });

  test('stays open where it has no result in the end; the same key gets the result', async () => {
    const before = await airtimeBalance();
    scene.proxy.spoil('/airtime-topup', 'cut', 'cut');
    const result = await python.resultOf(`
partner = partner_client(attempts=2)
error = failure_of(lambda: partner.top_ups.send_airtime(AIRTIME))
# Spaces around a key do not count.
partner.top_ups.send_airtime(AIRTIME, idempotency_key=f" {error.idempotency_key}")
print(json.dumps([type(error).__name__, type(error.__cause__).__name__]))`);
    expect(result).toEqual(['OpenRequestError', 'NoAnswerError']);
    expect(before - (await airtimeBalance())).toBe(5);
  });

  test.each([
    ['a refused access', () => scene.proxy.spoil('/airtime-topup', 'cut', refusal(403))],
    [
      'a refused log-in',
      () => {
        scene.proxy.spoil('/airtime-topup', 'cut', refusal(401));
        // The first log-in passes.
        scene.proxy.spoil('/auth/login', 'pass', refusal(403));
      },
    ],
  ])('stays open after %s, which says nothing of it', async (_case, spoil) => {
    spoil();
    const result = await python.resultOf(`
error = failure_of(lambda: partner_client().top_ups.send_airtime(AIRTIME))
print(json.dumps([type(error).__name__, error.__cause__.status_code]))`);
    expect(result).toEqual(['OpenRequestError', 403]);
  });
});

describe('a pause', () => {
  test('is as long as Retry-After says, unless the time of the call does not suffice', async () => {
    scene.proxy.spoil('/merchants', refusal(429, { 'Retry-After': '1' }));
    scene.proxy.spoil('/promos', refusal(429, { 'Retry-After': '3600' }));
    const [first, second] = await scene.requestsDuring('/merchants', async () => {
      const result = await python.resultOf(`
partner = partner_client()
partner.merchants.list().first_page()
error = failure_of(lambda: partner.promos.list().first_page())
print(json.dumps([type(error).__name__, error.status_code, error.retry_after_seconds]))`);
      expect(result).toEqual(['ApiError', 429, 3_600]);
    });
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });
});

describe('a refusal', () => {
  test('is not repeated, and says what is wrong', async () => {
    const requests = await scene.requestsDuring('/airtime-topup', async () => {
      const result = await python.resultOf(`
partner = partner_client()
wrong = failure_of(lambda: partner.top_ups.send_airtime({**AIRTIME, "amount": -1}))
failed = failure_of(
    lambda: partner.top_ups.send_airtime({**AIRTIME, "msisdn": "+251911000006"})
)
key = failure_of(lambda: partner.top_ups.send_airtime(AIRTIME, idempotency_key="a\\nb"))
print(json.dumps([
    wrong.status_code, [issue.path for issue in wrong.issues], len(wrong.request_id),
    wrong.reason, wrong.help_url, failed.status_code, failed.reason, failed.failed_top_up.transaction_id > 0, str(key),
]))`);
      expect(result).toEqual([
        ...[400, ['amount'], 36, 'request-invalid'],
        expect.stringMatching(/#partner-400-request-invalid$/),
        ...[424, 'topup-failed', true],
        'idempotency_key must have 1 to 200 printable ASCII characters',
      ]);
    });
    expect(requests).toHaveLength(2);
  });

  test('of these codes is final', async () => {
    const codes = [4041, 4035, 4045, 4091, 4096, 422, 5031];
    scene.proxy.spoil('/redeem-gift', ...codes.map((code) => refusal(code)));
    scene.proxy.spoil('/retry-topup', refusal(409));
    const result = await python.resultOf(
      `
merchant = merchant_client()
redeem = lambda: merchant.vouchers.redeem({"voucherCode": "0000-0000-0000-0001"})
retry = lambda: partner_client().top_ups.retry({"transactionId": 1})
found = [failure_of(redeem).status_code for _ in GIVEN["codes"]] + [failure_of(retry).status_code]
print(json.dumps(found))`,
      { codes },
    );
    expect(result).toEqual([...codes, 409]);
  });
});

test('the access token is got once, and renewed once where the service refuses it', async () => {
  scene.proxy.spoil('/get-current-balance', 'pass', refusal(401));
  scene.proxy.spoil('/gift-denominations', refusal(401), refusal(401));
  const logIns = await scene.requestsDuring('/auth/login', async () => {
    const result = await python.resultOf(`
partner = partner_client()
partner.check_access()
partner.read_balances()
partner.read_balances()
print(json.dumps(failure_of(lambda: partner.denominations.list().first_page()).status_code))`);
    expect(result).toBe(401);
  });
  expect(logIns).toHaveLength(3);
});

test('a list gives each item once, although new ones come in meanwhile', async () => {
  const result = await python.resultOf(`
partner = partner_client()
for _ in range(4):
    partner.top_ups.send_airtime(AIRTIME)
there = [one["transactionId"] for one in partner.top_ups.list().first_page().items]
seen = []
for one in partner.top_ups.list({"limit": 2}):
    seen.append(one["transactionId"])
    if len(seen) == 2:
        partner.top_ups.send_airtime(AIRTIME)
print(json.dumps([there, seen]))`);
  const [there, seen] = result;
  expect(there.length).toBeGreaterThanOrEqual(4);
  expect(seen).toEqual(there);
});

test('a query leaves out what is None, has words as JSON writes them, and no body', async () => {
  const requests = await scene.requestsDuring('', async () => {
    const result = await python.resultOf(`
partner = partner_client()
page = partner.transactions.read({"after": None, "limit": 1})
categories = partner.merchant_categories.list({"search": None, "filter.isActive": [True, None]})
error = failure_of(lambda: partner.vouchers.read_order_lines(987654321, {}))
print(json.dumps([len(page["transactions"]), categories.first_page().meta["filter"], error.status_code]))`);
    expect(result).toEqual([1, { isActive: 'true' }, 404]);
  });
  const asked = requests.filter(({ method }) => method === 'GET');
  expect(asked.map(({ path }) => path.split('?')[1])).toEqual([
    'limit=1',
    undefined,
    'filter.isActive=true',
  ]);
  expect(asked.map(({ body }) => body)).toEqual(['', '', '']);
});

test('the key of a merchant may stand in the body, as the reference has it', async () => {
  const requests = await scene.requestsDuring('/initiate-claim', () =>
    python.resultOf(`
claim = {"voucherCode": "0000-0000-0000-0001", "idempotencyKey": "sale-1"}
vouchers = merchant_client().vouchers
failures = [
    failure_of(lambda: vouchers.initiate_claim(claim)),
    failure_of(lambda: vouchers.initiate_claim(claim, idempotency_key="sale-2")),
]
print(json.dumps([one.status_code for one in failures]))`),
  );
  const keys = requests.map(({ body }) => JSON.parse(body).idempotencyKey);
  expect(keys).toEqual(['sale-1', 'sale-2']);
});

test('no request begins after the time of its call, which a log-in has taken', async () => {
  const requests = await scene.requestsDuring('/airtime-topup', async () => {
    const result = await python.resultOf(`
partner = partner_client(total_seconds=0.5)
partner._connection.session.token = lambda: time.sleep(0.6) or "token"
import time
print(json.dumps(type(failure_of(lambda: partner.top_ups.send_airtime(AIRTIME))).__name__))`);
    expect(result).toBe('NoAnswerError');
  });
  expect(requests).toEqual([]);
});

test('errors and clients show no secret', async () => {
  const code = await scene.newVoucher();
  scene.proxy.spoil(`/${code}`, 'cut', refusal(403));
  scene.proxy.spoil('/redeem-gift', 'cut');
  const result = await python.resultOf(
    `
merchant = merchant_client(attempts=1)
token = merchant.access_token()
redemption = {"voucherCode": GIVEN["code"], "verificationCode": "918273"}
errors = [
    failure_of(lambda: merchant.vouchers.read(GIVEN["code"])),
    failure_of(lambda: merchant.vouchers.read(GIVEN["code"])),
    failure_of(lambda: merchant.vouchers.redeem(redemption)),
]
def everything(error):
    links = [error.__cause__, error.__context__]
    parts = [str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error))]
    return parts + [text for link in links if link is not None for text in everything(link)]
shown = [repr(merchant), repr(vars(merchant)), repr(vars(merchant._connection))]
shown += [text for error in errors for text in everything(error)]
secrets = [GIVEN["merchantKey"], token, GIVEN["code"], "918273"]
print(json.dumps([len(shown) > 10, [one for one in secrets if one in "".join(shown)]]))`,
    { code },
  );
  expect(result).toEqual([true, []]);
});

test('a redirect is not followed: nothing goes to another address', async () => {
  const elsewhere: Fault = { status: 302, headers: { Location: '/elsewhere' }, body: '' };
  scene.proxy.spoil('/get-current-balance', elsewhere);
  const result = await python.resultOf(`
error = failure_of(partner_client(attempts=1).read_balances)
print(json.dumps([type(error).__name__, str(error)]))`);
  expect(result).toEqual(['NoAnswerError', expect.stringContaining('HTTP status 302')]);
  expect(scene.proxy.requestsTo('/elsewhere')).toEqual([]);
});

test('a private key of another curve is refused at once', async () => {
  const result = await python.resultOf(`
from cryptography.hazmat.primitives.asymmetric import ec
GIVEN["privateKey"] = ec.generate_private_key(ec.SECP256R1())
print(json.dumps(str(failure_of(merchant_client))))`);
  expect(result).toContain('secp256k1');
});

test('every operation of the documents has a method', async () => {
  const requests = await scene.requestsDuring('', async () => {
    const program = (text: string, more: object = {}) => python.resultOf(text, more);
    const { code, id } = await program(
      `
partner = partner_client()
partner.check_access()
partner.read_key()
partner.read_balances()
booked = partner.transactions.pages({"limit": 1, "wallet": "airtime"})
assert "deposit" in [one["kind"] for page in booked for one in page["transactions"]]
assert partner.quote({"kind": "AIRTIME", **AIRTIME})["currency"] == "ETB"
for group in vars(partner).values():
    if hasattr(group, "list") and not group.__class__.__name__ == "Connection":
        next(iter(group.list({"limit": 1}).pages()))
partner.prices.set({"denominationId": GIVEN["unpriced"], "sellingPriceUsd": "7.50"})
partner.top_ups.send_package({"productId": GIVEN["product"], "msisdn": "+251911000000", **SALE})
failed = failure_of(
    lambda: partner.top_ups.send_airtime({**AIRTIME, "msisdn": "+251911000006"})
).failed_top_up
partner.top_ups.retry({"transactionId": failed.transaction_id, "msisdn": "+251911000000"})
assert partner.top_ups.read(failed.transaction_id)["status"] == "SUCCESS"
generated = partner.vouchers.generate(
    {"denominationId": GIVEN["priced"], "merchantId": GIVEN["merchant"], "msisdn": "+251911000000"}
)
code = generated["voucher"]["voucherCode"]
line = {"reference": "a", "denominationId": GIVEN["priced"], "merchantId": GIVEN["merchant"]}
order = partner.vouchers.order({"lines": [{**line, "msisdn": None}]})["bulkOrder"]
assert partner.vouchers.read_order(order["id"])["bulkOrder"]["lines"] == 1
read = partner.vouchers.read_order_lines(order["id"], {"limit": 1})
assert [line["reference"] for line in read["lines"]] == ["a"]
partner.vouchers.cancel_order(order["id"])
partner.vouchers.initiate_claim({"voucherCode": code, "amount": 100})
partner.vouchers.resend_message(int(generated["voucher"]["id"]))
print(json.dumps({"code": code, "id": int(generated["voucher"]["id"])}))`,
      {
        unpriced: scene.partner.denominations.unpriced,
        priced: scene.partner.denominations[500],
        product: scene.products.ethioPackage,
        merchant: scene.merchant.id,
      },
    );
    await program(
      `
partner = partner_client()
partner.vouchers.redeem(GIVEN["redemption"])
assert GIVEN["id"] in [one["id"] for one in partner.vouchers.list()]
assert partner.vouchers.read(GIVEN["id"])["redemptions"][0]["status"] == "SUCCESS"
generated = partner.vouchers.generate(GIVEN["generation"])
assert partner.vouchers.cancel(int(generated["voucher"]["id"]))["status"] == "CANCELLED"
merchant = merchant_client()
merchant.check_access()
merchant.read_key()
merchant.vouchers.read(GIVEN["redemption"]["voucherCode"])
merchant.vouchers.initiate_claim({"voucherCode": GIVEN["redemption"]["voucherCode"]})
assert next(iter(merchant.redemptions.list()))["state"] == "POSTED"
assert next(iter(merchant.payouts.list()))["payouts"] > 0
assert [page["hasMore"] for page in merchant.events.pages()][-1] is False
partner = partner_client()
pages = list(partner.events.pages({"limit": 1, "type": ["voucher.generated", "claim.started"]}))
assert all(len(page["events"]) <= 1 for page in pages)
assert not pages[-1]["hasMore"]
ids = [event["id"] for page in pages for event in page["events"]]
assert len(set(ids)) == len(ids)
print("true")`,
      {
        id,
        redemption: { voucherCode: code, verificationCode: await newestCode(scene.stack, OWNER) },
        generation: {
          denominationId: scene.partner.denominations[100],
          merchantId: scene.merchant.id,
          msisdn: null,
        },
      },
    );
    await program(
      `
merchant = merchant_client()
merchant.vouchers.redeem(GIVEN["redemption"])
redemption = next(iter(merchant.redemptions.list()))["id"]
assert merchant.redemptions.reverse(redemption, {"reason": "Wrong till"})["status"] == "SUCCESS"
print("true")`,
      {
        redemption: { voucherCode: code, verificationCode: await newestCode(scene.stack, OWNER) },
      },
    );
  });
  expect(missingOperations(requests)).toEqual([]);
});

describe('the programs of the guide run with it', () => {
  const [asPartner = '', asMerchant = '', list = ''] = codeBlocks(
    guide('use-a-client.md'),
    'python',
  );
  const local = (program: string) => program.replace('http://localhost:3000', scene.stack.url);

  test('a partner', async () => {
    const env = { VOUCHER_API_KEY: scene.partner.apiKey };
    expect(await python.outputOf(local(asPartner + list), env)).toMatch(/^SUCCESS \S+\n/);
  });

  test('a merchant', async () => {
    const pem = scene.merchant.privateKey.export({ type: 'sec1', format: 'pem' });
    await writeFile(join(python.folder, 'private-key.pem'), pem);
    const env = { VOUCHER_API_KEY: scene.merchant.apiKey };
    expect(await python.outputOf(local(asMerchant), env)).toBe(
      '4041 There is no voucher with this code\n',
    );
  });
});

test('the package says that it is typed', async () => {
  const output = await python.outputOf(
    'import pathlib, voucher_topup as v; print(pathlib.Path(v.__file__).with_name("py.typed").exists())',
  );
  expect(output).toBe('True\n');
});

test('checks the signature of webhooks', async () => {
  const secret = randomWebhookSecret();
  const body = JSON.stringify({ id: 'evt_1', type: 'voucher.expired', data: { ብር: '1' } });
  const message = { id: 'evt_1', timestampSeconds: 1_795_600_000, body };
  const result = await python.resultOf(
    `from voucher_topup import WebhookError, verify_webhook
def outcome(headers, body, now):
    try:
        return verify_webhook(headers, body, GIVEN["secret"], now)["id"]
    except WebhookError:
        return "refused"
headers, body, now = GIVEN["headers"], GIVEN["body"], 1795600000
print(json.dumps([
    outcome(headers, body, now),
    outcome({name.title(): value for name, value in headers.items()}, body.encode(), now),
    outcome(headers, body + " ", now),
    outcome(headers, body, now + 301),
    outcome({**headers, "webhook-id": "evt_2"}, body, now),
    outcome({**headers, "webhook-signature": "v1,???"}, body, now),
    outcome({"webhook-id": "evt_1"}, body, now),
    *[outcome(signed, text, now) for text, signed in GIVEN["others"]],
    str(failure_of(lambda: verify_webhook(GIVEN["unsigned"], body, "whsec_", now))),
]))`,
    {
      secret,
      body,
      headers: webhookHeaders(message, [randomWebhookSecret(), secret]),
      unsigned: webhookHeaders(message, ['whsec_']),
      others: ['not JSON', 'null', '{}'].map((text) => [
        text,
        webhookHeaders({ ...message, body: text }, [secret]),
      ]),
    },
  );
  const emptySecret = 'secret must be that of the portal: whsec_…';
  expect(result).toEqual(['evt_1', 'evt_1', ...Array(8).fill('refused'), emptySecret]);
});

test.each(referencePages)('the program of the reference runs: %s', async (page, answer) => {
  const pem = scene.merchant.privateKey.export({ type: 'sec1', format: 'pem' });
  await writeFile(join(python.folder, 'private-key.pem'), pem);
  const token = JSON.stringify(await tokenFor(scene, page));
  const program = await referenceProgram(scene, page, 'python');
  expect(await python.outputOf(`token = ${token}\n${program}`)).toContain(answer);
});
