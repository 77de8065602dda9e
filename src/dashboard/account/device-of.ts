/** Browsers and systems by their User-Agent header, for people who look for the session that is not theirs. */

type Patterns = readonly [pattern: RegExp, name: string][]

/** Each also claims to be those below it. */
const BROWSERS: Patterns = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]
const SYSTEMS: Patterns = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** `Firefox, Linux`; '' when neither is known. */
export function deviceOf(userAgent: string): string {
  const nameIn = (patterns: Patterns) => patterns.find(([pattern]) => pattern.test(userAgent))?.[1]
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter(name => name !== undefined).join(', ')
}
