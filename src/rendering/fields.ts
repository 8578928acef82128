/** The fields of a row with values of a type. */
export type NameOf<Row, Value> = {
  readonly [Name in keyof Row]: Row[Name] extends Value ? Name : never;
}[keyof Row] &
  string;

/** A value of a row: that of a field, by its name, or what is made of the row. */
export type FieldOf<Row, Value> = NameOf<Row, Value> | ((row: Row) => Value);

/** Reads a value of a row. */
export const fieldValue = <Row, Value>(row: Row, field: FieldOf<Row, Value>): Value =>
  typeof field === 'function' ? field(row) : (row[field as keyof Row] as Value);
