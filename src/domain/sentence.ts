type Value = string | number | null | undefined;

/** A sentence with the places `{1}`, `{2}`, … and their values, so that its translation gets the same values. */
export interface Sentence<Text extends string = string> {
  readonly text: Text;
  readonly values: readonly Value[];
}

export const sentenceOf = <Text extends string>(
  text: Text,
  ...values: readonly Value[]
): Sentence<Text> => ({ text, values });

/** A text with values in place of `{1}`, `{2}`, … */
export const filled = ({ text, values }: Sentence): string =>
  text.replace(/\{(\d+)\}/g, (_whole, number) => String(values[Number(number) - 1] ?? ''));
