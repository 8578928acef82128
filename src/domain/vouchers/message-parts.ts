/** GSM 03.38: the letters that take one and two places of a message. */
const ONE =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZ' +
  'ÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const TWO = '^{}\\[~]|€';

/** Whether all letters are of GSM 03.38; in others, a part holds 67 letters. */
export const isGsm = (text: string): boolean =>
  [...text].every((letter) => (ONE + TWO).includes(letter));

/** The parts that a network sends, and bills, for a text. */
export function partsOf(text: string): number {
  const hasGsm = isGsm(text);
  const length = hasGsm
    ? [...text].reduce((sum, letter) => sum + (TWO.includes(letter) ? 2 : 1), 0)
    : text.length;
  const [single, several] = hasGsm ? [160, 153] : [70, 67];
  return length <= single ? 1 : Math.ceil(length / several);
}
