/** A mobile number of Ethiopia in clear. A reference may have the same digits among its letters and hyphens. */
export const NUMBER_IN_CLEAR = /(?<![\w-])(\+?251|0)[79]\d{8}(?![\w-])/;
