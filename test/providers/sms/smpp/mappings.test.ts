import smpp, { type PDU } from 'smpp';
import { describe, expect, it } from 'vitest';
import { relativeTime } from '../../../../src/providers/sms/smpp/client.ts';
import {
  type ReceiptIds,
  readReceipt,
} from '../../../../src/providers/sms/smpp/delivery-receipt.ts';
import { outcomeOfAnswer, readableId } from '../../../../src/providers/sms/smpp/session.ts';

describe('every command_status of submit_sm', () => {
  const kinds: Readonly<Record<string, string>> = {
    RX_T_APPN: 'refused, a retry can help, another may take it',
    RSUBMITFAIL: 'refused, a retry can help, another may take it',
    RSERTYPUNAVAIL: 'refused, a retry can help, another may take it',
    RTHROTTLED: 'not-sent after 3 s',
    RMSGQFUL: 'not-sent after 3 s',
    RINVBNDSTS: 'not-sent',
    RINVDSTADR: 'refused',
    RX_P_APPN: 'refused',
    RX_R_APPN: 'refused',
    ...Object.fromEntries(
      [
        ...['RINVMSGLEN', 'RINVCMDLEN', 'RINVCMDID', 'RINVPRTFLG', 'RINVREGDLVFLG', 'RINVSRCADR'],
        ...['RINVSERTYP', 'RINVESMCLASS', 'RINVSRCTON', 'RINVSRCNPI', 'RINVDSTTON', 'RINVDSTNPI'],
        ...['RINVSYSTYP', 'RINVREPFLAG', 'RINVSCHED', 'RINVEXPIRY', 'RINVDFTMSGID', 'RINVDCS'],
        ...['RINVTLVSTREAM', 'RTLVNOTALLWD', 'RINVTLVLEN', 'RMISSINGTLV', 'RINVTLVVAL'],
        ...['RSERTYPUNAUTH', 'RPROHIBITED', 'RSERTYPDENIED'],
      ].map((name) => [name, 'refused, another may take it']),
    ),
  };
  const named = Object.entries(smpp.errors).filter(([, status]) => status !== 0);
  it.each([...named, ['0x00000400', 0x400], ['0x000000ff of a vendor', 0x4ff]] as const)(
    '%s',
    (name, status) => {
      const outcome = outcomeOfAnswer(status, 'A1', 3);
      const words =
        outcome.kind === 'refused'
          ? `refused${outcome.retryCanHelp ? ', a retry can help' : ''}${outcome.anotherMayTake ? ', another may take it' : ''}`
          : outcome.kind === 'not-sent' && outcome.retryAfterSeconds !== undefined
            ? `not-sent after ${outcome.retryAfterSeconds} s`
            : outcome.kind;
      // Whatever is not named proves nothing.
      expect(words).toBe(kinds[name.replace('ESME_', '')] ?? 'unknown');
    },
  );

  it('accepted', () => {
    expect(outcomeOfAnswer(0, 'A1', 3)).toEqual({ kind: 'delivered', providerReference: 'A1' });
    expect(outcomeOfAnswer(0, undefined, 3)).toEqual({ kind: 'delivered', providerReference: '' });
  });

  it.each([
    ['A1', 'A1'],
    ["A1\u0004'", 'A1'],
    ['', ''],
    ['x'.repeat(70), 'x'.repeat(65)],
    [undefined, ''],
    [7, ''],
  ])('an id %j is %j', (id, readable) => expect(readableId(id)).toBe(readable));
});

it.each([
  [0, '000000000100000R'],
  [299.2, '000000000500000R'],
  [301, '000000000501000R'],
  [3_600, '000000010000000R'],
  [90_061, '000001010101000R'],
])('%d seconds from now are %s', (seconds, time) => expect(relativeTime(seconds)).toBe(time));

