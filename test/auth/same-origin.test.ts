import t from 'tap'
import { isCrossSite, ownOrigins } from '../../src/auth/same-origin.ts'

t.test('the origins that are ours', async t => {
  const table: [Record<string, string>, string[]][] = [
    [{ host: 'pub.test' }, ['https://pub.test', 'http://pub.test']],
    [{ host: 'pub.test:8080' }, ['https://pub.test:8080', 'http://pub.test:8080']],
    [{ host: 'pub.test:443' }, ['https://pub.test', 'http://pub.test:443']],
    [{ host: '[::1]:3000' }, ['https://[::1]:3000', 'http://[::1]:3000']],
    [{ host: '127.0.0.1:3000', origin: 'https://pub.test', 'sec-fetch-site': 'same-origin' }, ['https://pub.test']],
    [{ host: 'pub.test', origin: 'null', 'sec-fetch-site': 'same-origin' }, ['https://pub.test', 'http://pub.test']],
    [{ host: '' }, []],
    [{}, []],
  ]
  for (const [headers, expected] of table) t.same(ownOrigins(new Headers(headers)), expected, JSON.stringify(headers))
})

t.test('what another site sends', async t => {
  const table: [Record<string, string>, boolean][] = [
    [{}, false],
    [{ origin: 'http://pub.test' }, false],
    [{ origin: 'https://pub.test' }, false],
    [{ origin: 'https://pub.test', 'sec-fetch-site': 'same-origin' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ origin: 'https://evil.test' }, true],
    [{ origin: 'https://pub.test.evil.test' }, true],
    [{ origin: 'https://pub.test:8443' }, true],
    [{ origin: 'null' }, true],
    [{ origin: 'https://x.pub.test', 'sec-fetch-site': 'same-site' }, true],
    [{ origin: 'https://pub.test', 'sec-fetch-site': 'cross-site' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, true],
  ]
  for (const [headers, expected] of table) {
    t.equal(isCrossSite(new Headers({ host: 'pub.test', ...headers })), expected, JSON.stringify(headers))
  }
})
