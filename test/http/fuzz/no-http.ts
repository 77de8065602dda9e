/** Malformed HTTP, and smuggled requests: two programs see the end of the outer request at different bytes. */

/** The requests by name, as Latin-1. @param key of a caller with the right to the hidden requests */
export function noHttp(key: string): [name: string, bytes: string][] {
  const inner = `DELETE /api/projects/web HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`
  const put = `PUT /api/projects/web/bundles/en/smuggled HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nConnection: close\r\n`
  return [
    ['a length and chunks', `${put}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`],
    ['chunks and a length', `${put}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${inner}`],
    ['two lengths', `${put}Content-Length: 2\r\nContent-Length: ${2 + inner.length}\r\n\r\n{}${inner}`],
    ['a space before the colon', `${put}Content-Length : 2\r\n\r\n{}`],
    ['chunked, with a tab', `${put}Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n`],
    ['chunked under another name', `${put}Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}`],
    ['chunked in two headers', `${put}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`],
    ['a size that is none', `${put}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`],
    ['a size below nothing', `${put}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`],
    ['a size past all bounds', `${put}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n`],
    ['extensions without end', `${put}Transfer-Encoding: chunked\r\n\r\n2;${'a=b;'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
    ['trailers', `${put}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Api-Key: x\r\n\r\n`],
    [
      'trailers without end',
      `${put}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${'X-A: b\r\n'.repeat(10_000)}\r\n`,
    ],
    ['a folded header', `GET /api/projects HTTP/1.1\r\nHost: x\r\nX-A: a\r\n b\r\nConnection: close\r\n\r\n`],
    ['bare line feeds', 'GET /api/health HTTP/1.1\nHost: x\nConnection: close\n\n'],
    ['a carriage return in a value', 'GET /api/health HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n'],
    ['NUL in a value', 'GET /api/health HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
    ['NUL in the target', 'GET /api/\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space in the target', 'GET /api/projects /x HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['Latin-1 in the target', 'GET /api/projects/\xe9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['an absolute target', `GET http://evil.example/api/projects HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`],
    ['an absolute target of another kind', `GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`],
    ['a target of another host', 'GET //evil.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['an authority', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a fragment', 'GET /api/health#x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['HTTP/0.9', 'GET /api/health\r\n\r\n'],
    ['HTTP/1.0', 'GET /api/health HTTP/1.0\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/9.9', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['no host', 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two hosts', 'GET /api/projects HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    ['a method of lower case', 'get /api/health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an upgrade', 'GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    [
      'a thousand headers',
      `GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${Array.from({ length: 1000 }, (_, n) => `X-${n}: y\r\n`).join('')}\r\n`,
    ],
    ['a header of 40 KB', `GET /api/health HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`],
    ['a target of 40 KB', `GET /api/${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['lines before the first', `\r\n\r\n\r\nGET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`],
    [
      'headers named like those of every object',
      'GET /api/projects HTTP/1.1\r\nHost: x\r\n__proto__: x\r\nconstructor: y\r\nConnection: close\r\n\r\n',
    ],
  ]
}
