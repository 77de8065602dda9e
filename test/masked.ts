/** What differs from run to run in what commands print, for tests that compare their output with a page. */

const MASKS: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, '<time>'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d\b/g, '<time>'],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} [+-]\d{4}/g, '<date>'],
  [/prl_[\w-]{4,}/g, '<key>'],
  [/(?<!W\/")\b[0-9a-f]{40}\b/g, '<id>'],
  [/\b[A-Za-z0-9]{32}\b/g, '<id>'],
  [/\b[0-9a-f]{24}\b/g, '<id>'],
  [/\b[0-9a-f]{7,10}\b/g, '<id>'],
  [/"lag":[\d.]+/g, '"lag":<lag>'],
]

/** The text with a word in place of each time, id, revision and key; without the white space at its end. */
export const masked = (text: string): string =>
  MASKS.reduce((all, [mask, word]) => all.replace(mask, word), text.trimEnd())
