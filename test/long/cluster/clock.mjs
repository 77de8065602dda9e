/** `--import` of a node with a clock that is `CLOCK_AHEAD` milliseconds ahead. Its monotonic clock is unchanged. */
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
