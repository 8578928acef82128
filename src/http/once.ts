/** Makes a value when it is first asked for, and keeps it. A failed value is made again. */
export function once<Value>(make: () => Value): () => Value {
  let kept: { readonly value: Value } | undefined;
  return () => {
    if (kept) return kept.value;
    const value = make();
    kept = { value };
    if (value instanceof Promise)
      value.catch(() => {
        kept = undefined;
      });
    return value;
  };
}
