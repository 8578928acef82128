/**
 * The cell of this installation: one database, with the Temporal namespace and the processes that work with it. Every
 * voucher code and API key names its cell, so that a router can lead a call to it. There is one cell today, and codes
 * live for years: see docs/internals/cells.md.
 */
export const CELL = '0';
