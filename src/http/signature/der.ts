export interface DerElement {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** What tags of elements that hold others have in common. */
const CONSTRUCTED = 0x20;

/**
 * The elements of DER (ITU-T X.690) that stand one behind the other; undefined where it is not
 * canonical, cut off, or has an element of 64 KiB and more.
 */
export function readDer(bytes: Uint8Array): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  for (let position = 0; position < bytes.length; ) {
    const length = readLength(bytes, position + 1);
    if (!length || length.end + length.value > bytes.length) return undefined;
    const end = length.end + length.value;
    elements.push({ tag: bytes[position] ?? 0, value: bytes.subarray(length.end, end) });
    position = end;
  }
  return elements;
}

function readLength(bytes: Uint8Array, start: number) {
  const [first = 0xff, second = 0, third = 0] = bytes.subarray(start, start + 3);
  if (first < 0x80) return { value: first, end: start + 1 };
  if (first === 0x81 && second >= 0x80) return { value: second, end: start + 2 };
  if (first === 0x82 && second > 0) return { value: second * 256 + third, end: start + 3 };
  return undefined;
}

/** The values of all elements that hold no others, in their order, as hex without zeros in front. */
export function leavesOf(elements: readonly DerElement[]): readonly string[] {
  return elements.flatMap(({ tag, value }) =>
    tag & CONSTRUCTED
      ? leavesOf(readDer(value) ?? [])
      : [Buffer.from(value).toString('hex').replace(/^0+/, '')],
  );
}