describe('every state of a receipt', () => {
  const receipt = (fields: object, ids: ReceiptIds = 'same') => {
    // As it comes: through the library's own coder.
    const sent = new smpp.PDU('deliver_sm', { esm_class: 4, ...fields });
    const octets = (sent as unknown as { toBuffer(): Buffer }).toBuffer();
    return readReceipt(new (smpp.PDU as unknown as new (octets: Buffer) => PDU)(octets), ids);
  };
  const textOf = (stat: string, err = '000', id = 'A_1') =>
    Buffer.from(
      `id:${id} sub:001 dlvrd:001 submit date:2611231200 done date:2611231201 stat:${stat} err:${err} text:Hello`,
    );
  const underWay = { reference: 'A_1', state: 'under-way', reason: null };
  const notDelivered = (reason: string) => ({ reference: 'A_1', state: 'not-delivered', reason });
  const delivered = { reference: 'A_1', state: 'delivered', reason: null };

  const states: [number: number, word: string, receipt: object][] = [
    [0, 'SCHEDULED', underWay],
    [1, 'ENROUTE', underWay],
    [2, 'DELIVRD', delivered],
    [2, 'DELIVERED', delivered],
    [3, 'EXPIRED', notDelivered('EXPIRED')],
    [4, 'DELETED', notDelivered('DELETED')],
    [5, 'UNDELIV', notDelivered('UNDELIV')],
    [5, 'undelivered', notDelivered('UNDELIV')],
    [6, 'ACCEPTD', underWay],
    [7, 'UNKNOWN', underWay],
    [8, 'REJECTD', notDelivered('REJECTD')],
    [8, 'REJECTED', notDelivered('REJECTD')],
    [9, 'SKIPPED', notDelivered('SKIPPED')],
  ];
  it.each(states)('%i, or %s in the text', (message_state, word, expected) => {
    expect(receipt({ receipted_message_id: 'A_1', message_state })).toEqual(expected);
    expect(receipt({ data_coding: 0, short_message: textOf(word) })).toEqual(expected);
    expect(receipt({ data_coding: 3, short_message: textOf(word) })).toEqual(expected);
  });

  it.each(['FAILED', 'failed', 'NOT_DELIVERED'])('%s in the text is not delivered', (word) => {
    expect(receipt({ short_message: textOf(word, '001') })).toMatchObject({
      state: 'not-delivered',
      reason: expect.stringContaining('error 001'),
    });
  });

  it('reads ASCII that is called UCS-2, and UCS-2 that is called ASCII', () => {
    for (const text of [textOf('DELIVRD'), Buffer.concat([textOf('DELIVRD'), Buffer.from('!')])])
      expect(receipt({ data_coding: 8, short_message: text })).toEqual(delivered);
    const wide = Buffer.from(textOf('DELIVRD').toString(), 'utf16le').swap16();
    for (const data_coding of [0, 3, 4, 8])
      expect(receipt({ data_coding, short_message: wide })).toEqual(delivered);
  });

  it.each([
    ['decimal-for-hex', '175', '0000000373', '175'],
    ['decimal-for-hex', '373', '373', '175'],
    ['decimal-for-hex', '0373', '373', '175'],
    ['hex-for-decimal', '373', '175', '373'],
    ['hex-for-decimal', '175', '175', '373'],
    ['same', '00ab', 'AB', 'AB'],
  ] as const)('%s: the TLV %s beside the text %s is %s', (ids, inTlv, inText, reference) => {
    const fields = { receipted_message_id: inTlv, message_state: 2 };
    const short_message = textOf('DELIVRD', '000', inText);
    expect(receipt({ ...fields, short_message }, ids)).toEqual({ ...delivered, reference });
  });

  it('names the error of the network, and believes the TLVs before the text', () => {
    expect(receipt({ short_message: textOf('UNDELIV', '011') })).toEqual(
      notDelivered('UNDELIV, error 011'),
    );
    // An SMSC that writes the number where its code belongs.
    expect(receipt({ short_message: textOf('UNDELIV', '251911234567') })).toEqual(
      notDelivered('UNDELIV, error ***67'),
    );
    const both = { receipted_message_id: 'B2', message_state: 2, short_message: textOf('UNDELIV') };
    expect(receipt({ ...both, esm_class: 0 })).toEqual({ ...delivered, reference: 'B2' });
  });

  it.each([
    ['a text of a phone', { esm_class: 0, short_message: textOf('DELIVRD') }],
    ['no id', { short_message: Buffer.from('stat:DELIVRD err:000') }],
    ['no state', { short_message: Buffer.from('id:A1 err:000') }],
    ['a state that is none', { short_message: textOf('PERHAPS') }],
    ['nothing', {}],
    ['binary data', { data_coding: 4, short_message: Buffer.from([1, 2, 3]) }],
  ])('%s is no receipt', (_name, fields) => expect(receipt(fields)).toBeUndefined());
});
