import type { ClaimMade } from '../../../workflows/contracts.ts';
import { textAnswer } from './answer-fields.ts';

const SENT = {
  message: 'Verification code sent',
  text: 'A verification code was sent to the owner of the voucher',
};

const BEING_SENT = {
  message: 'Verification code being sent',
  text:
    'The verification code is being sent to the owner of the voucher; if it does not arrive, ' +
    'claim again',
};

/** The words of the answer to a claim (specification 4.1 and 4.2), which both surfaces have. */
export const claimWords = ({ sending }: ClaimMade) => (sending === 'unknown' ? BEING_SENT : SENT);

export const claimAnswer = textAnswer(
  'That the code was sent. Where the SMS provider has not said in time whether it took the code: that ' +
    'the code is being sent, and what to do if it does not arrive',
  SENT.text,
);
