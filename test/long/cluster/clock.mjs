/** `--import` of a node whose clock is wrong: by `CLOCK_AHEAD` milliseconds, all the time. Its monotonic clock is the machine's. */
const ahead = Number(process.env.CLOCK_AHEAD)
const RightDate = Date

globalThis.Date = class Date extends RightDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RightDate.now() + ahead] : given))
  }

  static now() {
    return RightDate.now() + ahead
  }
}
