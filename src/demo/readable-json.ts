const LINE_LENGTH = 88;
const SHOWN_ITEMS = 2;
const SECRET_FIELDS = ['key', 'accessToken'];
const SHOWN_OF_SECRET = 12;

/** The prefix of a secret: enough to recognise it, too little to use it. */
export const shorten = (secret: string): string => `${secret.slice(0, SHOWN_OF_SECRET)}…`;

/**
 * JSON for people: on one line if it fits, else a line per field. Keys and tokens are shortened,
 * and long lists truncated.
 */
export function readableJson(value: unknown, indent = ''): string {
  const flat = flatJson(value);
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= LINE_LENGTH)
    return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.slice(0, SHOWN_ITEMS).map((item) => readableJson(item, inner))
    : fieldsOf(value).map(([name, field]) => `"${name}": ${readableJson(field, inner)}`);
  if (Array.isArray(value) && value.length > SHOWN_ITEMS)
    lines.push(`… and ${value.length - SHOWN_ITEMS} more`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${close}`;
}

function flatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const fields = fieldsOf(value).map(([name, field]) => `"${name}": ${flatJson(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

const fieldsOf = (value: object): [string, unknown][] =>
  Object.entries(value).map(([name, field]) => [
    name,
    SECRET_FIELDS.includes(name) && typeof field === 'string' ? shorten(field) : field,
  ]);
