import { z } from 'zod';
import { recordDeliveryReport } from '../db/messages/delivery-reports.ts';
import { parseMsisdn } from '../domain/phone.ts';
import type { DeliveryReport } from '../domain/vouchers/messages.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { refuseCallback, secretParams } from './nudges.ts';

/** By the provider's `status` (Africa's Talking SMS API) in small letters; other statuses say nothing. */
const states: Readonly<Record<string, DeliveryReport['state']>> = {
  sent: 'under-way',
  submitted: 'under-way',
  buffered: 'under-way',
  success: 'delivered',
  rejected: 'not-delivered',
  failed: 'not-delivered',
  absentsubscriber: 'not-delivered',
  expired: 'not-delivered',
};

const words = z.string().regex(/^\w{1,64}$/);

/**
 * Receives a delivery report of Africa's Talking: a form without a signature. It
 * says only whether a message has arrived, which moves no money and ends no claim. Settings limit its
 * source addresses and give it a secret path. A report about no message of ours leaves nothing behind.
 */
export const africasTalkingCallback = endpoint({
  method: 'POST',
  path: '/africas-talking',
  aliases: ['/africas-talking/:secret'],
  operation: 'provider-callback',
  summary: "Delivery report of Africa's Talking",
  description:
    'Tells whether a text message has reached its phone. The service shows it to partners and support staff; it changes neither money nor claims.',
  access: 'public',
  params: secretParams,
  isForm: true,
  body: z.looseObject({
    id: z.string().max(256),
    phoneNumber: z.string().max(32).default(''),
    status: z.string().max(64),
    failureReason: z.string().max(256).optional(),
  }),
  answer: z.null(),
  reasons: ['address-not-registered'],
  async handle(request) {
    const refusal = refuseCallback('africas-talking', request);
    if (refusal) return refusal;
    const { body } = request;
    const { database, numbers, workflows } = request.services;
    const state = states[body.status.toLowerCase()] ?? 'under-way';
    const report: DeliveryReport = {
      provider: 'africas-talking',
      reference: body.id,
      state,
      reason: state === 'not-delivered' ? reasonOf(body.status, body.failureReason) : null,
    };
    // A text that is no number belongs to no owner.
    const msisdn = parseMsisdn(body.phoneNumber) ?? body.phoneNumber;
    const code = await recordDeliveryReport(database, report, {
      msisdn,
      numberHash: numbers.hashOf(msisdn),
    });
    if (code) await workflows.tellCode(code);
    return reply(null, { message: 'Thank you' });
  },
});

/** The provider's message, where it has words: anybody could write others. */
const reasonOf = (status: string, failureReason: string | undefined): string =>
  words.safeParse(failureReason).data ?? status;
