/** The JSON of a file that a person edited. */
import { Failure } from '../bundle/errors.ts'
import { parseJson } from '../bundle/json.ts'

/** A byte order mark is skipped, as in a body. @throws Failure `invalid` */
export function editedJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('invalid', 'The file is not UTF-8; save it as UTF-8.')
  }
  try {
    return parseJson(text)
  } catch {
    // The parser's message quotes the file, and translations do not belong in logs.
    throw new Failure('invalid', 'The file is not valid JSON; correct it or restore the last version from git.')
  }
}
