export interface DerElement {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** The bit of the tag of elements that contain others. */
const CONSTRUCTED = 0x20;

/**
 * The consecutive elements of DER (ITU-T X.690); undefined where it is not canonical, truncated, or
 * has an element of 64 KiB or more.
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

/** The values of all primitive elements in their order, as hex without leading zeros. */
export function leavesOf(elements: readonly DerElement[]): readonly string[] {
  return elements.flatMap(({ tag, value }) =>
    tag & CONSTRUCTED
      ? leavesOf(readDer(value) ?? [])
      : [Buffer.from(value).toString('hex').replace(/^0+/, '')],
  );
}
