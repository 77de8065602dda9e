import { inspect } from 'node:util'
import t from 'tap'
import { BackupRemote } from '../../../src/store/backup/remote.ts'

const parse = (text: string) => BackupRemote.parse(text, 'BACKUP_REMOTE')

t.test('parses every form of a remote that git accepts', async t => {
  const rows: [text: string, kind: string, address: string][] = [
    ['/srv/a b/{organization}.git', 'file', '/srv/a b/X1.git'],
    ['/srv/{organization}/translations', 'file', '/srv/X1/translations'],
    ['/srv/-n/{organization}', 'file', '/srv/-n/X1'],
    ['file:///srv/a%20b/{organization}.git', 'file', '/srv/a b/X1.git'],
    ['file://localhost/srv/{organization}', 'file', '/srv/X1'],
    ['ssh://git@example.com/backups/{organization}.git', 'ssh', 'ssh://git@example.com/backups/X1.git'],
    ['ssh://example.com:2222/~/{organization}', 'ssh', 'ssh://example.com:2222/~/X1'],
    ['git@example.com:backups/{organization}.git', 'ssh', 'git@example.com:backups/X1.git'],
    ['git@[::1]:{organization}', 'ssh', 'git@[::1]:X1'],
    ['https://example.com/x/{organization}.git', 'https', 'https://example.com/x/X1.git'],
    ['HTTPS://Example.com:8443/{organization}', 'https', 'https://example.com:8443/X1'],
    ['http://[::1]:80/{organization}', 'http', 'http://[::1]:80/X1'],
    ['https://x:secret@example.com/{organization}/{organization}', 'https', 'https://example.com/X1/X1'],
  ]
  for (const [text, kind, address] of rows) {
    const remote = parse(text)
    t.strictSame([remote.kind, remote.address('X1')], [kind, address], text)
  }
})

t.test('rejects other texts in one line that never quotes them', async t => {
  const rows: [text: string, sentence: RegExp][] = [
    ['backups/{organization}', /must be an absolute path/],
    ['-oProxyCommand=hunter2/{organization}', /must be an absolute path/],
    ['ext::sh -c hunter2 {organization}', /must be an absolute path/],
    ['fd::3/hunter2/{organization}', /must be an absolute path/],
    ['git://x:hunter2@example.com/{organization}', /must be an absolute path/],
    ['htps://x:hunter2@example.com/{organization}', /must be an absolute path/],
    ['file://host/hunter2/{organization}', /must be an absolute path/],
    ['/srv/hunter2', /lacks \{organization\}/],
    ['https://x:hunter2@example.com/all.git', /lacks \{organization\}/],
    ['https://x:hunter2@{organization}.example.com/all', /cannot be read/],
    ['https://{organization}:hunter2@example.com/all', /lacks \{organization\}/],
    ['https://hunter2@example.com/{organization}', /user name and a password/],
    ['https://x:@example.com/{organization}', /user name and a password/],
    ['https://x:hun/ter2@example.com/{organization}', /percent-encoded/],
    ['https://x:1/hunter2@example.com/{organization}', /percent-encoded/],
    ['https://x:hunter2%@example.com/{organization}', /write a % as %25/],
    ['https://x:hunter2%0A@example.com/{organization}', /control characters/],
    ['https://x:hunter2@example.com/{organization}?a=b', /query/],
    ['https://x:hunter2@example.com/{organization}/../all', /\. or \.\./],
    ['/srv/{organization}/..', /lacks \{organization\}/],
    ['ssh://git@example.com/{organization}/../all', /\. or \.\./],
    ['ssh://git:hunter2@example.com/{organization}', /use a key/],
    ['ssh://-oProxyCommand=hunter2@example.com/{organization}', /odd user name/],
    ['ssh://-oProxyCommand=hunter2/{organization}', /cannot be read/],
    ['-hunter2@example.com:{organization}', /must be an absolute path/],
    ['git@-hunter2:{organization}', /must be an absolute path/],
    ['/srv/{organization}\nhunter2', /control characters/],
  ]
  for (const [text, sentence] of rows) {
    try {
      parse(text)
      t.fail(`${text} was taken`)
    } catch (error) {
      const { code, message } = error as { code: string; message: string }
      t.equal(code, 'invalid', text)
      t.match(message, /^BACKUP_REMOTE [^\n]+$/)
      t.match(message, sentence, text)
      t.notMatch(message, /hunter2|hun\/ter2/, text)
    }
  }
})

t.test('passes the password to git only', async t => {
  const remote = parse('https://me%40x:p%2Fw:d%20%C3%A9@example.com/{organization}')
  t.equal(remote.secret(), 'me@x\np/w:d é\n', 'decoded')
  t.equal(remote.origin, 'https://example.com')
  for (const shown of [
    String(remote),
    JSON.stringify({ remote }),
    inspect(remote, { depth: 9, showHidden: true }),
    remote.address('X'),
  ]) {
    t.notMatch(shown, /p\/w|p%2Fw/i, shown)
  }
  t.equal(remote.redact('a p/w:d é b p%2Fw%3Ad%20%C3%A9 c'), 'a *** b *** c')
  t.equal(remote.redact(`Basic ${Buffer.from('me@x:p/w:d é').toString('base64')}!`), 'Basic ***!')
  t.equal(
    remote.fingerprint,
    parse('https://me:other@example.com/{organization}').fingerprint,
    'a new password is no new remote',
  )
  t.not(remote.fingerprint, parse('https://example.com/y/{organization}').fingerprint)
  t.strictSame([parse('/x/{organization}').secret(), parse('/x/{organization}').origin], ['', undefined])
})
