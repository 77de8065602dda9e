/** Git commit objects: rendered so that no caller can forge a header or a trailer, and read back. */

/** The author of a change. {@link identity} escapes both parts. */
export interface Author {
  name: string
  email: string
}

/** A commit's subject line and trailers (`Parlance-Project: web`). {@link messageText} escapes both. */
export interface CommitMessage {
  subject: string
  trailers?: [name: string, value: string][]
}

/** The parts of a commit; `author` is rendered by {@link identity}, `time` is in seconds. */
interface CommitParts {
  tree: string
  parent: string | null
  author: string
  time: number
  message: string
}

export const COMMITTER = 'Parlance <server@parlance.invalid>'

// Line breaks of every kind; U+2028 and U+2029 too, for those who print the log.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
const LONE_SURROGATE = /\p{Surrogate}/gu
// What git strips from both ends of a name or address (ident.c, strbuf_addstr_without_crud).
const CRUD = /[\s.,:;"'\\]/

/** One line of text: control characters become a space, lone surrogates U+FFFD. */
function oneLine(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd').replace(CONTROL, ' ').trim()
}

/** Character by character: a pattern for the end of a run needs quadratic time. */
function withoutCrud(text: string): string {
  const line = oneLine(text.replace(/[<>]/g, ''))
  let [from, to] = [0, line.length]
  while (from < to && CRUD.test(line[from]!)) from++
  while (to > from && CRUD.test(line[to - 1]!)) to--
  return line.slice(from, to)
}

/** `Name <address>` of a commit header, by git's rules for names; never empty. */
export function identity(author: Author): string {
  const email = withoutCrud(author.email).replace(/\s+/g, '') || 'unknown@parlance.invalid'
  const name = withoutCrud(author.name) || withoutCrud(email.split('@')[0] ?? '') || 'unknown'
  return `${name} <${email}>`
}

/** A commit message: the subject, then after a blank line the trailers, one a line. */
export function messageText({ subject, trailers = [] }: CommitMessage): string {
  const title = oneLine(subject) || 'update'
  const lines = trailers.map(([name, value]) => `${name.replace(/[^A-Za-z0-9-]/g, '')}: ${oneLine(value)}`.trim())
  return lines.length ? `${title}\n\n${lines.join('\n')}\n` : `${title}\n`
}

/** The bytes of a commit. The same parts give the same bytes and id everywhere. */
export function renderCommit({ tree, parent, author, time, message }: CommitParts): Buffer {
  const parentLine = parent === null ? '' : `parent ${parent}\n`
  const date = `${time} +0000`
  return Buffer.from(
    `tree ${tree}\n${parentLine}author ${author} ${date}\ncommitter ${COMMITTER} ${date}\n\n${message}`,
  )
}

/** Whether the server created a commit: a person who amends, picks or rebases one becomes its committer. */
export const isOwnCommit = (bytes: Buffer): boolean => headerOf(bytes).includes(`\ncommitter ${COMMITTER} `)

/** Reads tree, parents and committer's time (seconds) of any commit, ours or a person's. */
export function readCommit(bytes: Buffer): { tree: string; parents: string[]; time: number } {
  const header = headerOf(bytes)
  const tree = /^tree ([0-9a-f]{40})$/m.exec(header)?.[1]
  if (tree === undefined) throw new Error('a commit object without a tree')
  const parents = [...header.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(match => match[1]!)
  const time = Number(/^committer .*> (\d+) [-+]\d{4}$/m.exec(header)?.[1] ?? 0)
  return { tree, parents, time }
}

function headerOf(bytes: Buffer): string {
  const end = bytes.indexOf('\n\n')
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}

/** The parts of a commit that people read. */
export interface CommitText {
  author: Author
  /** The committer's, in seconds since 1970: when the change reached its place. */
  time: number
  subject: string
  body: string
}

/** Reads `Name <address>`, with or without a time behind it. */
export function readIdentity(text: string): Author {
  const [open, close] = [text.indexOf('<'), text.lastIndexOf('>')]
  return {
    name: (open < 0 ? text : text.slice(0, open)).trim(),
    email: open < 0 || close < open ? '' : text.slice(open + 1, close).trim(),
  }
}

/** Reads any commit's text. Bytes that are no UTF-8 become U+FFFD, missing parts empty. */
export function readCommitText(bytes: Buffer): CommitText {
  const text = bytes.toString('utf8')
  const end = text.indexOf('\n\n')
  const header = end < 0 ? text : text.slice(0, end)
  const author = readIdentity(/^author (.*)$/m.exec(header)?.[1] ?? '')
  const time = Number(/^committer .*> (\d{1,12}) [-+]\d{4}$/m.exec(header)?.[1] ?? 0)
  // Like git's %s: the lines of the first paragraph as one.
  const message = end < 0 ? '' : text.slice(end).replace(/^\s+/, '')
  const [subject = '', ...paragraphs] = message.split(/\n[ \t\r]*\n/)
  return {
    author,
    time,
    subject: subject
      .split('\n')
      .map(line => line.trim())
      .join(' ')
      .trim(),
    body: paragraphs.join('\n\n'),
  }
}
