/** Values that attackers or accidents send in place of a name, a text, a number or a time. */

/** Unusual names. They are percent-encoded in the request. */
export const NAMES = [
  ...['', '.', '..', '...', '../..', '../../../../etc/passwd', '..\\..\\windows', '/etc/passwd', 'C:\\x'],
  ...['\\\\host\\x'],
  ...['.git', '.GIT', '.git/config', 'git~1', '.g\u200cit', '.git ', '.git.', '.git::$INDEX_ALLOCATION', '.gitmodules'],
  ...['.gitattributes', '.gitignore', 'HEAD', 'refs/heads/main', 'web.lock', '@', '@{u}', '-', '--all', '-rf'],
  ...['~', '*', '?', ':'],
  ...['con', 'CON', 'nul.txt', 'com1', 'LPT9.json', 'aux.', 'prn ', 'conin$', 'clock$', 'COM\u00b9'],
  ...['a.', 'a ', ' a', 'a..', '\ta', 'a\n', 'a\r\nX-Injected: 1', 'a\0', '\0', '\u0001', '\x7f', '\u0085', '\u2028'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'valueOf'],
  ...['constructor.prototype.x'],
  ...['WEB', 'Web', 'w\u0435b', 'ｗｅｂ', 'we\u0301b', 'wéb', 'K', 'ſ', 'İ', 'ß', '\u202eweb', 'web\ufeff'],
  ...['\u0000web', '💣', 'е'],
  ...['a<b>c', '<script>alert(1)</script>', 'a"b', "a'b", 'a;b', 'a|b', '$(id)', '`id`', '%s%n', '{{7*7}}'],
  ...["' or 1=1 --"],
  ...['a'.repeat(64), 'a'.repeat(65), 'a'.repeat(101), 'a'.repeat(1024), 'a'.repeat(1025)],
  ...[`a${'.a'.repeat(40)}`, '.'.repeat(300)],
  ...['project.json', 'locales', 'common.json', 'common.JSON', 'a/b', 'a%2Fb', '%', '%00', 'a+b', 'true'],
  ...['null', '0', '-1', '1e9'],
  ...['zz-ZZZZZ-zz', 'en_US', 'en-', 'x-private', 'i-klingon', 'en-u-ca-buddhist', 'DE', 'de-DE-1996-1996'],
  ...['en-a-bbb-a-ccc'],
  // Patterns with nested repeats never end on these.
  ...[`${'a-'.repeat(500)}!`, `${'a'.repeat(900)}!`, `${'_one'.repeat(200)}`, `${'.'.repeat(31)}`],
  ...[`${'a.'.repeat(33)}`, ' '.repeat(900)],
]

/** Raw path segments in encodings other than those of `encodeURIComponent`. */
export const SEGMENTS = [
  ...['..', '.', '%2e%2e', '%2E%2e', '.%2e', '%2e', '..%2f..%2f..%2fetc%2fpasswd', '..%5c..%5cx', '%2f'],
  ...['%2F%2Fetc', '%5c', '..;'],
  ...['%252e%252e%252f', '%c0%ae%c0%ae', '%c0%af', '%e0%80%af', '%f0%80%80%af', '%fc%80%80%80%80%af'],
  ...['%u002e%u002e', '%uff0e'],
  ...['%00', 'web%00', '%0d%0aX-Injected:%201', '%0a', '%ff', '%fe%ff', '%80', '%ed%a0%80', '%ed%b0%80'],
  ...['%f4%90%80%80', '%'],
  ...['%2', '%zz', '%g0', '+', 'a+b', 'a%20', '%20', 'a;b=c', 'a,b', '@', '!', '*', "'", '(', '$', '&', '='],
  ...[':', '~', '[', '%5B', '{}'],
  ...['web%2Fbundles', 'web%3Fat=x', 'web%23x', '%2egit', '.git', '.git%2fconfig', '%E2%80%8B', '%EF%BC%8E'],
  ...['%EF%BC%8F', 'nul', 'con.x'],
  ...['a'.repeat(5000), '%61'.repeat(1100), '%F0%9F%92%A3'.repeat(1200), 'a%2Fb'.repeat(300)],
]

/** Numbers and non-numbers. */
export const NUMBERS = [
  ...['0', '-0', '1', '-1', '2', '100', '101', '2147483647', '2147483648', '-2147483649', '9007199254740991'],
  ...['9007199254740993'],
  ...['18446744073709551616', '1e3', '1e308', '1e999', '-1e999', '1.5', '.5', '0x10', '0b1', '010', '1_000'],
  ...[' 1', '1 ', '+1', 'NaN'],
  ...['Infinity', '', ' ', 'null', 'true', '١٢', '１', '1n', '1,000', `${'9'.repeat(400)}`],
  ...[`0.${'0'.repeat(400)}1`, '1;2', '1\0', '[1]'],
]

/** Dates, times and revisions, valid and invalid. */
export const TIMES = [
  ...['2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456789Z', '2026-01-01T00:00:00+14:00'],
  ...['2026-01-01T24:00:00Z'],
  ...['0000-01-01', '0001-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z'],
  ...['2038-01-19T03:14:08Z', '9999-12-31T23:59:59Z'],
  ...['+275760-09-13T00:00:00Z', '+275760-09-13T00:00:01Z', '-271821-04-20T00:00:00Z', '+999999-01-01'],
  ...['2026-02-30', '2026-13-01', '2026-1-1'],
  ...['2026-01-01T00:00:60Z', '2026-01-01T00:00:00', '2026-01-01 00:00:00', '20260101T000000Z', '2026-W01-1'],
  ...['2026-001', 'now', 'yesterday'],
  ...['1.week.ago', '@0', '@0 +0000', '@99999999999999', '1767225600', 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ...['2026-01-01T00:00:00Z;', 'never'],
  ...['HEAD', 'HEAD~1', 'HEAD^{tree}', 'HEAD@{0}', 'main', 'main:web/project.json', 'refs/heads/main', '@'],
  ...['@{-1}', ':/x', '^main', '^{/(a+)+$}'],
  ...['--all', '-1', '--output=/tmp/x', '--upload-pack=id', '0', '0'.repeat(40), 'f'.repeat(40)],
  ...['4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
  ...['0'.repeat(64), 'abcd', 'ABCDEF12', `${'a'.repeat(39)}`, `${'a'.repeat(41)}`, 'v1', 'web/v1', 'v1..v2'],
  ...['v1...v2', 'v1\0v2', 'v1\nv2'],
]

/** Texts as they may stand in a body, where a message, a name or a key belongs. */
export const TEXTS = [
  ...NAMES,
  ...['\ud800', '\udfff', 'a\ud800b', '\ufffe', '\ufeff', '\u0000', 'a\nParlance-Project: x', 'x <a@b>'],
  ...['x\n\ntree 0', '\r\n\r\n'],
  ...['{n, plural, one {a} other {b}}', '{'.repeat(5000), '{a,'.repeat(3000), '{{'.repeat(5000)],
  ...[`{${'a'.repeat(5000)}, plural,`, '{a, plural, '.repeat(2000)],
  ...[`${' '.repeat(50_000)}x`, `${'{{count}}'.repeat(5000)}`, `$t(${'$t('.repeat(3000)}`, '<'.repeat(5000)],
  ...['x'.repeat(100_001), '::'.repeat(5000)],
]
