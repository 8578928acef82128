/** Shifts the clock of the process that imports this, by `CLOCK_OFFSET_SECONDS`. */
const offset = Number(process.env.CLOCK_OFFSET_SECONDS) * 1_000;
const RightDate = Date;

globalThis.Date = class extends RightDate {
  constructor(...parts) {
    if (parts.length === 0) super(RightDate.now() + offset);
    else super(...parts);
  }

  static now() {
    return RightDate.now() + offset;
  }
};
