/** A validated B2C payment. */
interface PaymentRequest {
  readonly reference: string;
  /** E.164 */
  readonly to: string;
  readonly amount: string;
  readonly resultUrl: string;
  readonly timeoutUrl: string;
}

/** A validated status query. */
interface InquiryRequest {
  /** The `OriginatorConversationID` of the payment; empty where it is asked for by its receipt. */
  readonly reference: string;
  readonly receipt: string;
  readonly resultUrl: string;
}

type Rejection = { readonly invalid: string };
type Body = Readonly<Record<string, unknown>> | undefined;

const commands = ['SalaryPayment', 'BusinessPayment', 'PromotionPayment'];

/** Validates a payment like the gateway; the first problem ends it. */
export function checkPayment(body: Body): PaymentRequest | Rejection {
  if (!body) return { invalid: 'Request Payload' };
  const { OriginatorConversationID: reference, PartyB: payee, Amount: amount } = body;
  if (!isText(reference, 1, 100)) return { invalid: 'OriginatorConversationID' };
  const invalid = invalidOf(body, 'InitiatorName');
  if (invalid !== undefined) return { invalid };
  if (!commands.includes(String(body.CommandID))) return { invalid: 'CommandID' };
  if (!/^[1-9]\d{0,8}$/.test(String(amount))) return { invalid: 'Amount' };
  if (!/^251\d{9}$/.test(String(payee))) return { invalid: 'PartyB' };
  return {
    reference,
    to: `+${payee}`,
    amount: `${amount}.00`,
    resultUrl: String(body.ResultURL),
    timeoutUrl: String(body.QueueTimeOutURL),
  };
}

/** Validates a status query like the gateway. */
export function checkInquiry(body: Body): InquiryRequest | Rejection {
  if (!body) return { invalid: 'Request Payload' };
  const { OriginalConversationID: original, OriginatorConversationID: originator } = body;
  const reference = original ?? originator ?? '';
  const receipt = body.TransactionID ?? '';
  if (typeof reference !== 'string' || typeof receipt !== 'string' || !(reference || receipt))
    return { invalid: 'TransactionID' };
  if (body.CommandID !== 'TransactionStatusQuery') return { invalid: 'CommandID' };
  if (String(body.IdentifierType) !== '4') return { invalid: 'IdentifierType' };
  const invalid = invalidOf(body, 'Initiator');
  if (invalid !== undefined) return { invalid };
  return { reference, receipt, resultUrl: String(body.ResultURL) };
}

/** The first invalid field of those that all requests have. */
function invalidOf(body: NonNullable<Body>, initiator: string): string | undefined {
  const checks: readonly [name: string, isValid: boolean][] = [
    [initiator, isText(body[initiator], 1, 100)],
    ['SecurityCredential', isText(body.SecurityCredential, 1, 2_000)],
    ['PartyA', /^\d{5,9}$/.test(String(body.PartyA))],
    ['Remarks', isText(body.Remarks, 2, 100)],
    ['ResultURL', isWebAddress(body.ResultURL)],
    ['QueueTimeOutURL', isWebAddress(body.QueueTimeOutURL)],
  ];
  return checks.find(([, isValid]) => !isValid)?.[0];
}

const isText = (value: unknown, least: number, most: number): value is string =>
  typeof value === 'string' && value.length >= least && value.length <= most;

const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value);
